"""Operations on maps in pools: ours against PMDK's pmembench, structure by structure; exit status 1 if one is behind.

    python benchmarks/maps_pmembench.py --pmembench ./pmembench [--folder /dev/shm] [--count 100000] [--rounds 8]

pmembench is found on PATH or by option; nothing is downloaded or built. Both run one thread on the first CPU, and
insert, find or remove COUNT random keys. Each key has an entry with 16 further bytes (pmembench without --alloc: the id
of an object; ours: the value). Each makes a pool of its own under the same name in the same folder, one after the
other. Each run of pmembench has one of ours next to it, before it in one round and after it in the next; the ratio of
operations per second is taken within the pair. The ratio of all rounds is the Hodges-Lehmann estimate with its 95 %
interval.

Both time every operation with a look at the clock, and both totals include rehashes. pmembench also takes a mutex
around each operation, without contention. Where the folder is not persistent memory PMEM_IS_PMEM_FORCE=1 is set for
both, so that both flush, and none calls msync. Both should load one libpmemobj: `ldd` shows it.
Source: PMDK, src/benchmarks/map_bench.cpp (BSD-3-Clause); document 004, 4.3, which measured with it.
"""

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from tierscope import core
from tierscope.errors import TierscopeError
from tierscope.record.experiment import Group, Target, Team, Workload
from tierscope.record.work.key import KeyedWork
from tierscope.run.planned import this_machine
from tierscope.stats.contrast import estimate

STRUCTURES = ("hashmap_atomic", "hashmap_tx", "hashmap_rp", "ctree", "btree", "rtree", "rbtree")  # that pmembench knows
OPERATIONS = ("insert", "get", "remove")
VALUE_BYTES = 16
BATCH_S = 1e-3  # of ours: shorter than any round, so that one is one round


class PeerError(Exception):
    """pmembench did not do what it was asked for."""


@dataclass(frozen=True)
class Task:
    """The task of both; `path`: of the pool."""

    cpu: int
    path: Path
    structure: str
    operation: str
    count: int


@dataclass(frozen=True)
class Row:
    """Operations/s, medians over the rounds; ratio: ours over pmembench's."""

    structure: str
    operation: str
    count: int
    rounds: int
    ours_ops_per_s: float
    pmembench_ops_per_s: float
    ratio: float
    ratio_low: float
    ratio_high: float

    @property
    def verdict(self) -> str:
        return "ahead" if self.ratio_low > 1 else "behind" if self.ratio_high < 1 else "even"


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pmembench", default=shutil.which("pmembench"), metavar="PATH", help="default: on PATH")
    parser.add_argument("--folder", default="/dev/shm", help="where the pools are made and removed")
    parser.add_argument("--structures", default=",".join(STRUCTURES), help="joined by commas")
    parser.add_argument("--operations", default=",".join(OPERATIONS), help="joined by commas")
    parser.add_argument("--count", type=int, default=100_000, help="keys, and operations of a round")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--json", metavar="FILE", help="all rows")
    return parser.parse_args()


def reading(text: str) -> float:
    """Return operations/s of the one scenario that pmembench printed: a line of names, then one of numbers."""
    lines = [line.split(";") for line in text.splitlines() if ";" in line]
    for names, numbers in pairwise(lines):
        for name, number in zip(names, numbers, strict=False):
            if name.startswith("ops-per-second"):
                return float(number)
    raise PeerError(f"pmembench printed no ops-per-second: {text[-300:]!r}")


def theirs(program: str, task: Task, seed: int) -> float:
    """Run pmembench once; PeerError if it fails."""
    words = ["-T", task.structure, "-n", str(task.count), "-f", str(task.path), "-s", str(seed), "-t", "1"]
    environment = {**os.environ, "PMEMOBJ_CONF": "sds.at_create=0"}
    done = subprocess.run(
        ["taskset", "-c", str(task.cpu), program, f"map_{task.operation}", *words],
        capture_output=True, text=True, check=False, env=environment,
    )  # fmt: skip
    task.path.unlink(missing_ok=True)
    if done.returncode:
        raise PeerError(
            f"pmembench map_{task.operation} of {task.structure}: {(done.stderr or done.stdout).strip()[-300:]}"
        )
    return reading(done.stdout)


