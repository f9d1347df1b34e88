"""Is the loop variant that a calibration chooses the best of all, and is it the same in each call?

    python benchmarks/variants.py --out runs/variants [--kernels read,triad] [--threads 1,2] [--pages 4k,thp]
    python benchmarks/variants.py --kernels write_nt --threads 1 --pages thp --calls 2 --array 32MiB      a short trial

For each kernel, number of threads and page size, `--calls` calibrations are made as runs make them: each maps its own
memory and begins with the variant that the call before kept. On the memory of the last one, all variants that a search
may find are tried, and the chosen ones are compared with the best (`searched/exhaustive.py`). The aims: the variant
that most calls chose has at least 0.98 of the best, and nine of ten calls chose it. Kept variants are in a folder of
the script's own. With --out each case is kept, and the same command continues where it was interrupted.

A case of n variants has about 4 n trials of 6 ms, and 300 more; all 48 have 80 000. Standard error shows the load and
the share of trials without a clean moment: where it is high, remove the case and take it again.
Exit status: 0 all aims are reached, 1 one is missed, 4 one is not known: its interval contains the aim.
"""

import argparse
import hashlib
import json
import os
import random
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path

import msgspec
from covering.load import machine
from searched.exhaustive import CALLS, Row, prove, row, space

from tierscope.core import Session, catalogue, find_core
from tierscope.errors import Exit
from tierscope.files import write_atomically
from tierscope.plans.kernels import STREAM
from tierscope.record.catalogue import Catalogue, Kernel
from tierscope.record.experiment import Experiment, Group, Target, Team, Workload
from tierscope.record.work.line import LineWork
from tierscope.run.calibrate import BLOCKS, TRIAL_S, workload_of
from tierscope.run.candidates import Candidate
from tierscope.run.walks import Walks
from tierscope.run.winners import Winners
from tierscope.stats.median import Interval
from tierscope.stats.together import together
from tierscope.units import parse_bytes

LENGTH_S = 2 * TRIAL_S  # of a trial, as in the final of a calibration
HEAD = ("case", "variants", "chosen by most", "chosen / best", "lowest of a call", "first call", "same", "best", "")


