"""The buffers between the processor and a memory's medium, inferred from latency over fresh regions.

Units, knees and replacement are not assumed. `buffers_search` tries units of 128 B to 64 KiB and all capacities with 0
to 3 levels of least recently used units. `buffers_shapes` tries other units and kinds of replacement. The number of
levels is the one with the least

    cost / s^2 + parameters * ln(points),   three parameters a level, s^2 = cost per degree of freedom, at least LEAST

(G. Schwarz, "Estimating the Dimension of a Model", Annals of Statistics 6, 1978). Each level must also improve this by
PROOF and add at least SMALL of the latency. The error of a point combines that of its median and the model's own.
A better fit alone is not enough: `buffers_doubts` lists why an answer is not sure.
Intervals are those of the profile likelihood at 95 %. For a capacity, all times are fitted again, with every kind that
the curve does not rule out. For a unit, the capacity that then fits best is taken. Intervals of times come from the
covariance of the linear fit.
A capacity of 2^k or 1.5 * 2^k within the interval is reported as `round_bytes`. The unit is reported as a power of two
if every unit that the curve does not rule out is within `BESIDE` of a power of two, and that power is one of them.
Blind to a buffer whose unit is one line, to what is larger than half of the largest region, and to whether a buffer
contains data or addresses. Interleaved DIMMs show their total capacity. Near their grain, the number of DIMMs must be
known, since a small region is in one of them.
"""

import itertools
from dataclasses import dataclass, replace

import numpy as np

from tierscope.stats.buffers_model import Floats, Fresh, Truths
from tierscope.stats.buffers_search import Fit, Place, Search
from tierscope.stats.buffers_shapes import ALL_KINDS, ALL_UNITS, scanned, shaped
from tierscope.stats.median import student
from tierscope.units import LINE_BYTES, KiB

MOST = 3  # levels
MODEL = 0.006  # relative error of the closed form in a latency
COUNTED = 0.0015  # the same for small random regions: only first visits matter, and no queue is guessed
SCATTERED_TO = 8 * KiB  # bytes
CAPACITY_MODEL = 0.04  # relative error in a capacity
PROOF = 10.0  # least improvement of the criterion: odds of 1 to 150
LEAST = 0.02  # an error of 0.1 %: the order of visits is random, so that no curve is smoother
SMALL = 0.02  # of the latency behind all levels
FEWEST = 8  # points
SHARE = 0.975
WIDE = 0.15  # if half of the interval of a capacity is larger, the size is not known
MEASURED = 3.0  # times the measured share of the errors: from a third on, errors are taken unchanged
NEAR = 2.2  # times a unit: others are not tried
BESIDE = 1.2  # times a power of two: a unit this near to one is taken for it


@dataclass(frozen=True)
class Curve:
    """Latency of each line of regions that were never visited before; arrays of shape (points,)."""

    region_bytes: Floats
    latency_s: Floats
    spread: Floats  # relative standard error of each latency
    scattered: Truths  # whether regions follow one another at random, not by address
    footprint_bytes: Floats
    ways: int = 1  # number of interleaved memories, if known
    grain_bytes: int = 4 * KiB  # bytes of each memory before the next one follows


@dataclass(frozen=True)
class Bounded:
    """A value and its 95 % interval."""

    low: float
    middle: float
    high: float

    @property
    def half(self) -> float:
        """Return half of the interval, relative to its middle."""
        return (self.high - self.low) / 2 / self.middle


@dataclass(frozen=True)
class Level:
    """A buffer. latency_s: of a line found there, including all levels before it."""

    capacity_bytes: Bounded
    unit_bytes: Bounded
    latency_s: Bounded
    round_bytes: int | None
    kinds: tuple[str, ...] = ()  # kinds of replacement that the curve does not rule out

    @property
    def most_amplification(self) -> float:
        """Return the bytes that come in for each byte requested by random reads of lines, if the buffer contains data.

        A buffer of addresses covers a unit and brings in less: latency shows which lines are near, not what moves.
        """
        return self.unit_bytes.high / LINE_BYTES


@dataclass(frozen=True)
class Levels:
    """The levels, the nearest first. misfit: root of the mean weighted square, 1 where the model explains all.

    The medium_s is the latency of a line that is in no level. The entry_s is the page walk that the first line of a
    region adds where regions do not follow by address.
    """

    levels: tuple[Level, ...]
    medium_s: Bounded
    entry_s: Bounded
    misfit: float
    points: int
    curve_s: Floats  # the fit, of shape (points,)
    doubts: tuple[str, ...] = ()  # why this is not sure, from `buffers_doubts`

    @property
    def wide(self) -> list[int]:
        """Return the numbers, from 1, of the levels whose capacity is not known well enough."""
        return [n for n, one in enumerate(self.levels, start=1) if one.capacity_bytes.half > WIDE]


