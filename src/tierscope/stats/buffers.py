"""The buffers between the processor and a memory's medium, inferred from latency over fresh regions.

Nothing is assumed of unit sizes or knees: `buffers_search` tries all units from two lines of the caches to 8 KiB and
all capacities, with 0 to 3 levels; the number of levels is the one with the least

    cost / s^2 + parameters * ln(points),   three parameters a level, s^2 = cost per degree of freedom, at least LEAST

(G. Schwarz, "Estimating the Dimension of a Model", Annals of Statistics 6, 1978), where each level must be worth PROOF
more and add at least SMALL of the latency. The error of a point is that of its median and the model's own.
Intervals are those of the profile likelihood at 95 %: capacities and units with all times fitted again, times from
the covariance of the linear fit. A capacity of 2^k or 1.5 * 2^k that is in the interval is reported as `round_bytes`.
Blind to a buffer whose unit is one line, to what is larger than half of the largest region, and to whether a buffer
contains data or addresses. Interleaved DIMMs show the capacity of all of them together. Where it is near their grain,
their number must be known, since a small region is in one of them.
"""

import itertools
from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats, Truths
from tierscope.stats.buffers_model import Fresh
from tierscope.stats.buffers_search import Fit, Place, Search
from tierscope.stats.median import student
from tierscope.units import LINE_BYTES, KiB

MOST = 3  # levels
MODEL = 0.006  # relative error of the closed form, in a latency
COUNTED = 0.0015  # the same of small regions at random: their first visits are only counted, no queue is guessed
SCATTERED_TO = 8 * KiB  # bytes
CAPACITY_MODEL = 0.03  # and in a capacity
PROOF = 10.0  # less of the criterion: odds of 1 to 150
LEAST = 0.02  # an error of 0.1 %: the order of visits is drawn, so that no curve is smoother
SMALL = 0.02  # of the latency behind all levels
FEWEST = 8  # points
SHARE = 0.975


@dataclass(frozen=True)
class Curve:
    """Latency of each line of regions that were never visited before; arrays of shape (points,)."""

    region_bytes: Floats
    latency_s: Floats
    spread: Floats  # relative standard error of each latency
    scattered: Truths  # whether regions follow one another at random, not by address
    footprint_bytes: Floats
    ways: int = 1  # memories side by side, as known
    grain_bytes: int = 4 * KiB  # in each, before the next one begins
    line_bytes: int = LINE_BYTES  # of the caches


@dataclass(frozen=True)
class Bounded:
    """A value and its 95 % interval."""

    low: float
    middle: float
    high: float


@dataclass(frozen=True)
class Level:
    """A buffer. latency_s: of a line found there, all levels before it included. line_bytes: of the caches."""

    capacity_bytes: Bounded
    unit_bytes: Bounded
    latency_s: Bounded
    round_bytes: int | None
    line_bytes: int = LINE_BYTES

    @property
    def most_amplification(self) -> float:
        """Bytes that come in for each byte asked for, where lines are read at random: of a buffer with data.

        One with addresses covers a unit and brings in less; latency shows which lines are near, not what moves.
        """
        return self.unit_bytes.high / self.line_bytes


@dataclass(frozen=True)
class Levels:
    """From the nearest on. medium_s: of a line that no level contains.

    entry_s: added by the first line of a region that does not follow by address: a page walk.
    misfit: root of the mean weighted square. It is 1 where the model explains all.
    """

    levels: tuple[Level, ...]
    medium_s: Bounded
    entry_s: Bounded
    misfit: float
    points: int
    curve_s: Floats  # the fit, of shape (points,)


def infer(curve: Curve) -> Levels:
    """Return 0 to 3 levels; raise ValueError for fewer than eight points."""
    if curve.latency_s.size < FEWEST:
        raise ValueError(f"{curve.latency_s.size} regions show nothing about buffers; at least {FEWEST} are needed")
    fresh = Fresh(
        curve.region_bytes, curve.scattered, curve.footprint_bytes, curve.ways, curve.grain_bytes, curve.line_bytes
    )
    counted = curve.scattered & (curve.region_bytes <= SCATTERED_TO)
    sigma = curve.latency_s * np.hypot(curve.spread, np.where(counted, COUNTED, MODEL))
    search = Search(fresh, curve.latency_s, sigma)
    fit, variance = _chosen(search)
    return _told(search, fit, variance, sigma, curve)


