"""How strongly two columns rise together: Pearson's r of values, Spearman's of ranks, with 95 % intervals.

    z = artanh(r),   z -+ 1.96 * se
    se = 1 / sqrt(n - 3)                   linear
    se = sqrt((1 + r^2 / 2) / (n - 3))     rank

Ranks that agree completely would have an interval of zero width. They are known no better than to half of the step to
the next possible value, 12 / (n (n^2 - 1)) below 1: their bounds are those of the middle of that step.

Points are treated as independent draws from one population. The points of a sweep were chosen, so the interval shows
how well this sweep determines the number, not how another sweep would differ.
Blind to what is neither straight (linear) nor monotone (rank), and to causes.
Source: R. A. Fisher, "On the Probable Error of a Coefficient of Correlation Deduced from a Small Sample", Metron 1,
1921; D. G. Bonett and T. A. Wright, "Sample Size Requirements for Estimating Pearson, Kendall and Spearman
Correlations", Psychometrika 65, 2000.
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from tierscope.arrays import Floats
from tierscope.stats.median import SIGMAS_95

FEWEST = 5  # points: with four the interval is nearly all of -1 to 1
EXACT = 1 - 1e-12  # beyond it, artanh is only rounding error


@dataclass(frozen=True, slots=True)
class Correlation:
    """A coefficient from -1 to 1, with the bounds of its interval."""

    low: float
    middle: float
    high: float

    @classmethod
    def linear(cls, x: Floats, y: Floats) -> Self | None:
        """Return the correlation of values, shape (points,); None under FEWEST points or if one column is constant."""
        r = _pearson(x, y)
        return None if r is None else cls._of(r, 1 / math.sqrt(x.size - 3))

    @classmethod
    def rank(cls, x: Floats, y: Floats) -> Self | None:
        """Return the correlation of ranks, where equal values share a rank; otherwise as `linear`."""
        r = _pearson(_ranks(x), _ranks(y))
        if r is None:
            return None
        most = 1 - 6 / (x.size * (x.size**2 - 1))
        return cls._of(r, math.sqrt((1 + r * r / 2) / (x.size - 3)), most)

    @classmethod
    def _of(cls, r: float, error: float, most: float = EXACT) -> Self:
        """Return the coefficient with bounds, for which |r| is limited to `most`."""
        z = math.atanh(max(-most, min(most, r)))
        low, high = math.tanh(z - SIGMAS_95 * error), math.tanh(z + SIGMAS_95 * error)
        return cls(min(low, r), r, max(high, r))


def _pearson(x: Floats, y: Floats) -> float | None:
    if x.size < FEWEST or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    a, b = x - x.mean(), y - y.mean()
    return float(a @ b / math.sqrt(float(a @ a) * float(b @ b)))


def _ranks(x: Floats) -> Floats:
    """Return mean ranks."""
    _, place, counts = np.unique(x, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[place], dtype=np.float64)
