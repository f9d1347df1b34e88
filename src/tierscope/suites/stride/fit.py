"""The unit in which a memory serves strided accesses, from the time of an access over the stride.

    ln t(s) = a + d * clip((x - x1) / (x2 - x1), 0, 1) + b * max(0, x - x3),   x = log2(s)

While several accesses share a unit, an access costs its share of it, and time rises with the stride, by 1/2 to 1.1
octaves each octave; from x2 on each costs a whole unit. Below x1 the processor is the limit; from x3 on rows, pages and
caches make wide strides slower still. a, d, b are by least squares for every x1 < x2 < x3 of a grid. A unit is named if
it pays the Bayesian information criterion's price of its three parameters and 6 more, strong evidence, and if two
strides are on its plateau. Its interval is that of the profile likelihood: all x2 that fit within 3.84 of the best,
with errors scaled to the best fit where that is worse.
Blind to units of a line. A prefetcher that always fetches a line's neighbour too makes a unit of both.
Source: Z. Wang et al., "Characterizing and Modeling Non-Volatile Memory Systems", MICRO 2020, for the question; D. J.
Hudson, "Fitting Segmented Curves Whose Join Points Have to Be Estimated", Journal of the American Statistical
Association 61, 1966; R. E. Kass and A. E. Raftery, "Bayes Factors", Journal of the American Statistical Association 90,
1995.
"""

import math
from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats
from tierscope.stats.tlb import round_in

FEWEST = 5  # strides
STEP = 1 / 8  # of an octave: of the grid
NOISE = 0.06  # of a time, least: the law's own error, 4 to 8 % where a crowd of requests pulls lines of a unit apart
LEAST = math.log(1.4)  # of the rise: a unit of two lines makes 2
SHALLOW, STEEP = 0.5 * math.log(2), 1.1 * math.log(2)  # of the rise per octave: a page walk or a row makes less
WITHIN = 3.84  # of chi-square with one degree of freedom: 95 %
SURE = 6.0  # of the criterion: strong evidence
SHARE = 0.9
RIDGE = 1e-9  # keeps the normal equations of a knee without points regular


@dataclass(frozen=True, slots=True)
class Unit:
    """`round`: the power of two, or three of them, within the bounds, where there is just one."""

    size_bytes: float
    low_bytes: float
    high_bytes: float
    round: int | None


@dataclass(frozen=True, slots=True)
class _Fits:
    """Arrays of shape (knees,): those of one x3, or of none."""

    misfit: Floats  # chi-square
    x2: Floats  # 0: without a unit
    parameters: int

    def cost(self, points: int) -> float:
        return float(np.min(self.misfit, initial=math.inf)) + self.parameters * math.log(points)


def unit(stride_bytes: Floats, time_s: Floats, sigma: Floats) -> Unit | None:
    """Return the unit; None where no unit shows, or no plateau is reached.

    Arrays have shape (strides,); sigma is relative to time.
    """
    order = np.argsort(stride_bytes)
    x, y = np.log2(stride_bytes[order].astype(np.float64)), np.log(time_s[order])
    if x.size < FEWEST:
        return None
    weight = 1 / np.maximum(sigma[order], NOISE)
    knots = np.arange(x[0], x[-1] + STEP / 2, STEP)
    late = [None, *(float(one) for one in x[1:-1])]
    fits = [_with(x, y, weight, knots, x3) for x3 in late]
    best = min(fits, key=lambda fit: fit.cost(x.size))
    plain = min(_fit(x, y, weight, [], x3).cost(x.size) for x3 in late)
    if best.cost(x.size) + SURE >= plain:
        return None
    return _interval(best, fits, x)


def _with(x: Floats, y: Floats, weight: Floats, knots: Floats, x3: float | None) -> _Fits:
    """Return the fits of every x1 < x2, x2 an octave before x3 or more; misfit is inf if no unit makes the rise."""
    first, second = np.triu_indices(knots.size, 1)
    fitting = knots[second] <= (math.inf if x3 is None else x3 - 1)
    x1, x2 = knots[first[fitting]], knots[second[fitting]]
    ramp = np.clip((x - x1[:, None]) / (x2 - x1)[:, None], 0, 1)
    found = _fit(x, y, weight, [ramp], x3, x2 - x1)
    return _Fits(found.misfit, x2, found.parameters)


def _fit(
    x: Floats, y: Floats, weight: Floats, ramps: list[Floats], x3: float | None, octaves: Floats | None = None
) -> _Fits:
    """Return least squares of all knees together. ramps: none, or one of shape (knees, strides)."""
    knees = ramps[0].shape[0] if ramps else 1
    columns = [np.ones((knees, x.size)), *ramps]
    if x3 is not None:
        columns.append(np.broadcast_to(np.maximum(0, x - x3), (knees, x.size)))
    basis = np.stack(columns, axis=2) * weight[:, None]
    normal = np.einsum("kni,knj->kij", basis, basis) + RIDGE * np.eye(len(columns))
    found = np.linalg.solve(normal, np.einsum("kni,n->ki", basis, y * weight)[..., None])[..., 0]
    misfit = np.sum((np.einsum("kni,ki->kn", basis, found) - y * weight) ** 2, axis=1)
    if x3 is not None:
        misfit[found[:, -1] < 0] = math.inf
    if octaves is not None:
        slope = found[:, 1] / octaves
        misfit[(found[:, 1] < LEAST) | (slope < SHALLOW) | (slope > STEEP)] = math.inf
    return _Fits(misfit, np.zeros(knees), len(columns) + 2 * len(ramps) + (x3 is not None))


def _interval(best: _Fits, fits: list[_Fits], x: Floats) -> Unit | None:
    """Return the unit, by fits with no more parameters than the best; None if its plateau has only the last stride."""
    at = int(np.argmin(best.misfit))
    if best.x2[at] > x[-2] + STEP / 2:
        return None
    scale = max(1.0, best.misfit[at] / max(1, x.size - best.parameters))
    most = best.misfit[at] + WITHIN * scale
    near = np.concatenate([fit.x2[fit.misfit < most] for fit in fits if fit.parameters <= best.parameters])
    low, high = 2 ** (float(near.min()) - STEP / 2), 2 ** (float(near.max()) + STEP / 2)
    return Unit(float(2 ** best.x2[at]), low, high, round_in(low, high))


def enough(access_bytes: Floats, bandwidth: Floats, best: float) -> tuple[float, float] | None:
    """Return (largest access size below SHARE of `best`, or 0; the next one, from which on all reach it), or None."""
    order = np.argsort(access_bytes)
    short = np.flatnonzero(bandwidth[order] < SHARE * best)
    if short.size == 0:
        return 0.0, float(access_bytes[order[0]])
    last = int(short[-1])
    if last + 1 == order.size:
        return None
    return float(access_bytes[order[last]]), float(access_bytes[order[last + 1]])