def _chosen(search: Search) -> tuple[Fit, float]:
    """Return the number of levels by the criterion; and the cost per degree of freedom, at least LEAST."""
    fits = [search.best(levels) for levels in range(MOST + 1)]
    variance = max(LEAST, fits[-1].cost / max(1, search.points - 3 * MOST - 2))
    price = 3 * np.log(search.points)
    best = fits[0]
    for fit in fits[1:]:
        more = len(fit.places) - len(best.places)
        if more > 0 and (best.cost - fit.cost) / variance > more * (price + PROOF) and _counts(fit):
            best = fit
    return best, max(LEAST, best.cost / max(1, search.points - 3 * len(best.places) - 2))


def _counts(fit: Fit) -> bool:
    """Return whether each level adds enough to be one."""
    steps = fit.times_s[1 : 1 + len(fit.places)]
    return bool(np.all(steps > SMALL * (fit.times_s[0] + steps.sum())))


def _told(search: Search, fit: Fit, variance: float, sigma: Floats, curve: Curve) -> Levels:
    design, count = search.design(fit.places), len(fit.places)
    reach = student(SHARE, max(1.0, search.points - 3 * count - 2))
    times = _bounded_times(design, fit.times_s, variance, reach)
    limit = fit.cost + variance * reach**2
    levels = []
    for number, place in enumerate(fit.places):
        capacity = _capacity(search, fit.places, number, limit)
        unit = _unit(search, fit.places, number, limit)
        size = _round(capacity, place.unit_bytes, curve.ways)
        levels.append(Level(capacity, unit, times[number], size, curve.line_bytes))
    misfit = float(np.sqrt(fit.cost / max(1, search.points - 3 * count - 2)))
    return Levels(tuple(levels), times[count], times[-1], misfit, search.points, design @ fit.times_s * sigma)


def _bounded_times(design: Floats, times: Floats, variance: float, reach: float) -> list[Bounded]:
    """Return, with bounds, the times of a line found in each level, of one in the medium, and the entry."""
    count = times.size - 1
    sums = np.vstack([np.tril(np.ones((count, count + 1)), 0), np.eye(count + 1)[-1]])
    lengths = np.linalg.norm(design, axis=0)
    lengths = np.where(lengths > 0, lengths, 1.0)
    inverse = np.linalg.pinv(design / lengths)
    spread = variance * (inverse @ inverse.T) / lengths[:, None] / lengths[None, :]
    middles = sums @ times
    halves = np.hypot(reach * np.sqrt(np.einsum("ij,jk,ik->i", sums, spread, sums)), MODEL * middles)
    return [Bounded(float(max(0.0, m - h)), float(m), float(m + h)) for m, h in zip(middles, halves, strict=True)]


def _capacity(search: Search, places: tuple[Place, ...], number: int, limit: float) -> Bounded:
    """Return the capacities whose cost is below the limit with all times fitted again, widened by the model's error."""
    own = places[number]
    ends = []
    for direction in (-1, 1):
        last = 0.0
        for step in np.arange(0.005, 1.0, 0.01):
            moved = Place(own.unit_bytes, own.capacity_bytes * 2 ** (direction * step))
            if search.fit((*places[:number], moved, *places[number + 1 :])).cost > limit:
                break
            last = step
        ends.append(2**last - 1)
    low, high = (float(np.hypot(end, CAPACITY_MODEL)) for end in ends)
    size = own.capacity_bytes
    return Bounded(size / (1 + low), size, size * (1 + high))


def _unit(search: Search, places: tuple[Place, ...], number: int, limit: float) -> Bounded:
    """Return the unit, with those next to it that the curve does not rule out at the capacity that suits them best."""
    own = places[number]
    units = list(search.units)
    found = {own.unit_bytes}
    for direction in (-1, 1):
        at = units.index(own.unit_bytes) + direction
        while 0 <= at < len(units):
            if _cheapest(search, places, number, units[at]) > limit:
                break
            found.add(units[at])
            at += direction
    return Bounded(min(found), own.unit_bytes, max(found))


def _cheapest(search: Search, places: tuple[Place, ...], number: int, unit: int) -> float:
    own = places[number]
    sizes = own.capacity_bytes * 2.0 ** np.linspace(-0.6, 0.6, 25)
    moved = [Place(unit, float(size)) for size in sizes if size >= unit]
    return min((search.fit((*places[:number], one, *places[number + 1 :])).cost for one in moved), default=np.inf)


def _round(capacity: Bounded, unit: int, ways: int) -> int | None:
    """Return the nearest 2^k or 1.5 * 2^k in the interval, in each of the memories."""
    power = int(np.floor(np.log2(capacity.middle / ways)))
    near = [
        ways * int(factor * 2**step) for factor, step in itertools.product((1.0, 1.5), (power - 1, power, power + 1))
    ]
    inside = [size for size in near if capacity.low <= size <= capacity.high and size % (ways * unit) == 0]
    return min(inside, key=lambda size: abs(np.log(size / capacity.middle)), default=None)
