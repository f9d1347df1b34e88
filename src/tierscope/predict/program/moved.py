"""A kept staircase compared with now: its nearest cache, its last one, and its memory may have changed since.

Others use the memory and the last cache of a virtual machine, and the clock of a core depends on settings. So three
footprints are visited once more, in some four seconds, before a kept run serves:

    nearest    the smallest footprint
    last       the one whose time is nearest to the latency of the last cache, before memory begins
    memory     the smallest one that is BEYOND times the begin of memory, or the largest one

One has moved if its time is more than APART beyond the kept interval, and still is when all have been visited: a visit
may meet a moment of another program. The latency of the memory counts directly in a prediction, so that less is much
there. A visit that is not steady, or has too few undisturbed blocks, decides nothing. If the nearest one moved, the
clock did, and nothing that was measured with it serves.
Blind to: a change between these three, of the bandwidth, and of the time for which a shared cache keeps a line.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tierscope.errors import UsageError
from tierscope.record.result import Run
from tierscope.simulated.measured import measured
from tierscope.stats.median import Interval
from tierscope.suites.latency.levels import latency_levels
from tierscope.suites.latency.row import LatencyRow
from tierscope.suites.latency.table import Latency
from tierscope.units import show_seconds

BEYOND = 2.0
NEAREST, LAST, MEMORY = "nearest cache", "last cache", "memory"
APART = {NEAREST: 1.10, LAST: 1.10, MEMORY: 1.03}  # factors
Again = Callable[[LatencyRow], Interval | None]
"""Visits the footprint of a row again. None: the visit shows nothing."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A place whose latency is not what a kept run shows; place "": no visit showed anything. now: seconds."""

    place: str
    before: Interval | None = None
    now: float = 0.0

    def __str__(self) -> str:
        if self.before is None:
            return "whether the caches and the memory are as in the kept run was not found out: no visit was steady"
        times = f"{show_seconds(self.before.middle)} in the kept run and {show_seconds(self.now)} now"
        return f"a load from the {self.place} takes {times}"


def moved(run: Run, again: Again) -> Moved | None:
    """Return the first place whose time moved; None where the run still serves."""
    visits = [(place, row, again(row)) for place, row in _places(run)]
    if visits and not any(now for *_, now in visits):
        return Moved("")
    for place, row, now in visits:
        before = row.latency
        if before is None or not _is_beyond(now, before, place):
            continue
        if (later := again(row)) and _is_beyond(later, before, place):
            return Moved(place, before, later.middle)
    return None


def _places(run: Run) -> Iterator[tuple[str, LatencyRow]]:
    """Yield three rows of the staircase that serves; fewer where it has no last cache with points."""
    try:
        known = measured([run])
    except UsageError:
        return
    found = max(latency_levels(Latency().rows(run)).values(), key=lambda one: len(one.rows))
    yield NEAREST, found.rows[0]
    last_s = known.shapes[-1].latency_s
    within = [
        (abs(math.log(time.middle / last_s)), row)
        for row, time in zip(found.rows[1:], found.times[1:], strict=True)
        if row.footprint_bytes < known.memory_from_bytes
    ]
    if within:
        yield LAST, min(within, key=lambda one: one[0])[1]
    beyond = (row for row in found.rows if row.footprint_bytes >= BEYOND * known.memory_from_bytes)
    yield MEMORY, next(beyond, found.rows[-1])


def _is_beyond(now: Interval | None, before: Interval, place: str) -> bool:
    return now is not None and not before.low / APART[place] <= now.middle <= before.high * APART[place]
