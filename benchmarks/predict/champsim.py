"""Compare the serialised misses of our simulated core with those of ChampSim, an independent simulator.

    .venv/bin/python benchmarks/predict/champsim.py --configure FOLDER
    .venv/bin/python benchmarks/predict/champsim.py --near PATH --far PATH [--keep FILE] [--early] [CASE...] > table.md

ChampSim is not shipped: you build it (benchmarks/README.md has the commands), and name two programs. --configure writes
their configurations, which differ only in the latency of the memory. Both simulators get the same instructions, which
our tracer recorded, on the same caches, core and memories. Serialised misses are the cycles that a memory adds which is
slower by d cycles, divided by d, for both. --keep adds each row to a file, and a later call with it runs only the
others: all together take long. --early lets stores whose bytes are not read soon wait for their addresses alone, since
ChampSim executes stores in order; the goal is judged without it. Prints a row for each program, misses as well as hits,
and the verdict on the goal: a rank correlation of at least 0.95. Exit status: 0 reached, 1 missed, 4 not known.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import msgspec
from independent import machine, simulators
from independent.agreement import agreement, ranks
from independent.cases import cases
from independent.part import part_of, traced
from independent.records import convert
from independent.simulators import Cycles
from independent.stream import write

from tierscope.errors import Exit, TierscopeError, UsageError

NAMES = {"champsim-near": machine.NEAR_CYCLES, "champsim-far": machine.FAR_CYCLES}
HEAD = (
    "| program | serialised misses: ours | ChampSim | ratio | rank: ours | ChampSim | cycles: ours | ChampSim "
    "| records / instruction | lines left out |"
)


class Row(msgspec.Struct, frozen=True):
    """One program on both simulators."""

    name: str
    ours: Cycles
    theirs: Cycles
    records: float  # of ChampSim's trace, for each instruction
    left_out: int


def configure(folder: Path) -> None:
    """Write the two configurations of ChampSim."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, cycles in NAMES.items():
        (folder / f"{name}.json").write_text(json.dumps(machine.champsim(name, cycles), indent=2) + "\n")
        print(folder / f"{name}.json")


def row(name: str, command: list[str], programs: tuple[Path, Path], folder: Path, *, early: bool = False) -> Row:
    """Return what both simulators make of one program."""
    part = part_of(traced(command))
    stream, trace = folder / f"{name}.flow", folder / f"{name}.champsim"
    with stream.open("wb") as file:
        write(part.trace, part.warm_instructions, file)
    found = convert(part.trace, early=early)
    found.records.tofile(trace)
    warm = int(found.first[part.warm_blocks])
    timed = found.records.size - warm
    try:
        return Row(name, simulators.tierscope(stream, folder), simulators.champsim(programs, trace, warm, timed),
                   timed / part.timed_instructions, found.left_out)  # fmt: skip
    finally:
        stream.unlink()
        trace.unlink()


def line(one: Row, rank: tuple[float, float] | None) -> str:
    ours, theirs = one.ours.serialised, one.theirs.serialised
    ratio = f"{ours / theirs:.2f}" if theirs > 0 else ""
    places = " | ".join(f"{place:g}" for place in rank) if rank else " | "
    return (f"| {one.name} | {ours:.0f} | {theirs:.0f} | {ratio} | {places} | {one.ours.near:.0f} "
            f"| {one.theirs.near:.0f} | {one.records:.2f} | {one.left_out} |")  # fmt: skip


def kept(file: Path | None) -> dict[str, Row]:
    """Return the rows of earlier calls; UsageError if the file contains something else."""
    if file is None or not file.exists():
        return {}
    try:
        rows = [msgspec.json.decode(text, type=Row) for text in file.read_bytes().splitlines()]
    except msgspec.DecodeError as error:
        raise UsageError(f"{file} does not contain rows of this script ({error}); name another file") from error
    return {row.name: row for row in rows}


def compare(programs: tuple[Path, Path], names: list[str], keep: Path | None = None, *, early: bool = False) -> Exit:
    """Print the table and the verdict."""
    before, found = kept(keep), []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for case, command in cases(names, folder).items():
            if case in before:
                found.append(before[case])
                continue
            try:
                found.append(row(case, command, programs, folder, early=early))
            except TierscopeError as error:
                print(f"{case}: {error}", file=sys.stderr)
                continue
            print(line(found[-1], None), file=sys.stderr, flush=True)
            if keep is not None:
                with keep.open("ab") as file:
                    file.write(msgspec.json.encode(found[-1]) + b"\n")
    print(HEAD)
    print("|---|" + "---:|" * 9)
    columns = [[one.ours.serialised for one in found], [one.theirs.serialised for one in found]]
    for one, *places in zip(found, *map(ranks, columns), strict=True):
        print(line(one, (places[0], places[1])))
    alike = agreement(*columns)
    print(f"\n{alike or 'rank correlation: not known, since fewer than three programs were compared'}")
    if alike is None or alike.reached is None:
        return Exit.INCONCLUSIVE
    return Exit.GOOD if alike.reached else Exit.FAILED


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--configure", type=Path, metavar="FOLDER", help="write ChampSim's configurations, and end")
    parser.add_argument("--near", type=Path, metavar="PATH", help="the program of ChampSim with the near memory")
    parser.add_argument("--far", type=Path, metavar="PATH", help="the program of ChampSim with the far memory")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="continue with the rows that are in it")
    parser.add_argument("--early", action="store_true", help="let stores that are not read soon wait for no data")
    parser.add_argument("case", nargs="*", help="default: all")
    asked = parser.parse_args()
    if asked.configure:
        configure(asked.configure)
        return 0
    if not (asked.near and asked.far):
        parser.error("name both programs: --near PATH --far PATH; --configure FOLDER writes what to build them from")
    try:
        return compare((asked.near, asked.far), asked.case, asked.keep, early=asked.early)
    except TierscopeError as error:
        print(error, file=sys.stderr)
        return Exit.USAGE


if __name__ == "__main__":
    sys.exit(main())
