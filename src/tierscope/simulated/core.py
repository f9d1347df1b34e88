"""A simulated core made from a run of `core`: the sections of a file of a simulated machine that `Pipeline` reads.

    cycle       = cycle found                                              [s]
    loads       = lines in flight from memory, of one thread               [1]
    width, reorder, store_buffer, load_buffer = those found                [1]
    integer_registers, vector_registers = windows of results, of vectors   [1]
    parallel    = page walks at the same time                              [1]
    wrong_guess = cost of a branch miss - CHECKED                          [cycles]

`run core` finds the time that a miss adds, from the moment when the number is known that determines the branch. The
simulator counts from the end of the branch. CHECKED is the difference: a cycle for the comparison, and one for the
branch.
Registers are a limit if the window of instructions that write them ends clearly before the reorder buffer that was
found: half of one, while another hardware thread works, ends all windows. A load buffer that is only `at least` does
not limit the simulated core, unless it is documented.
A parameter that is only `at least`, or not known, has the number that is documented for a whole core, if this is not
less than what was found. Other hardware threads may have used a part while the core was probed. If nothing is
documented, a bound is used unchanged, and what is not known keeps the simulator's default. The comments state this.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tierscope.suites.core.parameter import AT_LEAST, KNOWN
from tierscope.suites.core.row import CoreRow
from tierscope.suites.core.spread import PARAMETER as SPREAD

CHECKED = 2.0  # cycles
SECTIONS: Mapping[str, tuple[tuple[str, str, int, int], ...]] = {
    "cpu": (("loads", "lines in flight", 1, 1024),),
    "walk": (("parallel", "page walks", 1, 64),),
    "core": (
        ("width", "width", 1, 32),
        ("reorder", "reorder buffer", 8, 4096),
        ("store_buffer", "store buffer", 1, 1024),
        ("load_buffer", "load buffer", 1, 4096),
        ("wrong_guess", "branch miss", 0, 1000),
    ),
}
"""Section -> key, parameter, and the least and the most that the simulator takes."""
FILES = {"result": ("integer_registers", 0), "vector": ("vector_registers", 3)}
"""Filler of a window -> key of the registers that it writes, and instructions of the window that write none: a load and
the two that end the loop."""
SOONER = 0.95  # of the reorder buffer that was found: below it, registers end a window
LOADS = "load_buffer"


@dataclass(frozen=True, slots=True)
class Setting:
    """A key of a section, its value as the file has it, and where it is from.

    weakest, strongest: the values of the cores at both ends of what is known; "": that end is open.
    """

    section: str
    key: str
    value: str
    note: str
    weakest: str = ""
    strongest: str = ""
    documented: bool = False  # instead of what was found, which is less or not known


def settings(rows: Sequence[CoreRow]) -> list[Setting]:
    """Return what the rows of one target know; nothing of a parameter that they do not know."""
    cycle = next((row.seconds for row in rows if row.parameter == "cycle" and row.seconds), None)
    found = [Setting("cpu", "cycle", f'"{cycle.middle * 1e9:.4g}ns"', "found")] if cycle else []
    for section, keys in SECTIONS.items():
        for key, parameter, least, most in keys:
            row = next((row for row in rows if row.parameter == parameter and row.level in ("", "memory")), None)
            if row and (one := _setting(section, key, row, least, most)):
                found.append(one)
    return found + _files(rows)


def ends_of(rows: Sequence[CoreRow]) -> tuple[str, str]:
    """Return words with both ends of registers and of the load buffer, as they were found."""
    keys = {LOADS, *(key for key, _ in FILES.values())}
    found = [one for one in settings(rows) if one.key in keys]
    low, high = ([one.weakest for one in found], [one.strongest for one in found])
    both = ("".join(f",core.{one.key}={end}" for one, end in zip(found, ends, strict=True)) for ends in (low, high))
    return next(both), next(both)


def spread_of(rows: Sequence[CoreRow]) -> float | None:
    """Return the share of the latency of memory that varies; None where it is not known."""
    row = next((row for row in rows if row.parameter == SPREAD and row.answer == KNOWN), None)
    return row.value.middle if row and row.value else None


def _files(rows: Sequence[CoreRow]) -> list[Setting]:
    """Return the registers whose number ends a window before the reorder buffer does."""
    reorder = next((row.value for row in rows if row.parameter == "reorder buffer" and row.value), None)
    found = []
    for row in rows if reorder else ():
        if row.parameter != "window" or row.level not in FILES or row.answer != KNOWN or not row.value:
            continue
        key, others = FILES[row.level]
        if reorder and row.value.high < SOONER * reorder.low:
            low, high = (str(max(round(end) - others, 1)) for end in (row.value.low, row.value.high))
            found.append(Setting("core", key, low, "found", low, high))
    return found


def _setting(section: str, key: str, row: CoreRow, least: int, most: int) -> Setting | None:
    """Return the key as its row knows it; None where nothing is known."""

    def shown(number: float) -> str:
        return str(min(max(round(number - (CHECKED if key == "wrong_guess" else 0)), least), most))

    bound = row.value if row.answer in (KNOWN, AT_LEAST) else None
    low = shown(bound.low) if bound else ""
    if bound and row.answer == KNOWN:
        ends = (shown(bound.high), low) if key == "wrong_guess" else (low, shown(bound.high))
        return Setting(section, key, shown(_number(row)), "found", *ends)
    if row.documented and (bound is None or row.documented >= bound.high):
        whole = shown(row.documented)
        return Setting(section, key, whole, f"documented; {row.answer}: {row.why}", low, whole, documented=True)
    if bound is None or key == LOADS:
        return None
    return Setting(section, key, shown(_number(row)), f"at least: {row.why}", low)


def _number(row: CoreRow) -> float:
    """Return the number of a row. For a buffer it is the upper end of the interval: the lower one is less by the
    instruction that ends a loop.
    """
    assert row.value
    if row.whole is not None:
        return float(row.whole)
    return math.floor(row.value.high) if row.unit == "instructions" else row.value.middle


def toml_of(rows: Sequence[CoreRow]) -> str:
    """Return the sections [cpu] and [core] as text, each key with a comment; the rest of [cpu] is not of a core."""
    lines = []
    all_ = settings(rows)
    for section in dict.fromkeys(one.section for one in all_):
        lines.append(f"[{section}]")
        lines += [f"{one.key} = {one.value}  # {' '.join(one.note.split())}" for one in all_ if one.section == section]
        lines.append("")
    return "\n".join(lines)
