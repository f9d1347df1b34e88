"""A simulated core made from a run of `core`: the sections of a file of a simulated machine that `Pipeline` reads.

    cycle       = cycle found                                              [s]
    loads       = lines in flight from memory, of one thread               [1]
    width, reorder, store_buffer = those found                             [1]
    wrong_guess = cost of a branch miss - CHECKED                          [cycles]

`run core` finds the time that a miss adds, from the moment when the number is known that determines the branch. The
simulator counts from the end of the branch. CHECKED is the difference: a cycle for the comparison, and one for the
branch.
A bound that is only `at least` is used unchanged, and its strongest core has what is documented. A parameter that is
not known keeps the simulator's default. The comments state both.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tierscope.suites.core.parameter import AT_LEAST, KNOWN
from tierscope.suites.core.row import CoreRow

CHECKED = 2.0  # cycles
SECTIONS: Mapping[str, tuple[tuple[str, str, int, int], ...]] = {
    "cpu": (("loads", "lines in flight", 1, 1024),),
    "core": (
        ("width", "width", 1, 32),
        ("reorder", "reorder buffer", 8, 4096),
        ("store_buffer", "store buffer", 1, 1024),
        ("wrong_guess", "branch miss", 0, 1000),
    ),
}
"""Section -> key, parameter, and the least and the most that the simulator takes."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A key of a section, its value as the file has it, and where it is from.

    weakest, strongest: the values of the cores at both ends of what was found; "": that end is open.
    """

    section: str
    key: str
    value: str
    note: str
    weakest: str = ""
    strongest: str = ""


def settings(rows: Sequence[CoreRow]) -> list[Setting]:
    """Return what the rows of one target know; nothing of a parameter that they do not know."""
    cycle = next((row.seconds for row in rows if row.parameter == "cycle" and row.seconds), None)
    found = [Setting("cpu", "cycle", f'"{cycle.middle * 1e9:.4g}ns"', "found")] if cycle else []
    for section, keys in SECTIONS.items():
        for key, parameter, least, most in keys:
            row = _row(rows, parameter)
            if row and row.value:
                less = CHECKED if key == "wrong_guess" else 0
                value, low, high = (
                    str(min(max(round(number - less), least), most))
                    for number in (_number(row), row.value.low, row.value.high)
                )
                if row.answer == KNOWN:
                    ends = (high, low) if key == "wrong_guess" else (low, high)
                    found.append(Setting(section, key, value, "found", *ends))
                else:
                    more = row.documented or 0
                    strongest = str(min(more, most)) if more >= row.value.high else ""
                    found.append(Setting(section, key, value, f"at least: {row.why}", low, strongest))
    return found


def _row(rows: Sequence[CoreRow], parameter: str) -> CoreRow | None:
    known = [row for row in rows if row.parameter == parameter and row.answer in (KNOWN, AT_LEAST)]
    return next((row for row in known if row.level in ("", "memory")), None)


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
        lines += [f"{one.key} = {one.value}  # {one.note}" for one in all_ if one.section == section]
        lines.append("")
    return "\n".join(lines)