@dataclass(frozen=True)
class Fitted:
    """Everything that was tried: the best fit of each number of levels, the chosen one, cost per degree of freedom."""

    search: Search
    fits: tuple[Fit, ...]
    best: Fit
    variance: float

    def misfit(self, fit: Fit) -> float:
        """Return the root of the mean weighted square."""
        return float(np.sqrt(fit.cost / max(1, self.search.points - 3 * len(fit.places) - 2)))


def infer(curve: Curve) -> Levels:
    """Return 0 to 3 levels; ValueError for fewer than eight points."""
    from tierscope.stats.buffers_doubts import doubts  # it imports this module

    search, sigma = _search(curve)
    fitted = _chosen(search, tuple(shaped(search, search.best(levels)) for levels in range(MOST + 1)))
    fitted = replace(fitted, variance=max(fitted.variance, min(1.0, MEASURED * _noise(curve, sigma))))
    levels = _told(fitted, sigma, curve.ways)
    return replace(levels, doubts=doubts(fitted))


def capacities(curve: Curve) -> list[float]:
    """Return the capacities near which more regions are worth their time, as if all levels were least recently used."""
    search, _ = _search(curve)
    best = _chosen(search, tuple(search.best(levels) for levels in range(MOST + 1))).best
    return [place.capacity_bytes for place in best.places]


def _search(curve: Curve) -> tuple[Search, Floats]:
    """Return the search, and the error of each point in seconds."""
    if curve.latency_s.size < FEWEST:
        raise ValueError(f"{curve.latency_s.size} regions say nothing of buffers; at least {FEWEST} are needed")
    fresh = Fresh(curve.region_bytes, curve.scattered, curve.footprint_bytes, curve.ways, curve.grain_bytes)
    counted = curve.scattered & (curve.region_bytes <= SCATTERED_TO)
    sigma = curve.latency_s * np.hypot(curve.spread, np.where(counted, COUNTED, MODEL))
    return Search(fresh, curve.latency_s, sigma), sigma


def _noise(curve: Curve, sigma: Floats) -> float:
    """Return the measured share of the errors, squared: of small regions or of the others, the larger one.

    Where most of an error was measured, a closer fit is closer by chance.
    """
    part = (curve.latency_s * curve.spread / sigma) ** 2
    return float(max((part[own].mean() for own in (curve.scattered, ~curve.scattered) if own.any()), default=0.0))


def _chosen(search: Search, fits: tuple[Fit, ...]) -> Fitted:
    """Return the fits, the number of levels by the criterion, and the cost per degree of freedom, at least LEAST."""
    variance = max(LEAST, fits[-1].cost / max(1, search.points - 3 * MOST - 2))
    price = 3 * np.log(search.points)
    best = fits[0]
    for fit in fits[1:]:
        more = len(fit.places) - len(best.places)
        if more > 0 and (best.cost - fit.cost) / variance > more * (price + PROOF) and counts(fit):
            best = fit
    return Fitted(search, fits, best, max(LEAST, best.cost / max(1, search.points - 3 * len(best.places) - 2)))


def counts(fit: Fit) -> bool:
    """Return whether each level adds enough latency to be a level."""
    steps = fit.times_s[1 : 1 + len(fit.places)]
    return bool(np.all(steps > SMALL * (fit.times_s[0] + steps.sum())))


def _told(fitted: Fitted, sigma: Floats, ways: int) -> Levels:
    search, fit, variance = fitted.search, fitted.best, fitted.variance
    design, count = search.design(fit.places), len(fit.places)
    reach = student(SHARE, max(1.0, search.points - 3 * count - 2))
    times = _bounded_times(design, fit.times_s, variance, reach)
    limit = fit.cost + variance * reach**2
    levels = []
    for number in range(count):
        alike = _alike(search, fit.places, number, limit)
        capacity = _capacity(search, fit.places, number, alike, limit)
        unit = _unit(search, fit.places, number, limit)
        told = _round(capacity, round(unit.middle), ways)
        levels.append(Level(capacity, unit, times[number], told, tuple(one.kind for one in alike)))
    return Levels(
        tuple(levels), times[count], times[-1], fitted.misfit(fit), search.points, design @ fit.times_s * sigma
    )


