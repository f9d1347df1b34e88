"""likwid-bench, the text of one test.

MByte/s are 10^6 bytes per second of the data volume, which is iterations x bytes of the streams; the read for ownership
is not counted. Cycles are those of the time-stamp counter, not of the core.
Source: RRZE-HPC, "likwid-bench", documentation of LIKWID 5.2, 2021.
"""

import re
from collections.abc import Callable
from typing import ClassVar

from tierscope.errors import UsageError
from tierscope.imports import Imported, importers
from tierscope.imports.values import value, whole
from tierscope.printed import PLAIN
from tierscope.record.experiment import Label
from tierscope.record.reading import Reading, Value
from tierscope.reference import Match

LINES = {
    "bandwidth_bytes_per_s": ("MByte/s", "MByte/s"),
    "seconds": ("Time", "sec"),
    "total_bytes": ("Data volume (Byte)", "B"),
    "flops_per_s": ("MFlops/s", "MFlops/s"),
}
KERNELS = {"load*": "read", "store": "write", "store_[!m]*": "write", "store_mem*": "write_nt", "copy": "copy",
           "copy_[!m]*": "copy", "copy_mem*": "copy_nt", "stream": "triad", "stream_[!m]*": "triad",
           "stream_mem*": "triad_nt"}  # fmt: skip
"""Tests by what we call the same: its `triad` has four arrays, and is none of ours; `mem` are non-temporal stores."""

AGAIN: tuple[tuple[str, str, tuple[str, ...], Callable[..., float]], ...] = (
    ("seconds", "", ("Cycles", "Cycle Clock"), lambda cycles, hertz: cycles / hertz),
    ("total_bytes", "", ("Iterations per thread", "Size (Byte)"), lambda rounds, size: rounds * size),
    ("cycles_per_update", "Cycles per update",
     ("Cycles", "Data volume (Byte)", "Load bytes per element", "Store bytes per elem."),
     lambda cycles, volume, loads, stores: cycles * (loads + stores) / volume),
    ("load_store_ratio", "Load/store ratio", ("Loads per update", "Stores per update"),
     lambda loads, stores: loads / stores),
)  # fmt: skip
"""(quantity, its own line where no other keeps it, the lines that make it again, how)."""

METHOD = (
    "likwid-bench repeats one kernel in assembly on pinned threads, and divides the data volume of all iterations by "
    "the time of all; the read for ownership is not counted. One number for the whole run: no interval is stated."
)
NEEDED = ("MByte/s", "Time", "Data volume (Byte)", "Size (Byte)")


class LikwidBench:
    """One reading for each test in the file."""

    name: ClassVar[str] = "likwid_bench"
    title: ClassVar[str] = "likwid-bench's text: MByte/s are 10^6 bytes per second"

    alike: ClassVar[tuple[Match, ...]] = tuple(
        Match(
            "bandwidth_bytes_per_s",
            "stream",
            "bandwidth_bytes_per_s",
            {"test": test},
            {"kernel": kernel, "threads": "{threads}"},
        )
        for test, kernel in KERNELS.items()
    )

    def knows(self, text: str) -> bool:
        return "LIKWID MICRO BENCHMARK" in text

    def read(self, text: str) -> Imported:
        parts = text.split("LIKWID MICRO BENCHMARK")[1:]
        return Imported("likwid-bench", tuple(_reading(part) for part in parts), method=METHOD)


def _reading(text: str) -> Reading:
    told = {
        key.strip(): rest.strip() for key, colon, rest in (line.partition(":") for line in text.splitlines()) if colon
    }
    missing = [line for line in NEEDED if line not in told]
    if missing:
        raise UsageError(f"a test has no line {missing[0]!r}: it is cut off")
    values: dict[str, Value] = {}
    for name, (line, unit) in LINES.items():
        if line in told:
            word, _, own = told[line].partition(" ")
            if own and own.strip() != unit:
                raise UsageError(f"{line} is in {own.strip()!r}, not in {unit}")
            values[name] = value(word, unit)
    values |= _again(told)
    threads = re.search(r"Using (\S+) threads?", text)
    labels: dict[str, Label] = {
        "threads": whole(threads[1], "threads") if threads else None,
        "footprint_bytes": whole(told["Size (Byte)"], "Size (Byte)"),
    }
    return Reading(test=told.get("Test", "unknown"), labels=labels, values=values)


def _again(told: dict[str, str]) -> dict[str, Value]:
    """Return the numbers that likwid-bench prints twice: `again_X` for X."""
    for line in (line for _, _, lines, _ in AGAIN for line in lines):
        if told.get(line, "").startswith("-"):
            raise UsageError(f"{line} is {told[line][:40]!r}, which is impossible: the file is damaged")
    known = {line: float(word) for line, word in told.items() if PLAIN.fullmatch(word)}
    found: dict[str, Value] = {}
    for name, own, lines, make in AGAIN:
        if all(known.get(line, 0) > 0 for line in lines) and (not own or own in known):
            if own:
                found[name] = value(told[own], "")
            made = make(*(known[line] for line in lines))
            found[f"again_{name}"] = Value(value=made, step=made / known[lines[0]])  # the first is a whole number
    return found


importers.add(LikwidBench())