def ours(task: Task, seed: int) -> float:
    """Return operations/s of the first round, in a core of its own."""
    work = Workload(
        kernel=task.structure,
        footprint_bytes=0,
        work=KeyedWork(operation=task.operation, count=task.count, value_bytes=VALUE_BYTES),
        seed=seed,
    )
    group = Group(workload=work, target=Target(name="pool", where=str(task.path)), team=Team(cpus=(task.cpu,)))
    with core.Session() as session:
        session.prepare([group])
        first = session.measure(BATCH_S, BATCH_S)[0]
        hz = session.clock.hz
        if session.check()[0] != 0:
            raise TierscopeError(f"{task.structure} does not contain what {task.operation} should have left")
    return float(first["operations"]) * hz / float(int(first["stop_ticks"]) - int(first["start_ticks"]))


def compared(words: argparse.Namespace, cpu: int, folder: Path) -> Iterator[Row]:
    """Yield one row for each structure and operation that both have."""
    here = core.catalogue().structures_here()
    for structure in words.structures.split(","):
        if here.get(structure) != "pool":
            print(f"absent: structure {structure} is not in this build (tierscope catalogue)", file=sys.stderr)
            continue
        for operation in words.operations.split(","):
            task = Task(cpu, folder / "maps.pool", structure, operation, words.count)
            yield _row(task, np.array([pair(words.pmembench, task, number) for number in range(words.rounds)]))


def pair(program: str, task: Task, number: int) -> tuple[float, float]:
    """Return ours and theirs, operations/s; which comes first changes from round to round."""
    if number % 2 == 0:
        first = ours(task, number + 1)
        return first, theirs(program, task, number + 1)
    second = theirs(program, task, number + 1)
    return ours(task, number + 1), second


def _row(task: Task, pairs: "np.ndarray[tuple[int, int], np.dtype[np.float64]]") -> Row:
    one = estimate(np.log(pairs[:, 0] / pairs[:, 1]), 0.95)
    middle = np.median(pairs, axis=0)
    return Row(
        task.structure, task.operation, task.count, len(pairs), float(middle[0]), float(middle[1]),
        *(math.exp(bound) for bound in (one.middle, one.low, one.high)),
    )  # fmt: skip


def main() -> int:
    words = options()
    if words.pmembench is None or not Path(words.pmembench).is_file():
        print("pmembench is absent; build PMDK's src/benchmarks and name it with --pmembench PATH", file=sys.stderr)
        return 3
    os.environ.setdefault("PMEM_IS_PMEM_FORCE", "1")
    cpu, rows = this_machine(None).cpus()[0], []
    print(f"{'structure':16}{'operation':10}{'ours, M/s':>12}{'pmembench':>12}{'ratio':>8}  95 % interval")
    with tempfile.TemporaryDirectory(dir=words.folder, prefix="tierscope-maps-") as folder:
        for row in compared(words, cpu, Path(folder)):
            rows.append(row)
            rates = f"{row.ours_ops_per_s / 1e6:12.3f}{row.pmembench_ops_per_s / 1e6:12.3f}{row.ratio:8.2f}"
            span = f"{row.ratio_low:.2f} to {row.ratio_high:.2f}"
            print(f"{row.structure:16}{row.operation:10}{rates}  {span}  {row.verdict}", flush=True)
    if words.json:
        Path(words.json).write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    return 1 if any(row.verdict == "behind" for row in rows) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (PeerError, TierscopeError) as error:
        print(f"maps_pmembench: {error}", file=sys.stderr)
        sys.exit(3)
