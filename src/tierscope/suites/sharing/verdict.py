"""The verdict on a pair from its ratios: a core that is shared or not, a path to memory that is full or not.

    slowdown = time of an operation within the core while both CPUs run / alone        2 on one core, 1 on two
    gain     = bytes of both CPUs per second / those of the first alone                1 where one fills it, 2 where not
             = (1 + rate of the second / rate of the first) / slowdown on memory

Both have 95 % intervals: of the slowdown over the rounds (`stats.contrast`), of the rates at the same clean moments. A
class is stated only if the whole interval is within its bounds. All else is unknown, also a precise ratio between the
bounds. A path is full only for two CPUs that have a core each and work at about the same rate there. Otherwise the
second one adds little for another reason.

A core is shared only if both CPUs are slowed, and nearly all of the time. A host that alternates the two leaves each of
them full speed between long pauses. A neighbour on the sibling of one CPU slows that one alone.
"""

from dataclasses import dataclass

from tierscope.record.experiment import Schedule
from tierscope.stats.compare import compare
from tierscope.stats.contrast import Contrast
from tierscope.stats.judged import Judged
from tierscope.stats.median import Interval
from tierscope.stats.point import Point

SHARED, OWN = "shared", "own"
FULL, FREE = "full", "free"
UNKNOWN = "not known"

ONE_CORE, TWO_CORES = 1.5, 1.25  # slowdown from which, and up to which; a lower clock under load explains a tenth
SLOWEST = 3.0  # times one alone: threads of one core take 2; what takes more waits for something else
MOSTLY = 0.75
"""The share of the clean moments of each CPU at which it must be slowed by ONE_CORE to SLOWEST. Two threads on
one core slow each other all the time. Two CPUs that alternate on one core are slowed that little at half of the moments
at most.
"""
MORE = 1.2  # gain up to which two threads get no more than one, and from which they do
EVEN = 1.4  # of the rates of both within their cores, at most, where the gain is to mean anything


@dataclass(frozen=True, slots=True)
class Sharing:
    """The verdict on one pair at one moment. core: SHARED, OWN or UNKNOWN; path: FULL, FREE or UNKNOWN."""

    slowdown: Interval | None  # None on a simulated machine, whose CPUs are cores
    gain: Interval
    core: str
    path: str
    reasons: tuple[str, ...]  # why a ratio is not precise; of one that is, the class may still be unknown

    @property
    def conclusive(self) -> bool:
        return not self.reasons


def sharing_of(found: Judged, schedule: Schedule) -> Sharing:
    """Return what one visit of a pair shows; found: the takes as in `suites.sharing.experiments`."""
    *core, _, outside = found.contrasts
    gain = gain_of(outside, second_over_first(found.points[-1]))
    path = path_of(gain) if trusted(outside, schedule) else UNKNOWN
    reasons = tuple(f"memory: {reason}" for reason in outside.reasons)
    if not core:
        return Sharing(None, gain, OWN, path, reasons)
    inside = core[-1]
    measured = core_of(inside.ratio) if trusted(inside, schedule) else UNKNOWN
    if measured == SHARED and mostly_slowed(found.points[0], found.points[1]) < MOSTLY:
        measured = UNKNOWN
    even = second_over_first(found.points[1])
    fair = even.low >= 1 / EVEN and even.high <= EVEN
    if measured == SHARED or (path == FULL and (measured == UNKNOWN or not fair)):
        path = UNKNOWN
    return Sharing(inside.ratio, gain, measured, path, (*(f"core: {reason}" for reason in inside.reasons), *reasons))


def trusted(contrast: Contrast, schedule: Schedule) -> bool:
    """Return whether only the width of its interval is against a ratio: a wide one is within its bounds or not."""
    return all(reason == contrast.doubt(schedule) for reason in contrast.reasons)


def core_of(slowdown: Interval) -> str:
    return SHARED if slowdown.low >= ONE_CORE else OWN if slowdown.high <= TWO_CORES else UNKNOWN


def mostly_slowed(alone: Point, both: Point) -> float:
    """Return the share of the clean moments at which a CPU is slowed as by another thread of its core; the lesser one.

    alone: of the first CPU; its rate stands for that of the second, which is never alone.
    """
    full = alone.groups[0].interval.middle
    rates = both.together.rates
    if not rates.shape[1] or not full > 0:
        return 0.0
    slowed = (rates <= full / ONE_CORE) & (rates >= full / SLOWEST)
    return float(slowed.mean(axis=1).min())


def path_of(gain: Interval) -> str:
    return FULL if gain.high <= MORE else FREE if gain.low >= MORE else UNKNOWN


def gain_of(outside: Contrast, second: Interval) -> Interval:
    """Return the bandwidth of both over that of the first alone; second: rate of the second CPU over the first's."""
    both = Interval(1 + second.low, 1 + second.middle, 1 + second.high, second.count)
    return over(outside.ratio, both)


def second_over_first(point: Point) -> Interval:
    """Return the rate of the second group over that of the first, at the same moments."""
    first, second = (group.interval for group in point.groups)
    return over(first, second)


def over(before: Interval, after: Interval) -> Interval:
    """Return after / before; NaN where there is no ratio."""
    ratio = compare(before, after)
    return Interval(ratio.low, ratio.middle, ratio.high, min(before.count, after.count))
