"""Mean, median and deviation of n values are where their extremes allow.

    least + (most - least) / n <= mean <= most - (most - least) / n
    (most - mean) / sqrt(n) <= deviation <= sqrt((mean - least) * (most - mean) * n / (n - 1))

The first: one of the n values is the least and one the most. The second's lower end is one value that far off; its
upper end is that of values which are all extremes, for either way to count n. Blind if n is large: the first then adds
nothing to `spread`.
Source: R. Bhatia, C. Davis, "A Better Bound on the Variance", American Mathematical Monthly 107, 2000 (upper end).
"""

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.shown import shown, value_of
from tierscope.audit.statement import Quantity, Statement

SETS = (
    ("seconds_least", "seconds_mean", "seconds_most", "seconds_deviation", "timings"),
    ("latency_least_s", "latency_s", "latency_most_s", "latency_deviation_s", "timed_operations"),
)
ROOM = 1e-6  # of the value: sums of many values in binary floating point


class Moments:
    """Check each set of extremes, mean and deviation whose number of values is known."""

    name: ClassVar[str] = "moments"
    title: ClassVar[str] = "mean and deviation agree with the extremes"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            for least, mean, most, deviation, count in SETS:
                known = one.get(least, mean, most, count)
                if known is None or known[3].value < 1:
                    continue
                yield _mean(one, mean, known)
                if deviation in one.quantities and known[3].value > 1:
                    yield _deviation(one, deviation, known)


def _mean(one: Statement, name: str, known: tuple[Quantity, ...]) -> Failure | None:
    least, mean, most, count = known
    n, room = max(count.value, 1.0), ROOM * most.value
    low = (least.low * (n - 1) + most.low) / n - room
    high = (most.high * (n - 1) + least.high) / n + room
    if (mean.high >= low and mean.low <= high) or least.low > most.high:  # the last is a matter of `spread`
        return None
    found = f"{n:g} values between {value_of(name, least.value)} and {value_of(name, most.value)} have a mean of "
    found += f"{value_of(name, low)} to {value_of(name, high)}"
    why = "one of the three is of another run, or was typed wrongly"
    return Failure("moments", one.label, one.table, name, shown(name, mean), found, why)


def _deviation(one: Statement, name: str, known: tuple[Quantity, ...]) -> Failure | None:
    least, mean, most, count = known
    stated, n = one.quantities[name], count.value
    low = max(most.low - mean.high, 0.0) / sqrt(n)
    high = sqrt(max(mean.high - least.low, 0.0) * max(most.high - mean.low, 0.0) * n / (n - 1))
    room = ROOM * most.value
    if stated.high >= low - room and stated.low <= high + room:
        return None
    found = f"{n:g} values with these extremes and this mean deviate by {value_of(name, low)} to {value_of(name, high)}"
    why = "one of the four is of another run, or was typed wrongly"
    return Failure("moments", one.label, one.table, name, shown(name, stated), found, why)


identities.add(Moments())
