"""Whether a group is really two kinds of machines: a valley between two peaks of its scores.

Between two points of a density with one peak it is nowhere lower than at the lower of the two. So a window that has
significantly fewer machines than equal windows on both of its sides shows two peaks. It is a binomial test at
0.1 %, at the best of 60 cuts. Heavy tails do not raise it: they fall without rising again.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr

from tierscope.arrays import Floats, Truths

CUTS, CHANCE, LEAST = 60, 0.001, 6  # cuts tried, allowed chance at each, machines in the smaller peak
WINDOW = 0.2  # of the distance of the two peaks


@dataclass(frozen=True)
class Modes:
    """Two kinds: `slow` marks the machines below the valley; `apart` is the distance of the medians, in logarithms."""

    slow: Truths
    apart: float


def two_modes(scores: Floats) -> Modes | None:
    """Return the two modes of a group's scores, (machines,), without NaN; None if one mode explains them."""
    ordered = np.sort(scores)
    if len(ordered) < 3 * LEAST or ordered[0] == ordered[-1]:
        return None
    cuts = ordered[np.unique(np.linspace(LEAST, len(ordered) - LEAST, CUTS).astype(int))]
    best = min(((_chance(ordered, float(cut)), float(cut)) for cut in cuts), default=(1.0, 0.0))
    if best[0] > CHANCE:
        return None
    slow = scores < _valley(ordered, best[1])
    return Modes(slow, float(np.median(scores[~slow]) - np.median(scores[slow])))


def _chance(ordered: Floats, cut: float) -> float:
    """Return the chance of so deep a valley at a cut, if there were none."""
    low, high = float(np.median(ordered[ordered < cut])), float(np.median(ordered[ordered >= cut]))
    half = (high - low) * WINDOW / 2
    if half <= 0:
        return 1.0
    centre = (low + high) / 2
    inside, below, above = (_count(ordered, place, half) for place in (centre, low, high))
    peak = min(below, above)
    return float(bdtr(inside, inside + peak, 0.5)) if peak > inside else 1.0


def _valley(ordered: Floats, cut: float) -> float:
    low, high = np.median(ordered[ordered < cut]), np.median(ordered[ordered >= cut])
    return float((low + high) / 2)


def _count(ordered: Floats, place: float, half: float) -> int:
    return int(np.searchsorted(ordered, place + half, "right") - np.searchsorted(ordered, place - half, "left"))
