"""The quantity that an event counts: the one that it follows over kernels with known bytes.

    factor of a kernel = count of one operation / known quantity of one operation, the mean of the repeats    [1]

The interval is Student's, of the logarithms of the repeats, widened for the number of kernels (Bonferroni). An event
*follows* a quantity under two conditions. The intervals of all kernels that have some of it are within ALIKE of the
middle factor. Kernels without any of it count less than NOTHING of the others' least. If the intervals do not decide,
the event is *not known*: a wrong verdict is worse than none.
Source: Student, "The Probable Error of a Mean", Biometrika 6, 1908.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from tierscope.stats.median import Interval
from tierscope.suites.counters_audit.known import QUANTITIES, READ, WRITTEN, Known, Quantity

ALIKE = 1.1  # largest ratio to the middle factor, either way, of kernels that follow the same quantity
NOTHING = 0.05  # share of the least count of others that counts as none: the machine's own lines move too
LEAST = 3  # repeats
SHARED = 0.5  # of the time: an event with a smaller share of counted time is not judged
CONFIDENCE = 0.95

VERDICTS = {
    "counts": "it counts what its name states: the factor is 1 within 10 %",
    "factor": "it follows what its name states, with another factor",
    "other": "it follows another quantity than its name states",
    "follows": "its name promises no quantity that is known here, and it follows this one",
    "unrelated": "it follows none of the known quantities",
    "nothing": "it was always 0",
    "not known": "the counts do not decide, or it is not counted here",
}
Counts = Mapping[str, Sequence[float]]  # kernel -> count of one operation, of each repeat


@dataclass(frozen=True)
class Judged:
    """verdict: one of VERDICTS."""

    verdict: str
    follows: str = ""
    factor: Interval | None = None
    why: str = ""


def mean_of(values: Sequence[float], error: float = 1 - CONFIDENCE) -> Interval:
    """Return the geometric mean with its interval; of fewer than LEAST values, or with a zero, a NaN interval."""
    if not values:
        return Interval(math.nan, math.nan, math.nan, 0)
    if len(values) < LEAST or min(values) <= 0:
        return Interval(math.nan, fmean(values), math.nan, len(values))
    from scipy.special import stdtrit  # slow to load

    logs = [math.log(value) for value in values]
    wide = float(stdtrit(len(logs) - 1, 1 - error / 2)) * stdev(logs) / math.sqrt(len(logs))
    middle = fmean(logs)
    return Interval(math.exp(middle - wide), math.exp(middle), math.exp(middle + wide), len(values))


def judge(counts: Counts, known: Mapping[str, Known], promise: Quantity | None, running_share: float) -> Judged:
    """Return what the counts show of an event. known: of each kernel; promise: what its name states, if anything."""
    if all(value == 0 for values in counts.values() for value in values):
        return _of_zero(known, promise)
    if running_share < SHARED:
        share = f"{100 * running_share:.0f} %"
        return Judged("not known", why=f"it was counted for {share} of the time: audit fewer events at the same time")
    if min(len(values) for values in counts.values()) < LEAST:
        return Judged("not known", why=f"fewer than {LEAST} repeats")
    if promise is not None and (kept := _follows(counts, known, promise)):
        return _promised(promise, kept)
    fits = [(one, kept) for one in QUANTITIES if one is not promise and (kept := _follows(counts, known, one))]
    if fits:
        quantity, kept = fits[0]
        also = "".join(f"; {one.name} fit as well" for one, _ in fits[1:])
        return Judged("other" if promise else "follows", quantity.name, kept, also.removeprefix("; "))
    if wide := _wide(counts):
        return Judged("not known", why=f"its counts vary between repeats next to {', '.join(wide)}")
    return Judged("unrelated", why=_apart(counts, known, promise))


def _of_zero(known: Mapping[str, Known], promise: Quantity | None) -> Judged:
    """Return the verdict on an event that was always 0: none if no kernel does what it may count."""
    if all(any(one.of(did) > 0 for did in known.values()) for one in ((promise,) if promise else (READ, WRITTEN))):
        return Judged("nothing", why="it was 0 next to every kernel")
    return Judged("not known", why="it was 0, but no kernel that could be judged does what it may count: budget= more")


def _promised(promise: Quantity, kept: Interval) -> Judged:
    """Return whether the factor is 1, by its whole interval."""
    if kept.low >= 1 / ALIKE and kept.high <= ALIKE:
        return Judged("counts", promise.name, kept)
    if kept.high < 1 / ALIKE or kept.low > ALIKE:
        return Judged("factor", promise.name, kept)
    why = f"its factor, {kept.low:.3g} to {kept.high:.3g}, is on both sides of what counts as 1"
    return Judged("not known", promise.name, kept, why)


def _follows(counts: Counts, known: Mapping[str, Known], quantity: Quantity) -> Interval | None:
    """Return the common factor to a quantity; None where the kernels have none, or it is not shown."""
    some = {name: values for name, values in counts.items() if quantity.of(known[name]) > 0}
    if len(some) < 2:
        return None  # one kernel has a factor to everything
    error = (1 - CONFIDENCE) / len(some)
    factors = [mean_of([v / quantity.of(known[name]) for v in values], error) for name, values in some.items()]
    if any(math.isnan(one.low) for one in factors):
        return None
    middle = math.exp(fmean(math.log(one.middle) for one in factors))
    low, high = min(one.low for one in factors), max(one.high for one in factors)
    if low < middle / ALIKE or high > middle * ALIKE:
        return None
    least = min(fmean(values) for values in some.values())
    if any(fmean(values) > NOTHING * least for name, values in counts.items() if name not in some):
        return None
    return Interval(low, middle, high, min(one.count for one in factors))


def _wide(counts: Counts) -> list[str]:
    """Return the kernels whose own interval is wider than what kernels may differ by."""
    found = []
    most = max(fmean(values) for values in counts.values())
    for name, values in counts.items():
        one = mean_of(values)
        if one.middle > NOTHING * most and not one.high <= ALIKE * one.low * ALIKE:
            found.append(name)
    return found


def _apart(counts: Counts, known: Mapping[str, Known], promise: Quantity | None) -> str:
    """Return 'its factor to lines read is 0.12 with chase and 4.01 with write', or that it follows none."""
    if promise is None:
        return "it follows none of the known quantities over these kernels"
    factors = {
        name: fmean(values) / promise.of(known[name]) for name, values in counts.items() if promise.of(known[name]) > 0
    }
    if not factors:
        return f"these kernels have no {promise.name}"
    low, high = min(factors, key=factors.__getitem__), max(factors, key=factors.__getitem__)
    return f"its factor to {promise.name} is {factors[low]:.3g} next to {low} and {factors[high]:.3g} next to {high}"
