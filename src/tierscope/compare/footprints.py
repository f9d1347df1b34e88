"""Points of equal keys whose footprints differ: what their ratio may still show.

A footprint that Tierscope chooses varies between runs by less than a doubling, with the free memory and the cache that
it finds; a ratio of such footprints keeps its verdict, and a note names them. Else a footprint of 4x the largest cache
or more is in memory, whatever its size. Below it, part of the smaller one may be in a cache that the larger one
exceeds, and a ratio of the two then compares caches with memory.
Source: J. D. McCalpin, "STREAM: Sustainable Memory Bandwidth in High Performance Computers", run rules (each array at
least 4x the sum of the last-level caches).
Blind to caches that the system does not report.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tierscope.record.experiment import real
from tierscope.record.glance import Seen
from tierscope.units import show_bytes

FAR = 4
DOUBLE = 2
BEFORE, AFTER = "before_footprint_bytes", "after_footprint_bytes"


def footprint_of(row: Mapping[str, Any]) -> float | None:
    """Return the bytes that a row of a table walked over; None where it has no footprint."""
    return real(row.get("footprint_bytes"))


def comparable(sizes: Iterable[float | None], runs: Sequence[Seen]) -> bool:
    """Return whether footprints are within a doubling or unknown, or all far beyond the largest reported cache."""
    known = {size for size in sizes if size is not None}
    if not known or max(known) < DOUBLE * min(known) or len(known) < 2:
        return True
    caches = [run.result.machine.last_level_cache_bytes() for run in runs]
    return 0 not in caches and min(known) >= FAR * max(caches)


def note(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a sentence on the points whose two sides walked over other sizes; "" where none did or none is known."""
    sizes = [(row.get(BEFORE), row.get(AFTER)) for row in rows]
    apart = [(old, new) for old, new in sizes if old is not None and new is not None and old != new]
    if not apart:
        return ""
    old, new = apart[0]
    told = f"{show_bytes(old)} before and {show_bytes(new)} after"
    points = f"{len(apart)} of {len(rows)} points"
    return f"Note: the footprints of {points} differ, as {told}: the smaller one may be in a cache."