def _alike(search: Search, places: tuple[Place, ...], number: int, limit: float) -> list[Place]:
    """Return the buffer that was found, and the same with each other kind that the curve does not rule out."""
    own = places[number]
    others = (scanned(search, places, number, replace(own, kind=kind)) for kind in ALL_KINDS if kind != own.kind)
    return [own, *(other.places[number] for other in others if other.cost <= limit)]


def _bounded_times(design: Floats, times: Floats, variance: float, reach: float) -> list[Bounded]:
    """Return the bounds of the latency of a line in each level and in the medium, and of the entry."""
    count = times.size - 1
    sums = np.vstack([np.tril(np.ones((count, count + 1)), 0), np.eye(count + 1)[-1]])
    lengths = np.linalg.norm(design, axis=0)
    lengths = np.where(lengths > 0, lengths, 1.0)
    inverse = np.linalg.pinv(design / lengths)
    spread = variance * (inverse @ inverse.T) / lengths[:, None] / lengths[None, :]
    middles = sums @ times
    halves = np.hypot(reach * np.sqrt(np.einsum("ij,jk,ik->i", sums, spread, sums)), MODEL * middles)
    return [Bounded(float(max(0.0, m - h)), float(m), float(m + h)) for m, h in zip(middles, halves, strict=True)]


def _capacity(search: Search, places: tuple[Place, ...], number: int, alike: list[Place], limit: float) -> Bounded:
    """Return the capacity with the bounds where the cost reaches the limit, with all times fitted again and any of
    `alike`. The model's error widens them.
    """
    size = places[number].capacity_bytes
    low, high = size, size
    for one in alike:
        low = min(low, _end(search, places, number, one, limit, -1))
        high = max(high, _end(search, places, number, one, limit, 1))
    model = float(np.hypot(CAPACITY_MODEL, places[number].unit_bytes / size))  # plus one entry
    below, above = (float(np.hypot(end, model)) for end in (size / low - 1, high / size - 1))
    return Bounded(size / (1 + below), size, size * (1 + above))


def _end(search: Search, places: tuple[Place, ...], number: int, own: Place, limit: float, direction: int) -> float:
    """Return the last capacity in this direction that the curve does not rule out."""
    last = own.capacity_bytes
    for step in np.arange(0.005, 1.0, 0.01):
        moved = replace(own, capacity_bytes=own.capacity_bytes * 2 ** (direction * step))
        if search.fit((*places[:number], moved, *places[number + 1 :])).cost > limit:
            break
        last = moved.capacity_bytes
    return last


def _unit(search: Search, places: tuple[Place, ...], number: int, limit: float) -> Bounded:
    """Return the unit, bounded by its neighbours that the curve does not rule out, each with its best capacity."""
    own = places[number].unit_bytes
    near = [unit for unit in ALL_UNITS if own / NEAR <= unit <= min(own * NEAR, max(search.units))]
    found = {own, *(unit for unit in near if _cheapest(search, places, number, unit) <= limit)}
    powers = [unit for unit in found if unit & (unit - 1) == 0]
    middle = min(powers, key=lambda unit: abs(np.log(unit / own)), default=own)
    if powers and all(middle / BESIDE < unit < middle * BESIDE for unit in found):
        return Bounded(middle, middle, middle)
    low = max((unit for unit in ALL_UNITS if unit < min(found)), default=min(found))
    high = min((unit for unit in ALL_UNITS if unit > max(found)), default=max(found))
    return Bounded((low + min(found)) / 2, middle, (max(found) + high) / 2)  # units between those that were tried


def _cheapest(search: Search, places: tuple[Place, ...], number: int, unit: int) -> float:
    return scanned(search, places, number, replace(places[number], unit_bytes=unit)).cost


def _round(capacity: Bounded, unit: int, ways: int) -> int | None:
    """Return the nearest 2^k or 1.5 * 2^k in the interval, for each of the memories."""
    power = int(np.floor(np.log2(capacity.middle / ways)))
    near = [
        ways * int(factor * 2**step) for factor, step in itertools.product((1.0, 1.5), (power - 1, power, power + 1))
    ]
    inside = [size for size in near if capacity.low <= size <= capacity.high and size % (ways * unit) == 0]
    return min(inside, key=lambda size: abs(np.log(size / capacity.middle)), default=None)
