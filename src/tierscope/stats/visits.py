"""One number from several visits of a point, and an interval that also covers a repetition of the whole run.

Each visit prepares its memory again and gives a median m, with an interval from the scatter within that visit alone.
The visits' log(m) also differ by what changes from second to second and from mapping to mapping:

    middle    = exp(median of log(m))
    s^2       = (d0 * (drift + within) + d * s_visits^2) / (d0 + d)      d: visits - 1;  at least `within`
    half      = t(min(d0 + d, most)) * s * sqrt(c)                       in log; c: variance of a median of the visits

That is the interval of runs which stated nothing about earlier ones. Others add what changes between runs:

    slow      = (p * (s^2 - within) + e * between) / (p + e)             p: the degrees of s, at most ASSUMED
    half      = t * sqrt(s^2 * c + slow)                                 t: of both terms, after Welch and Satterthwaite

`between` and its degrees e are those of earlier runs (`stats.between_runs`). Without any, the drift from run to run is
taken to be as large as that from visit to visit: over a longer time, a machine seldom drifts less. The assumption for a
guest counts only where it is the larger one of the two: it must not hide what visits show.

If other programs may have slowed visits by exp(w), as a probe of the memory shows (`stats.background.slowed`), the
upper end rises by exp(median of (log(m) + w)) / middle: the interval contains the number without them, too.

The values drift, d0 and most are those that all points of the same kind show together (`stats.drift`); without them d0
is 0. The value `within` is the mean variance of log(m) that the visits' own intervals state. c is exact for up to nine
visits (1/2 for two, 0.449 for three: `OF_MEDIAN`), and pi / (2 visits) for more. If s_visits^2 is larger than the drift
of the others explains (1 % by chance), the point uses its own visits only: d0 is 0. One visit has the interval of
s^2 = drift + within and d0 degrees, and none where `drift` is not known.

95 % are 95 % of repetitions of the whole run on this machine in this state: the interval contains the number that many
visits would approach, and with `slow` the one that many runs would approach. Coverage in simulation without `slow`, 12
points with 2, 3 or 5 visits (tests/unit/test_stats_visits.py):

- normal drifts 96, 96, 95 %; one-sided ones 97, 96, 96 %;
- of unlike amounts from point to point 95, 95, 95 %; with heavy tails (t of 3 degrees) 97, 97, 98 %;
- one visit of a tenth of the points ten standard deviations off 98, 98, 97 %;
- half of the variance common to all visits of a tour 96, 96, 95 %, all of it 91, 95, 96 %.

Without `slow`, blind to what changes more slowly than a run lasts, and to what calibration chooses: all visits use one
loop variant.
Source: B. L. Welch, "The Generalization of Student's Problem when Several Different Population Variances are Involved",
Biometrika 34, 1947; F. E. Satterthwaite, "An Approximate Distribution of Estimates of Variance Components", Biometrics
Bulletin 2, 1946.
"""

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist, mean, median, variance

from tierscope.record.earlier import Between
from tierscope.stats.between_runs import GUEST, Once
from tierscope.stats.drift import Drift, Spread
from tierscope.stats.median import Interval
from tierscope.stats.special import student, tail_of_ratio

ASSUMED = 3.0  # degrees of freedom of the assumption that runs differ by as much as visits: as of four earlier runs
KNOWN = 1.0  # degrees of freedom of a drift, from which it replaces the missing visits of a point
ODD = 0.01  # chance below which a point drifts more than others of its kind
WIDEST = 50.0  # half of an interval, in log: beyond a factor of 10^21 nothing is known, and exp has an end
OF_MEDIAN = {1: 1.0, 2: 0.5, 3: 0.4487, 4: 0.2982, 5: 0.2868, 6: 0.2147, 7: 0.2104, 8: 0.1682, 9: 0.1661}
"""Variance of the median of this number of normal numbers of variance 1 (exact order statistics)."""


