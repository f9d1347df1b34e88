"""The memories of the contours: latency and bandwidth from those here to beyond the tiers that were asked for.

Each is one more machine that replays the same trace, so that the grid costs replay alone. Both axes are geometric: the
share of the time per factor changes slowly. Only the own core replays it; the tiers have the bounds.
"""

from collections.abc import Sequence

import numpy as np

LATENCIES, BANDWIDTHS = 6, 5
FARTHEST = 3.0  # times the latency here, at least
SMALLEST = 0.25  # of the bandwidth here, at most
BEYOND = 1.15  # times the tier that is farthest out: its point is not on the edge
MOST = 20.0  # times either: a tier of microseconds would leave nothing of the rest


def axes(tiers: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """Return the latencies and the bandwidths, over those here, rising. tiers: the same two of each, where known."""
    far = max([FARTHEST, *(BEYOND * over for over, _ in tiers)])
    near = min([1.0, *(over / BEYOND for over, _ in tiers)])
    narrow = min([SMALLEST, *(width / BEYOND for _, width in tiers)])
    wide = max([1.0, *(BEYOND * width for _, width in tiers if width > 1)])
    return (
        _geometric(max(near, 1 / MOST), min(far, MOST), LATENCIES),
        _geometric(max(narrow, 1 / MOST), min(wide, MOST), BANDWIDTHS),
    )


def _geometric(low: float, high: float, count: int) -> list[float]:
    return [float(value) for value in np.geomspace(low, high, count)]
