"""By how much a machine drifts between two visits of a point, found from all points of one kind together.

A point of two or three visits shows little about its own drift: one or two degrees of freedom. Points of one kind, such
as all bandwidths of one team in memory, drift alike but not equally. So the variance of a point's visits is modelled as

    s^2 ~ (drift + within) * F(visits - 1, degrees)

drift: variance of log(median) between visits beyond what the scatter within them explains; within: that scatter, known
for each point. Both unknowns, `drift` and `degrees`, follow from the mean and the spread of log(s^2 / (drift + within))
over the points. Many degrees mean that the points are alike. Few degrees mean that each point is best described by its
own visits.

Visits of one tour follow each other within seconds, so that a slow moment affects them all. Such points repeat each
other: n of them, whose visits have the correlation r, have for their common variance

    most = d * n / (1 + (n - 1) * r^2)        d: degrees of one point

degrees of freedom, and no interval that rests on them has more. Where all points rise and fall together, that is d.
Blind to a kind that has two sorts of points: it then finds few degrees, and intervals are wide.
Source: G. K. Smyth, "Linear Models and Empirical Bayes Methods for Assessing Differential Expression in Microarray
Experiments", Statistical Applications in Genetics and Molecular Biology 3, 2004 (section 6.2).
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tierscope.stats.special import digamma, inverse_trigamma, trigamma

FEWEST = 4  # points of two visits or more: fewer do not show how different points are
FINEST = 1e-10  # variance of log(median), 0.001 %: smaller ones, as of equal numbers, have no logarithm to compare
UNSEEN = 0.15  # r^2 of two visits at least: if two tours agree by chance, what all points have in common does not show
STEPS = 40  # of a bisection over drifts from 1e-12 to 1e4


@dataclass(frozen=True, slots=True)
class Drift:
    """variance: of log(median) from visit to visit, beyond the scatter within visits; degrees: of freedom.

    most: degrees that an interval may have which rests on these points and its own.
    """

    variance: float
    degrees: float
    most: float = math.inf


@dataclass(frozen=True, slots=True)
class Spread:
    """The visits of one point: the variance of their log(median), its degrees, and the variance within a visit.

    steps: log(median) of each visit by its tour, less their mean; empty where the tours are not known.
    """

    variance: float
    degrees: int
    within: float
    steps: Mapping[int, float] = field(default_factory=dict)


def drift_of(points: Sequence[Spread]) -> Drift | None:
    """Return the drift that points of one kind show together; None where they are too few."""
    if len(points) < FEWEST:
        return None
    low, high, most = math.log(1e-12), math.log(1e4), most_of(points)
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if _beyond(points, math.exp(middle), most) > 0 else (low, middle)
    variance = math.exp(low)
    return Drift(variance, _degrees(points, _logs(points, variance), most), most)


def most_of(points: Sequence[Spread]) -> float:
    """Return the degrees of freedom that all points have together, whether they rise and fall with each
    other or not.
    """
    every, count, longest = sum(one.degrees for one in points), len(points), max(one.degrees for one in points)
    common = max(alike(points) ** 2, UNSEEN if longest == 1 else 0.0)
    return max(every / (1 + (count - 1) * common), longest)


def alike(points: Sequence[Spread]) -> float:
    """Return the mean correlation of the visits of two points over the tours, 0 to 1."""
    tours: dict[int, list[float]] = defaultdict(list)
    for one in points:
        scale = math.sqrt(sum(step**2 for step in one.steps.values()))
        for tour, step in one.steps.items() if scale > 0 else ():
            tours[tour].append(step / scale)
    squares = {tour: sum(step**2 for step in steps) for tour, steps in tours.items()}
    together = sum(sum(steps) ** 2 - squares[tour] for tour, steps in tours.items())
    possible = sum((len(steps) - 1) * squares[tour] for tour, steps in tours.items())
    return min(max(together / possible, 0.0), 1.0) if possible > 0 else 0.0


def _logs(points: Sequence[Spread], drift: float) -> list[float]:
    """Return log(s^2 / expected) of each point, less the effect of its own few degrees on the mean logarithm."""
    return [
        math.log(max(one.variance, FINEST) / max(drift + one.within, FINEST))
        - digamma(one.degrees / 2)
        + math.log(one.degrees / 2)
        for one in points
    ]


def _degrees(points: Sequence[Spread], logs: Sequence[float], most: float) -> float:
    """Return by how much the logarithms differ beyond what the degrees of each point explain."""
    middle = sum(logs) / len(logs)
    spread = sum((one - middle) ** 2 for one in logs) / (len(logs) - 1)
    rest = spread - sum(trigamma(one.degrees / 2) for one in points) / len(points)
    return min(most, 2 * inverse_trigamma(rest)) if rest > 0 else most


def _beyond(points: Sequence[Spread], drift: float, most: float) -> float:
    """Return how much larger the visits' variances are than expected with this drift; falls as it rises."""
    logs = _logs(points, drift)
    degrees = _degrees(points, logs, most)
    return sum(logs) / len(logs) + digamma(degrees / 2) - math.log(degrees / 2)