@dataclass(frozen=True, slots=True)
class Pooled:
    """interval: of all visits; degrees: of freedom.

    between_share, slow_share: shares of the squared half-width, between visits and between runs (as earlier ones show,
    or as assumed for lack of them). The rest is within visits. own: the number as this run alone shows it. drift: the
    variance of log(median) from visit to visit, without the scatter within visits.

    rise: logarithm of the factor by which the upper end is higher, since others may have slowed the visits.
    """

    interval: Interval
    between_share: float
    degrees: float
    slow_share: float
    own: Once
    drift: float
    rise: float = 0.0

    @property
    def without_others(self) -> Interval:
        """Return the interval as if others had slowed no visit."""
        return replace(self.interval, high=self.interval.high / math.exp(self.rise))

    def mapping_share(self, variance: float) -> float:
        """Return the part of `between_share` that mappings make. variance: of log(median) between two of them."""
        return self.between_share * min(variance / self.drift, 1.0) if self.drift > 0 else 0.0


def within(visit: Interval, confidence: float) -> float:
    """Return the variance of log(median) that the interval of one visit states."""
    return (visit.relative / NormalDist().inv_cdf((1 + confidence) / 2)) ** 2


def spread(visits: Sequence[Interval], confidence: float, tours: Sequence[int] = ()) -> Spread | None:
    """Return what `drift_of` needs of the visits of a point; None for one visit, or one without a positive number.

    tours: the number of the tour of each visit; () where they are not known.
    """
    if len(visits) < 2 or not all(usable(one) for one in visits):
        return None
    logs = [math.log(one.middle) for one in visits]
    middle = mean(logs)
    steps = {tour: one - middle for tour, one in zip(tours, logs, strict=True)} if tours else {}
    return Spread(variance(logs), len(logs) - 1, mean(within(one, confidence) for one in visits), steps)


def pool(
    visits: Sequence[Interval],
    drift: Drift | None,
    confidence: float,
    between: Between | None = None,
    slowed: Sequence[float] = (),
) -> Pooled | None:
    """Return the number of all visits; None where it is not known how much they drift.

    visits: the interval of each, positive; drift: of points of the same kind, None where it is not known. between: what
    earlier runs show, `Between()` where there are none; None: the interval contains changes within this run only.

    slowed: logarithms of the factors by which others may have slowed each visit; (): by none.
    """
    if not visits or not all(usable(one) for one in visits):
        return None
    own, inside = spread(visits, confidence), mean(within(one, confidence) for one in visits)
    if own is None and (drift is None or drift.degrees < KNOWN):
        return None
    total, degrees = _variance(own, drift, inside)
    factor = OF_MEDIAN.get(len(visits), math.pi / 2 / len(visits))
    logs = [math.log(one.middle) for one in visits]
    log, seen = median(logs), total * factor
    rise = median(map(operator.add, logs, slowed)) - log if slowed else 0.0
    slow, slow_degrees = _slow(max(total - inside, 0.0), degrees, between)
    if slow_degrees:
        degrees = _of_both(seen, degrees, slow, slow_degrees)
    middle, whole = math.exp(log), seen + slow
    half = math.exp(min(student(confidence, degrees) * math.sqrt(whole), WIDEST))
    interval = Interval(middle / half, middle, middle * half * math.exp(rise), sum(one.count for one in visits))
    shares = (max(total - inside, 0.0) * factor / whole, slow / whole) if whole > 0 else (0.0, 0.0)
    return Pooled(interval, shares[0], degrees, shares[1], Once(log, seen), max(total - inside, 0.0), rise)


def _slow(visits: float, degrees: float, between: Between | None) -> tuple[float, float]:
    """Return the variance between runs, and the degrees of freedom that earlier runs add to those of the visits; 0:
    they add none.

    visits: the variance between visits, which stands for that between runs until these are known.
    """
    if between is None:
        return 0.0, 0.0
    if not between.degrees or (between.kind == GUEST.kind and visits > between.variance):
        return visits, 0.0
    assumed = min(degrees, ASSUMED)
    together = assumed + between.degrees
    return (assumed * visits + between.degrees * between.variance) / together, together


def _of_both(seen: float, degrees: float, slow: float, slow_degrees: float) -> float:
    """Return the degrees of freedom of a sum of two variances."""
    whole = seen + slow
    return whole**2 / (seen**2 / degrees + slow**2 / slow_degrees) if whole > 0 else degrees


def usable(visit: Interval) -> bool:
    """Return whether a visit has a positive number with an interval."""
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
