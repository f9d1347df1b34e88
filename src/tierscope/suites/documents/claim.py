"""A claim of a document as data: the number that decides it, and where that number must be.

A claim is about one number at one or more points, such as the time of clflush over that of clwb at five sizes. It is
true where the whole interval of every point is within the bounds. It is false where the whole interval of a point is
outside of them. With several points, one would be outside by chance, so Bonferroni's rule widens each interval before
it may contradict. In all other cases the verdict is unknown, for one of these reasons: no point, an inconclusive point,
or an interval on both sides of a bound.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from tierscope.stats.median import Interval
from tierscope.suites.documents.found import Found, Seen

YES, NO, UNKNOWN = "yes", "no", "not known"
ERROR = 0.05  # the error rate of an interval


@dataclass(frozen=True)
class Claim:
    """`says`: one plain sentence. `number`: the bounded number, in words. `needs`: why there may be no point.

    published: the same number from the document's tables, for each point. It is () where there is none.
    contradicted: how the document's own numbers contradict its sentence. It is "" where they do not.
    doubt: why a published number is not credible; "" where nothing is known against it.
    """

    name: str
    says: str
    number: str
    seen: Callable[[Found], Sequence[Seen]]
    needs: str
    published: Callable[[], Sequence[float]] = tuple
    low: float = -math.inf
    high: float = math.inf
    contradicted: str = ""
    doubt: str = ""

    @property
    def rule(self) -> str:
        """Return the bounds as text: 'above 1', 'from 0.95 to 1.05'."""
        if math.isinf(self.low):
            return f"below {self.high:g}"
        return f"above {self.low:g}" if math.isinf(self.high) else f"from {self.low:g} to {self.high:g}"

    def holds(self, value: Interval) -> bool:
        """Return whether a whole interval is within the bounds."""
        return self.low < value.low and value.high < self.high

    def fails(self, value: Interval) -> bool:
        """Return whether a whole interval is outside of the bounds."""
        return value.high <= self.low or value.low >= self.high


@dataclass(frozen=True)
class Verdict:
    """The verdict of a run on a claim. why: what decides it, or why nothing does."""

    claim: Claim
    verdict: str
    why: str
    points: tuple[Seen, ...]

    @property
    def value(self) -> Interval | None:
        """Return the range of all points: the least and the largest bound, and the median of the middles."""
        if not self.points:
            return None
        middles = sorted(one.value.middle for one in self.points)
        half = len(middles) // 2
        middle = middles[half] if len(middles) % 2 else (middles[half - 1] + middles[half]) / 2
        low, high = min(one.value.low for one in self.points), max(one.value.high for one in self.points)
        return Interval(low, middle, high, len(middles))

    @property
    def stand_in(self) -> str:
        """Return why one of the numbers is from a stand-in; "" if none is."""
        return next((one.stand_in for one in self.points if one.stand_in), "")


def judge(claim: Claim, found: Found) -> Verdict:
    """Return the verdict on one claim."""
    points = tuple(one for one in claim.seen(found) if math.isfinite(one.value.low + one.value.high))
    if not points:
        return Verdict(claim, UNKNOWN, claim.needs, ())
    sure = [one for one in points if one.sure]
    against = next((one for one in sure if claim.fails(widened(one.value, len(points)))), None)
    if against:
        where = f" at {against.label}" if against.label and len(points) > 1 else ""
        return Verdict(claim, NO, f"found: {span(against.value)}{where}; needed: {claim.rule}", points)
    if doubtful := next((one for one in points if not one.sure), None):
        return Verdict(claim, UNKNOWN, f"{_at(doubtful)}{'; '.join(doubtful.reasons)}", points)
    if open_one := next((one for one in points if not claim.holds(one.value)), None):
        both = f"{span(open_one.value)} is on both sides of the bound, needed: {claim.rule}"
        return Verdict(claim, UNKNOWN, f"{_at(open_one)}{both}", points)
    return Verdict(claim, YES, f"needed: {claim.rule}", points)


def _at(point: Seen) -> str:
    return f"{point.label}: " if point.label else ""


def widened(value: Interval, count: int) -> Interval:
    """Return the interval that is valid for all of `count` together: in logarithms, of a positive interval."""
    if count < 2 or value.low <= 0:
        return value
    normal = NormalDist()
    factor = normal.inv_cdf(1 - ERROR / 2 / count) / normal.inv_cdf(1 - ERROR / 2)
    low, high = (value.middle * (end / value.middle) ** factor for end in (value.low, value.high))
    return Interval(low, value.middle, high, value.count)


def span(value: Interval) -> str:
    """Return '1.07 to 1.12', or one number where both ends print alike."""
    low, high = digits(value.low), digits(value.high)
    return low if low == high else f"{low} to {high}"


def digits(value: float) -> str:
    """Return a number as text: two decimals if small, three digits if larger, three decimals near 1."""
    if abs(value) >= 10:
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
    return f"{value:.3f}" if abs(value - 1) < 0.1 else f"{value:.2f}"
