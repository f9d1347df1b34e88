"""By how much a machine changes between runs, found from the numbers that earlier runs gave for the same points.

Visits show what changes within the seconds of a run. A machine may also drift over minutes and days: a host moves a
guest, the room becomes warmer, a search selects another loop variant. If n earlier runs have measured a point, that
drift is the variance of log(number) between the runs, less the variance that the runs themselves state:

    between = mean over the points of (variance of log(number) - mean of the variances stated), at least 0

A point at the end of a cache may change by half while all others of its kind repeat to 1 %. If its variance is larger
than that of the others explains (0.1 % by chance), it is left out of its kind, and has a drift of its own (`apart`).

The points of a kind are weighted by n - 1. All points of a run may rise and fall together, so they do not show more
about runs than one of them does: `degrees` is the largest n - 1. One or two points in fewer than four runs do not show
the drift of their kind: they may be odd.

Until enough runs are known, a virtual machine is assumed to change by as much as other ones did (`GUEST`). It shares
caches and memory with others, and the visits of one run, some seconds apart, may all meet the same neighbours. The
assumption counts as its degrees, less one for each degree that earlier runs show: four runs replace it.

Blind to what no earlier run has seen, and to a machine that changed for good between two of them: it counts as drift.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, variance

from tierscope.record.earlier import Between
from tierscope.stats.special import tail_of_ratio

ODD = 0.001  # chance below which a point drifts by more than those that drift less
FEWEST = 3  # points that may show that another one drifts by more

GUEST = Between(kind="assumed", variance=0.03**2, degrees=3.0)
"""A standard deviation of 3 %. Bandwidths of quiet runs within half an hour had 2.7 to 6.9 % on three guests. This is
the smaller end, since an assumption must not hide what runs can show.
"""


@dataclass(frozen=True, slots=True)
class Once:
    """A point in one run. log: of its number; variance: of that, as the visits of this run show it."""

    log: float
    variance: float


def between_of(points: Sequence[Sequence[Once]]) -> Between:
    """Return what points of one kind show together. points: of each, what every run found, in any order."""
    repeated = [point for point in points if len(point) > 1]
    if not repeated:
        return Between()
    excess = sum((len(point) - 1) * _excess(point) for point in repeated)
    total = sum(len(point) - 1 for point in repeated)
    return Between(variance=max(excess / total, 0.0), degrees=float(max(map(len, repeated)) - 1))


def is_shown(points: Sequence[Sequence[Once]]) -> bool:
    """Return whether points show the drift of their kind: FEWEST of them, or one in as many runs as replace `GUEST`.

    One odd point in two runs would make all others of its kind many times as wide.
    """
    runs = [len(point) for point in points if len(point) > 1]
    return len(runs) >= FEWEST or max(runs, default=0) > GUEST.degrees


def apart(points: Sequence[Sequence[Once]]) -> set[int]:
    """Return which points of a kind drift by more than the others explain, by their places; at most half of them.

    The others are those that drift less: two points that drift alike do not explain each other.
    """
    runs = {place: len(point) - 1 for place, point in enumerate(points) if len(point) > 1}
    total = {place: variance([one.log for one in points[place]]) for place in runs}
    order = sorted(runs, key=total.__getitem__)
    for count in range(max((len(order) + 1) // 2, FEWEST), len(order)):
        degrees = sum(runs[other] for other in order[:count])
        expected = sum(runs[other] * total[other] for other in order[:count]) / degrees
        if not expected or tail_of_ratio(total[order[count]] / expected, runs[order[count]], degrees) < ODD:
            return set(order[count:])
    return set()


def until_known(known: Between, assumed: Between | None) -> Between:
    """Return what is known and assumed together. Its kind is that of what has more degrees."""
    degrees = max(assumed.degrees - known.degrees, 0.0) if assumed else 0.0
    if not assumed or not degrees:
        return known
    together = degrees + known.degrees
    variance_of_both = (degrees * assumed.variance + known.degrees * known.variance) / together
    kind = assumed.kind if degrees > known.degrees else known.kind
    return Between(kind=kind, variance=variance_of_both, degrees=together)


def _excess(point: Sequence[Once]) -> float:
    return variance([one.log for one in point]) - mean(one.variance for one in point)