@dataclass
class Case:
    """One kernel, team and page size on this machine, by a session of its own."""

    kernel: str
    threads: int
    pages: str
    array_bytes: int
    catalogue: Catalogue
    missed: int = 0  # trials without a clean moment
    trials: int = 0
    _group: Group = field(init=False)

    def __post_init__(self) -> None:
        lines = sum(operand.lines for operand in self.entries[0].operands)
        work = Workload(kernel=self.kernel, footprint_bytes=lines * self.array_bytes, work=LineWork())
        team = Team(cpus=tuple(range(self.threads)))
        self._group = Group(workload=work, target=Target.parse("node:0", self.pages), team=team)

    @property
    def name(self) -> str:
        """Return what names it in the table."""
        return f"{self.kernel} {self.threads} {self.pages}"

    @property
    def entries(self) -> list[Kernel]:
        """Return the kernel's entries in the catalogue."""
        return list(self.catalogue.variants(self.kernel))

    def measured(self, calls: int, kept: Path) -> Row:
        """Calibrate again and again, then search all variants. kept: the file of the variant that calls keep."""
        chosen = []
        with Session() as session:
            for _ in range(calls):
                session.prepare([self._group])
                chosen.append(self._called(session, kept))
            proof = prove(lambda one: self._trial(session, one), space(self.entries), chosen, random.Random(1))
        return row(self.name, proof, chosen, shown)

    def _called(self, session: Session, kept: Path) -> Candidate:
        """Return what one calibration chooses, as that of a run."""
        experiment = Experiment(table="calibration", groups=(self._group,), calibrate=True)
        found = Walks(self.catalogue, Winners(kept)).choose(session, experiment, time.monotonic)
        if found is None:
            raise SystemExit(f"{self.kernel} has one variant only; leave it out")
        work = found.trials[0].workload
        return Candidate(work.isa, work.of(LineWork))

    def _trial(self, session: Session, one: Candidate) -> float | None:
        group = msgspec.structs.replace(self._group, workload=workload_of(self._group, one))
        session.set(0, group)
        blocks = session.measure(LENGTH_S, LENGTH_S / BLOCKS)
        rates = together(blocks, session.clock.hz, 1).rates[0].tolist()
        self.trials += 1
        self.missed += not rates
        return float(sorted(rates)[len(rates) // 2]) if rates else None


def shown(one: Candidate) -> str:
    """Return a variant in short: ISA, streams x lines, pages, prefetches of loads and of stores."""
    work = one.work
    parts = [one.isa, f"{work.streams}x{work.unroll}"]
    parts += ["paged"] * (work.interleave_bytes > 0)
    parts += [f"+{work.prefetch_bytes}"] * (work.prefetch_bytes > 0)
    parts += [f"w{work.prefetchw_bytes}"] * (work.prefetchw_bytes > 0)
    return " ".join(parts)


def line(one: Row) -> str:
    """Return a row of the table."""

    def ratio(found: Interval) -> str:
        return f"{found.middle:.3f} [{found.low:.3f}, {found.high:.3f}]"

    cells = (
        one.case, str(one.variants), one.usual_variant, ratio(one.usual), ratio(one.worst), ratio(one.first),
        f"{one.same} of {one.calls}", one.best, one.verdict,
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


def options(known: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", default=",".join(known))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--pages", default="4k,thp")
    parser.add_argument("--calls", type=int, default=CALLS, help="fewer are a trial")
    parser.add_argument("--array", default="512MiB", help="size of each operand")
    parser.add_argument("--out", type=Path, help="keep the cases here, and continue with those that are there")
    words = parser.parse_args()
    if other := set(words.kernels.split(",")) - set(known):
        parser.error(f"no kernels with variants: {', '.join(sorted(other))}; known: {', '.join(known)}")
    if words.calls < 1:
        parser.error("--calls=0: at least one call is needed")
    return words


def main() -> int:
    entries = catalogue()
    known = [kernel for kernel in (*STREAM, "update") if len(space(entries.variants(kernel))) > 1]
    words = options(known)
    shared = {"machine": machine(), "core": hashlib.sha256(find_core().read_bytes()).hexdigest()[:16]}
    rows = []
    with tempfile.TemporaryDirectory(prefix="tierscope-") as scratch:
        print(f"{shared['machine']}; {words.calls} calls, arrays of {words.array}\n")
        print(f"| {' | '.join(HEAD)} |\n|{' --- |' * len(HEAD)}")
        for kernel, threads, pages in product(
            words.kernels.split(","), words.threads.split(","), words.pages.split(",")
        ):
            case = Case(kernel, int(threads), pages, parse_bytes(words.array), entries)
            facts = {**shared, "calls": words.calls, "array": words.array, "case": case.name}
            rows.append(found := kept_or_measured(case, facts, words, Path(scratch)))
            print(line(found), flush=True)
    if any(one.verdict == "missed" for one in rows):
        return 1
    return 0 if all(one.verdict == "reached" for one in rows) else Exit.INCONCLUSIVE


def kept_or_measured(case: Case, facts: dict[str, object], words: argparse.Namespace, scratch: Path) -> Row:
    """Return the row of a case. It is measured unless --out has it, of the same machine, core and options."""
    path = words.out / f"{case.name.replace(' ', '-')}.json" if words.out else None
    if path is not None and path.exists():
        content = json.loads(path.read_text())
        if content["facts"] == facts:
            return msgspec.convert(content["row"], Row)
    began, load = time.monotonic(), os.getloadavg()[0]
    found = case.measured(words.calls, scratch / f"{case.name}.json")
    lasted, missed = time.monotonic() - began, case.missed / max(case.trials, 1)
    print(
        f"{case.name}: {lasted:.0f} s, load {load:.1f}, {100 * missed:.0f} % of trials without a clean moment",
        file=sys.stderr,
    )
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {"facts": facts, "load": load, "seconds": lasted, "unclean": missed, "row": asdict(found)}
        write_atomically(path, json.dumps(content, indent=1).encode())
    return found


if __name__ == "__main__":
    sys.exit(main())
