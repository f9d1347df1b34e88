"""Where the warm-up ends, and whether what follows is steady at all.

Warm-up by MSER-5: of the means Y of every five points, the first d are cut for which

    sum over i >= d of (Y_i - mean of Y_d...)^2 / (m - d)^2          (m means in all)

is least, d <= m / 2. The rule alone cuts noise as well. So the head is cut only if its mean differs from that of the
rest by Student's test at 5 %, divided by the m / 2 places at which a head may end (Bonferroni). The standard error of
the rest is computed about its own trend, and widened by how neighbouring means resemble each other.
A minimum at the limit that passes this test, with a difference over `tolerance`, shows that no steady part was reached.
So does a last third of the rest whose median differs from that of the first third by more than `tolerance`, if their 99
% intervals do not overlap.

Blind to swings much longer than the series, and to those that come back within it.

Sources: K. P. White, "An Effective Truncation Heuristic for Bias Reduction in Simulation Output", Simulation 69, 1997;
K. P. White, M. J. Cobb and S. C. Spratt, "A Comparison of Five Steady-State Truncation Heuristics for Simulation",
Winter Simulation Conference, 2000. Comparing the ends: J. Geweke, "Evaluating the Accuracy of Sampling-Based Approaches
to the Calculation of Posterior Moments", Bayesian Statistics 4, 1992.
"""

import math
from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats
from tierscope.stats.median import median, student
from tierscope.stats.product import product

BATCH = 5  # points in a mean: the 5 of MSER-5
FEWEST = 10 * BATCH  # the rest keeps five means or more: the fewest that give Student's test some power


@dataclass(frozen=True, slots=True)
class Steady:
    """The result of `settle`."""

    start: int  # points to cut from the front
    steady: bool
    trend: int  # +1 rising, -1 falling where not steady, else 0


def settle(series: Floats, tolerance: float = 0.02) -> Steady:
    """Return the warm-up and steadiness of a series, shape (points,). Under 50 points nothing is cut and nothing
    doubted.
    """
    if series.size < FEWEST:
        return Steady(0, True, 0)
    means = series[: series.size // BATCH * BATCH].reshape(-1, BATCH).mean(axis=1)
    limit = means.size // 2
    cut = _least(means, limit)
    if cut and not _stands_out(means, cut):
        cut = 0
    if cut == limit:
        change = float(means[limit:].mean() - means[:limit].mean())
        if abs(change) > tolerance * abs(means.mean()):
            return Steady(cut * BATCH, False, _sign(change))
        cut = 0  # sure, but too small to matter
    trend = _drift(series[cut * BATCH :], tolerance)
    return Steady(cut * BATCH, trend == 0, trend)


def _least(means: Floats, limit: int) -> int:
    """Return the d of 0 to `limit` with the least MSER."""
    rest = np.arange(means.size, 0, -1)
    centred = means - means.mean()  # keeps the difference of squares below from cancelling
    sums = np.cumsum(centred[::-1])[::-1]
    squares = np.cumsum(centred[::-1] ** 2)[::-1]
    values = ((squares - sums**2 / rest) / rest**2)[: limit + 1]
    return int(np.flatnonzero(values <= values.min() + 1e-12 * values.max())[0])  # rounding cuts nothing


def _stands_out(means: Floats, cut: int) -> bool:
    """Return whether the head differs from the rest by more than chance, given how neighbours resemble each other."""
    head, rest = means[:cut], means[cut:]
    time = np.arange(rest.size, dtype=np.float64) - (rest.size - 1) / 2
    deviations = rest - rest.mean()
    deviations = deviations - time * (product(time, deviations) / product(time, time))
    variance = product(deviations, deviations) / (rest.size - 2)
    if variance <= 0:
        return bool(head.mean() != rest.mean())
    alike = max(0.0, product(deviations[1:], deviations[:-1]) / product(deviations, deviations))
    inflation = (1 + alike) / (1 - min(alike, 0.99))
    error = math.sqrt(variance * inflation * (1 / head.size + 1 / rest.size))
    threshold = student(1 - 0.05 / 2 / (means.size // 2), rest.size - 2)
    return bool(abs(head.mean() - rest.mean()) > threshold * error)


def _drift(series: Floats, tolerance: float) -> int:
    """Return the direction in which the last third differs from the first; 0 if it does not."""
    third = series.size // 3
    return change(series[:third], series[-third:], tolerance)


def change(before: Floats, after: Floats, tolerance: float) -> int:
    """Return +1 or -1 if the median rose or fell by more than `tolerance` and the 99 % intervals do not overlap, else
    0.
    """
    if not before.size or not after.size:
        return 0
    middle = float(np.median(before))
    rise = float(np.median(after)) - middle
    if abs(rise) <= tolerance * abs(middle):  # the usual case: intervals cost 10x as much as a median
        return 0
    first, last = median(before, 0.99), median(after, 0.99)
    return _sign(rise) if first.high < last.low or last.high < first.low else 0


def _sign(value: float) -> int:
    return int(np.sign(value))
