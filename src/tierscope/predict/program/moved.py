"""A kept staircase compared with now: its nearest cache, its last one, and its memory may have changed since.

Others use the memory and the last cache of a virtual machine, and the clock of a core depends on settings. So three
footprints are measured again, in a second or two, before a kept run serves:

    nearest    the smallest footprint
    last       the largest one that the last cache contains by half
    memory     the largest one

One has moved if its time differs by more than APART, and both intervals do not meet. A point that is inconclusive now
decides nothing. If the nearest one moved, the clock did, and nothing that was measured with it serves.
Blind to: a change between these three.
"""

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

APART = 1.10  # factor
NEAREST, LAST, MEMORY = "nearest cache", "last cache", "memory"
Again = Callable[[LatencyRow], Interval | None]
"""Measures the footprint of a row again. None: it is not conclusive."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A place whose latency is not what a kept run shows."""

    place: str
    before: Interval
    now: Interval

    def __str__(self) -> str:
        times = f"{show_seconds(self.before.middle)} in the kept run and {show_seconds(self.now.middle)} now"
        return f"a load from the {self.place} takes {times}"


def moved(run: Run, again: Again) -> Moved | None:
    """Return the first place whose time moved; None where the run still serves."""
    for place, row in _places(run):
        now = again(row)
        if now is not None and row.latency is not None and _differ(row.latency, now):
            return Moved(place, row.latency, now)
    return None


def _places(run: Run) -> Iterator[tuple[str, LatencyRow]]:
    """Yield three rows of the staircase that serves; fewer where it has no last cache with points."""
    try:
        last = measured([run]).shapes[-1].size_bytes
    except UsageError:
        return
    found = max(latency_levels(Latency().rows(run)).values(), key=lambda one: len(one.rows))
    yield NEAREST, found.rows[0]
    within = [row for row in found.rows[1:] if row.footprint_bytes <= last / 2]
    if within:
        yield LAST, within[-1]
    yield MEMORY, found.rows[-1]


def _differ(one: Interval, other: Interval) -> bool:
    low, high = sorted((one, other), key=lambda time: time.middle)
    return high.middle > APART * low.middle and high.low > low.high
