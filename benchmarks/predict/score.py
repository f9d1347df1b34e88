"""Score `tierscope predict -- PROGRAM` on the cells of cells.toml with pages of 4 KiB and of 2 MiB.

    python benchmarks/predict/score.py --out runs/pages               all cells; the same command continues
    python benchmarks/predict/score.py --out runs/pages sort gzip     these

Truth: the user time of the program here with GLIBC_TUNABLES=glibc.malloc.hugetlb=1, which gives its heap pages of 2
MiB, and the rest of its wall time with 4 KiB. Prediction: from its time with 4 KiB pages. Runs of both, and of the
program with 4 KiB again, alternate (pages.py). Prints a Markdown row for each cell, misses as well as hits, and the
figures of all cells with their goals. With --out, what was measured of a cell is kept in a file of its own. It is
measured again only for another machine, core, program, limit or sampling. Standard error states how long each cell
took, and how many CPUs others used meanwhile.

    wall       ratio of the wall times: larger pages also save page faults in the kernel, which no memory tier does
    bounds     `!`: they do not contain the measured ratio; `(!)`: they may, with its noise
    noise      half of the 95 % interval of the measured ratio
    itself     the program with 4 KiB again over the program with 4 KiB: the noise floor of the error
    misses x latency, ratio of latencies    errors of simple models (rivals.py); USL predicts nothing for a program that
               keeps its threads

Cells whose program is absent here are rows, too. The kernels of [page_kernels] are cells named kernel_NAME. [cores] is
scored by simulated.py.
"""

import argparse
import hashlib
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from goals import REAL, Told, errors, summary
from inputs import made
from pages import Machines, MachinesOf, Measured, Row, absent, facts, machines, measured, scored

from tierscope.core import find_core
from tierscope.files import write_atomically
from tierscope.predict.program.asked import LIMIT_S, parsed_limit
from tierscope.predict.program.here import runs_here
from tierscope.record.result import load
from tierscope.simulated.tracer import for_many

sys.path.append(str(Path(__file__).parents[1]))  # files that all benchmarks share
from covering.load import Moment, machine, plain

CELLS = Path(__file__).with_name("cells.toml")
HEAD = (
    "cell", "model / measured", "predicted", "bounds", "measured", "wall", "noise", "itself", "error",
    "misses x latency", "ratio of latencies", "USL",
)  # fmt: skip
USL = "one thread"


