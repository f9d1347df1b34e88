"""Whether the sharing of two CPUs is permanent, or of one moment.

A host may move the CPUs of a guest: for a second two of them may run on one core, and before and after on two. So one
moment never shows what a pair shares permanently. A class counts if LEAST moments or more show it, and no other known
moment shows another one.

Blind to a change between two moments, and to one that is as short as a moment and never met.
"""

from collections.abc import Callable, Sequence

from tierscope.suites.sharing.row import SharingRow
from tierscope.suites.sharing.verdict import UNKNOWN

LEAST = 2
"""Moments. `quick` has its first one before all points and its last one after them, so two that agree enclose them."""


def known(rows: Sequence[SharingRow], of: Callable[[SharingRow], str]) -> list[SharingRow]:
    """Return the moments at which a class is known; of: that class of a row."""
    return [row for row in rows if of(row) != UNKNOWN]


def held(rows: Sequence[SharingRow], of: Callable[[SharingRow], str]) -> str:
    """Return the class that a pair had at each moment that is known; UNKNOWN of too few, or if it changed."""
    classes = [of(row) for row in known(rows, of)]
    return classes[0] if len(classes) >= LEAST and len(set(classes)) == 1 else UNKNOWN


def pairs_of(rows: Sequence[SharingRow]) -> list[list[SharingRow]]:
    """Return the moments of each pair, in the order of time."""
    found: dict[tuple[int, int], list[SharingRow]] = {}
    for row in rows:
        found.setdefault((row.a_cpu, row.b_cpu), []).append(row)
    return list(found.values())
