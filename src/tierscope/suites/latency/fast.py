"""Fast passes: blocks of lines that are in flight at the same time, around the last cache.

A chase takes long for a footprint: 12 MiB of dependent loads take 25 ms from memory. Where others use the last cache as
well, they replace lines that this thread has not used for some milliseconds. Then the staircase ends at the footprint
whose pass takes this time, however large the cache is. A pass by blocks takes a fraction of that time, so that its
staircase ends later (`suites.latency.kept`).

They are measured only where the staircase ends before the cache that the system reports.
Source: Z. Wang et al., "Characterizing and Modeling Non-Volatile Memory Systems", MICRO 2020 (blocks of a pointer
chase).
"""

from collections.abc import Mapping

import numpy as np

from tierscope.stats.levels import staircase
from tierscope.stats.memory_plateau import TWICE, memory_plateau
from tierscope.units import MiB

LINES = 16  # of a block: about as many as a core has in flight
BELOW, ABOVE = 1, 5  # octaves around the end of the staircase
BEYOND = 2  # octaves beyond the cache that the system reports
PER_OCTAVE = 2
SMALLER = 1.5  # times the cache that the staircase shows: a reported one above that is not all there


def last_cache(points: Mapping[int, float], reported_bytes: int) -> float | None:
    """Return the bytes at which the staircase leaves its last cache; None where it does not reach memory.

    points: seconds of an access by footprint. reported_bytes: of the largest data cache; 0: not known.
    """
    sizes = np.array(sorted(points), dtype=np.float64)
    times = np.array([points[int(size)] for size in sizes])
    found = staircase(sizes, times)
    if plateau := memory_plateau(found, sizes, times, reported_bytes):
        return plateau.levels[-1].capacity_bytes if plateau.levels else None
    *before, last = found.levels or (None,)
    cache = before[-1] if before else None
    return cache.capacity_bytes if cache and last and last.latency_s > TWICE * cache.latency_s else None


def footprints(points: Mapping[int, float], reported_bytes: int, smaller: float = SMALLER) -> list[int]:
    """Return the footprints of fast passes, the largest first; none where they would show nothing new.

    smaller: times the cache that the staircase shows, from which on a reported one is not all there.
    """
    cache = last_cache(points, reported_bytes) if points else None
    if not cache or 0 < reported_bytes < smaller * cache:
        return []
    above = min(ABOVE, np.log2(reported_bytes / cache) + BEYOND) if reported_bytes else ABOVE
    steps = np.arange(-BELOW * PER_OCTAVE, round(above * PER_OCTAVE) + 1) / PER_OCTAVE
    sizes = {int(cache * 2**step) // MiB * MiB for step in steps}
    return sorted((size for size in sizes if MiB <= size <= max(points)), reverse=True)