def options(known: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cells", nargs="*", metavar="CELL", help=f"of {', '.join(known)}; without any: all")
    parser.add_argument("--out", type=Path, help="keep the cells here, and continue with those that are there")
    parser.add_argument("--limit", default=f"{LIMIT_S:.0f}s", help="of one run, as that of predict")
    parser.add_argument("--from", action="append", default=[], type=Path, dest="runs", help="runs of this machine")
    words = parser.parse_args()
    if other := set(words.cells) - set(known):
        parser.error(f"no cells: {', '.join(sorted(other))}; known: {', '.join(known)}")
    return words


def main() -> None:
    cells = tomllib.loads(CELLS.read_text())
    listed = cells["pages"] | {
        f"kernel_{name}": ["{kernels}", *sizes.split()] for name, sizes in cells["page_kernels"].items()
    }
    words = options(list(listed))
    limit_s = parsed_limit(words.limit)
    runs = runs_here([load(path) for path in words.runs], tell)
    shared = {
        "machine": machine(), "core": hashlib.sha256(find_core().read_bytes()).hexdigest()[:16],
        "sampling": for_many(1.0), "limit_s": limit_s,
    }  # fmt: skip
    print(f"{shared['machine']}\n\n| {' | '.join(HEAD)} |\n|{' --- |' * len(HEAD)}", flush=True)
    rows = []
    with tempfile.TemporaryDirectory(prefix="tierscope-") as name:
        files = made(Path(name)) | {"{kernels}": compiled(Path(name) / "kernels")}
        folder = _below(Path(name))

        def known(keep_s: float | None) -> Machines:
            return machines(runs, folder, keep_s)

        for cell in words.cells or listed:
            command = [files.get(word, word) for word in listed[cell]]
            if absent(command):
                row = Row(unknown="absent here")
            else:
                path = words.out / f"{cell}.json" if words.out else None
                kept = facts(listed[cell], runs, shared)
                row = scored(kept_or_measured(cell, command, kept, path, known, limit_s))
                rows.append(row)
            print(line(cell, row), flush=True)
    print("\n" + "\n".join(scores(rows)))


def compiled(path: Path) -> str:
    """Return the path of the program of kernels.c; CalledProcessError without a compiler."""
    subprocess.run(["cc", "-O1", "-w", "-o", path, CELLS.with_name("kernels.c")], check=True)
    return str(path)


def _below(folder: Path) -> Path:
    (made_now := folder / "machines").mkdir()
    return made_now


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def kept_or_measured(
    cell: str, command: Sequence[str], kept: dict[str, Any], path: Path | None, known: MachinesOf, limit_s: float
) -> Measured:
    """Return what was measured of a cell; it is measured unless `path` has it, of the same facts."""
    if path is not None and path.exists():
        content = msgspec.json.decode(path.read_bytes())
        if content["facts"] == kept:
            return msgspec.convert(content["measured"], Measured)
    began, before = time.monotonic(), Moment.now(0)
    found = measured(command, known, limit_s)
    load_ = before.until(Moment.now(0))
    tell(f"{cell}: {time.monotonic() - began:.0f} s; load before {load_.average_before:.1f}, CPUs of others "
         f"{load_.others_cpus:.2f}, steal {load_.steal_cpus:.2f}")  # fmt: skip
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {"facts": kept, "load": plain(load_), "measured": found}
        write_atomically(path, msgspec.json.format(msgspec.json.encode(content), indent=0))
    return found


def line(cell: str, row: Row) -> str:
    """Return a row of the table."""
    model = f"{row.model:.2f}" if row.model is not None else ""
    if row.told is None:
        return f"| {cell} | {model} | {row.unknown} |{' |' * (len(HEAD) - 3)}"
    told = row.told
    predicted, bounds, error = f"not known: {row.unknown}", "", ""
    if told.ratio is not None and told.low is not None and told.high is not None:
        inside = "" if told.contained() else " (!)" if told.contained(noisy=True) else " !"
        predicted, bounds = f"{told.ratio:.3f}", f"{told.low:.3f} to {told.high:.3f}{inside}"
        error = f"{told.ratio / told.truth - 1:+.1%}"
    others = [f"{other / told.truth - 1:+.1%}" if other is not None else "" for other in (row.misses, row.latencies)]
    noise, itself = (f"{value:.1%}" if value is not None else "" for value in (row.noise, _less_one(row.itself)))
    wall = f"{row.wall:.3f}" if row.wall is not None else ""
    cells = (cell, model, predicted, bounds, f"{told.truth:.3f}", wall, noise, itself, error, *others, USL)
    return f"| {' | '.join(cells)} |"


def _less_one(ratio: float | None) -> float | None:
    return None if ratio is None else ratio - 1


def scores(rows: Sequence[Row]) -> list[str]:
    """Return the figures of all cells with a program: ours, the noise floor, and the rivals."""
    cells = [row.told for row in rows if row.told is not None]
    itself = [Told(1.0, row.itself) for row in rows]
    lines = [f"{len(rows) - len(cells)} of {len(rows)} cells could not be measured"] if len(cells) < len(rows) else []
    lines += summary("tierscope", cells, REAL)
    others = {
        "the program against itself": itself,
        "as if nothing changed": [Told(one.truth, 1.0) for one in cells],
        "misses x latency": [one for row in rows if (one := row.rival(row.misses))],
        "ratio of latencies": [one for row in rows if (one := row.rival(row.latencies))],
    }
    return lines + [errors(name, found, REAL) for name, found in others.items()]


if __name__ == "__main__":
    main()
