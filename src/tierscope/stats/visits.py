"""One number from several visits of a point, and an interval that also covers a repetition of the whole run.

Each visit prepares its memory again and gives a median m, with an interval from the scatter within that visit alone.
The visits' log(m) also differ by what changes from second to second and from mapping to mapping:

    middle    = exp(median of log(m))
    s^2       = (d0 * (drift + within) + d * s_visits^2) / (d0 + d)      d: visits - 1;  at least `within`
    half      = t(min(d0 + d, most)) * s * sqrt(c)                       in log; c: variance of a median of the visits

The values drift, d0 and most are those that all points of the same kind show together (`stats.drift`); without them d0
is 0. The value `within` is the mean variance of log(m) that the visits' own intervals state. c is exact for up to nine
visits (1/2 for two, 0.449 for three: `OF_MEDIAN`), and pi / (2 visits) for more. If s_visits^2 is larger than the drift
of the others explains (1 % by chance), the point uses its own visits only: d0 is 0. One visit has the interval of
s^2 = drift + within and d0 degrees, and none where `drift` is not known.

95 % are 95 % of repetitions of the whole run on this machine in this state: the interval contains the number that many
visits would approach. Coverage in simulation, 12 points with 2, 3 or 5 visits (tests/unit/test_stats_visits.py):

- normal drifts 96, 96, 95 %; one-sided ones 97, 96, 96 %;
- of unlike amounts from point to point 95, 95, 95 %; with heavy tails (t of 3 degrees) 97, 97, 98 %;
- one visit of a tenth of the points ten standard deviations off 98, 98, 97 %;
- half of the variance common to all visits of a tour 96, 96, 95 %, all of it 91, 95, 96 %.

Blind to what changes more slowly than a run lasts, and to what calibration chooses: all visits use one loop variant.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, mean, median, variance

from tierscope.stats.drift import Drift, Spread
from tierscope.stats.median import Interval
from tierscope.stats.special import student, tail_of_ratio

KNOWN = 1.0  # degrees of freedom of a drift, from which it replaces the missing visits of a point
ODD = 0.01  # chance below which a point drifts more than others of its kind
WIDEST = 50.0  # half of an interval, in log: beyond a factor of 10^21 nothing is known, and exp has an end
OF_MEDIAN = {1: 1.0, 2: 0.5, 3: 0.4487, 4: 0.2982, 5: 0.2868, 6: 0.2147, 7: 0.2104, 8: 0.1682, 9: 0.1661}
"""Variance of the median of this number of normal numbers of variance 1 (exact order statistics)."""


@dataclass(frozen=True, slots=True)
class Pooled:
    """interval: of all visits; between_share: of the squared half-width, what is not within; degrees: of freedom."""

    interval: Interval
    between_share: float
    degrees: float


def within(visit: Interval, confidence: float) -> float:
    """Return the variance of log(median) that the interval of one visit states."""
    return (visit.relative / NormalDist().inv_cdf((1 + confidence) / 2)) ** 2


def spread(visits: Sequence[Interval], confidence: float, tours: Sequence[int] = ()) -> Spread | None:
    """Return what `drift_of` needs of the visits of a point; None for one visit, or one without a positive number.

    tours: the number of the tour of each visit; () where they are not known.
    """
    if len(visits) < 2 or not all(_usable(one) for one in visits):
        return None
    logs = [math.log(one.middle) for one in visits]
    middle = mean(logs)
    steps = {tour: one - middle for tour, one in zip(tours, logs, strict=True)} if tours else {}
    return Spread(variance(logs), len(logs) - 1, mean(within(one, confidence) for one in visits), steps)


def pool(visits: Sequence[Interval], drift: Drift | None, confidence: float) -> Pooled | None:
    """Return the number of all visits; None where it is not known how much they drift.

    visits: the interval of each, positive; drift: of points of the same kind, None where it is not known.
    """
    if not visits or not all(_usable(one) for one in visits):
        return None
    own, inside = spread(visits, confidence), mean(within(one, confidence) for one in visits)
    if own is None and (drift is None or drift.degrees < KNOWN):
        return None
    total, degrees = _variance(own, drift, inside)
    factor = OF_MEDIAN.get(len(visits), math.pi / 2 / len(visits))
    middle = math.exp(median(math.log(one.middle) for one in visits))
    half = math.exp(min(student(confidence, degrees) * math.sqrt(total * factor), WIDEST))
    interval = Interval(middle / half, middle, middle * half, sum(one.count for one in visits))
    return Pooled(interval, 1 - inside / total if total > 0 else 0.0, degrees)


def _usable(visit: Interval) -> bool:
    return visit.count > 0 and visit.middle > 0 and math.isfinite(visit.relative)


def _variance(own: Spread | None, drift: Drift | None, inside: float) -> tuple[float, float]:
    """Return the variance of one visit's log(median), and its degrees of freedom."""
    if own is None:
        assert drift is not None
        return drift.variance + inside, drift.degrees
    if drift is None:
        return max(own.variance, inside), own.degrees
    expected = drift.variance + inside
    if expected > 0 and tail_of_ratio(own.variance / expected, own.degrees, drift.degrees) < ODD:
        return own.variance, own.degrees
    degrees = drift.degrees + own.degrees
    total = (drift.degrees * expected + own.degrees * own.variance) / degrees
    return max(total, inside), max(min(degrees, drift.most), own.degrees)
