"""The effect of close buffers on the latency of a fit in which each buffer sees all visits.

A buffer behind another one sees only the visits that miss there. These are fewer for each of its units. If the
capacities are close, it therefore keeps a unit for longer, and looks larger. With p the share of visits that miss the
buffers before, m lines of a unit, U units in a region and N entries,

    misses = p * (1/(p m) + (1 - 1/(p m)) * (1 - hits(p m, N/U)))

This takes any visits away. In fact those that come soon after another one are missing, which a buffer misses least. So
only a SHARE of the difference is expected, and an error as large as half of it. On pairs of all kinds with capacities
that differ by a factor of 2 and 3, the larger one was then off by 6.1 % at most, with the kinds known. Without this, it
was off by up to 15 %. These pairs had half for random replacement, too.
"""

import numpy as np

from tierscope.arrays import Floats
from tierscope.stats.buffers_search import Fit, Search

SHARE, RANDOM_SHARE, ERROR = 0.5, 0.75, 0.5  # of the difference


def taken(search: Search, fit: Fit) -> tuple[Floats, Floats]:
    """Return the seconds by which each latency of a fit is too long, and their error, of shape (points,)."""
    seen, less, error = np.ones(search.points), np.zeros(search.points), np.zeros(search.points)
    piece = 0
    for place, step in zip(fit.places, fit.times_s[1:-1], strict=True):
        model = search.models[place.unit_bytes]
        alone, piece = model.misses(place.capacity_bytes, place.kind, piece), place.unit_bytes
        seen = model.behind(seen, place.capacity_bytes, place.kind)
        less += step * (alone - seen) * (RANDOM_SHARE if place.kind == "random" else SHARE)
        error += step * np.abs(alone - seen) * ERROR
    return less, error
