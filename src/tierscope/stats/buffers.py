"""The buffers between the processor and a memory's medium, inferred from latency over fresh regions.

Nothing is assumed of unit sizes or knees. `buffers_search` tries all units from two lines of the caches to 8 KiB and
all capacities, with 0 to 3 levels of least-recently-used units. `buffers_rivals` adds other units and other kinds of
replacement. The number of levels is the one with the least

    cost / s^2 + parameters * ln(points),   three parameters a level, s^2 = cost per degree of freedom, at least LEAST

among rivals (G. Schwarz, "Estimating the Dimension of a Model", Annals of Statistics 6, 1978), where each level must be
worth PROOF more and add at least SMALL of the latency. The error of a point is that of its median and the model's own.
A level whose knee is above all regions must also explain what is outside of these errors: the end of the knee of a kind
that is not in the table has the same slope.
The answer is the fit of the expected kind with this number of levels, if it is as good as the best rival or within OWN.
Otherwise it is the best rival. A better fit alone is not enough: `buffers_doubts` lists why an answer is not sure.
Intervals are those of the profile likelihood at 95 %: capacities and units with all times fitted again, times from
the covariance of the linear fit. They contain the capacities and units of all rivals that explain a level as well. A
capacity of 2^k or 1.5 * 2^k that is in the interval is reported as `round_bytes`. If it is more than ROUND away, or if
the capacity is not known to WIDE, the answer is the interval: wide ones contain a round size by chance. Regions in
passes show the capacity of some buffers without this fit (`buffers_passes`).
A capacity above half of the largest region has a lower bound only, because no region shows its knee as a whole. The
medium behind such a buffer has one, too: the slowest regions are a mixture of both. The bounds come from regions that
follow by address. Regions at random show how much of the footprint stays in a buffer, but that depends on how it was
filled.
Blind to a buffer whose unit is one line, to one that contains the whole footprint, and to whether a buffer contains
data or addresses. Interleaved DIMMs show the capacity of all of them together. Where it is near their grain, their
number must be known, since a small region is in one of them.
"""

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tierscope.arrays import Floats
from tierscope.stats import buffers_errors as errors
from tierscope.stats.buffers_close import taken
from tierscope.stats.buffers_doubts import LEAST, Fitted, counts, doubts, walks_little
from tierscope.stats.buffers_kinds import LRU
from tierscope.stats.buffers_levels import Curve, Estimate, Level, Levels
from tierscope.stats.buffers_model import Fresh
from tierscope.stats.buffers_passes import against, shown_by_passes
from tierscope.stats.buffers_rivals import LARGEST_UNIT, UNITS, Cell, Rivals
from tierscope.stats.buffers_search import REACH, Fit, Place, Search
from tierscope.stats.buffers_units import together
from tierscope.stats.median import student
from tierscope.units import LINE_BYTES

MOST = 3  # levels
CAPACITY_MODEL = 0.03  # and in a capacity
FITS = 2.0  # times the errors of the points: a fit that is good enough to state what close buffers take
SEEN = 0.25  # of the error of a point: less of that changes nothing
KNOWN = 0.03  # of a latency: up to this distance of both ends it is known
PROOF = 10.0  # less of the criterion: odds of 1 to 150
ALIKE = 3.0  # errors of a model are alike at neighbouring points: a number of them count as one
OWN = 0.5  # times the errors of the points: as close as the closed form is to its own kind
ON_GRID = 2.0  # times the limit of other explanations: those of a grid of units and capacities are not at their best
FEWEST = 8  # points
TWICE = 2  # a unit, in a region at random that shows it
EXPLAINED = 1.0  # times the errors of the points
WIDE = 0.1  # of a capacity: what `Level.capacity_off` may be if the size is known
ROUND = 0.06  # of a capacity: a round size in its interval that is further away may be chance
SHARE = 0.975


def infer(curve: Curve) -> Levels:
    """Return 0 to 3 levels, and what makes them doubtful; raise ValueError for fewer than eight points."""
    search, fresh, sigma = _search(curve, errors.plain(curve))
    known = _known(search)
    rivals = Rivals(search, fresh)
    fits = rivals.fits(known)
    less, error = _taken(search, fits)
    if np.any(error > SEEN * sigma):
        sigma = np.hypot(sigma, error)
        search = Search(fresh, curve.latency_s + less, sigma, search.models)
        known, rivals = _known(search), Rivals(search, fresh, rivals)
        fits = rivals.fits(known)
    else:
        less = np.zeros_like(less)
    found = _told(_chosen(search, known, fits), rivals, sigma, curve)
    return replace(found, curve_s=found.curve_s - less)


def _taken(search: Search, fits: tuple[Fit, ...]) -> tuple[Floats, Floats]:
    """Return what close buffers take from each latency, by the fewest buffers that explain the curve; and its error."""
    good = next((fit for fit in fits if _misfit(search, fit) <= FITS), fits[0])
    return taken(search, good)


def capacities(curve: Curve) -> list[Place]:
    """Return the levels around whose capacities more regions are worth their time, as if no other kind existed."""
    return list(of_expected_kind(curve, errors.plain(curve))[2].places)


def of_expected_kind(curve: Curve, model_s: Floats) -> tuple[Search, tuple[Fit, ...], Fit]:
    """Return the search, its best fit for each number of levels of the expected kind, and the one by the criterion.

    model_s: errors of the model in seconds.
    """
    search, _, _ = _search(curve, model_s)
    known = _known(search)
    return search, known, _by_criterion(search, known)


def _search(curve: Curve, model_s: Floats) -> tuple[Search, Fresh, Floats]:
    """Return the search, the regions, and the error of each point in seconds."""
    if curve.latency_s.size < FEWEST:
        raise ValueError(f"{curve.latency_s.size} regions show nothing about buffers; at least {FEWEST} are needed")
    fresh = Fresh(
        curve.region_bytes, curve.scattered, curve.footprint_bytes, curve.ways, curve.grain_bytes, curve.line_bytes,
        curve.stride_bytes,
    )  # fmt: skip
    sigma = errors.together(curve, model_s)
    return Search(fresh, curve.latency_s, sigma), fresh, sigma


def _known(search: Search) -> tuple[Fit, ...]:
    return tuple(search.best(levels) for levels in range(MOST + 1))


def _by_criterion(search: Search, fits: tuple[Fit, ...]) -> Fit:
    """Return the number of levels by the criterion."""
    variance = max(LEAST, fits[-1].cost / max(1, search.points - 3 * MOST - 2))
    price = 3 * np.log(search.points)
    best = fits[0]
    for fit in fits[1:]:
        more = len(fit.places) - len(best.places)
        proved = more > 0 and (best.cost - fit.cost) / variance > more * (price + PROOF)
        if proved and counts(fit) and not _only_a_slope(search, best, fit):
            best = fit
    return best


def _only_a_slope(search: Search, fewer: Fit, more: Fit) -> bool:
    """Return whether the last of more levels shows no knee, and fewer explain the curve within its errors."""
    unseen = more.places[-1].capacity_bytes > search.largest_bytes / REACH
    return unseen and _misfit(search, fewer) <= EXPLAINED


def _chosen(search: Search, known: tuple[Fit, ...], fits: tuple[Fit, ...]) -> Fitted:
    """Return the number of levels of any kind; the expected kind explains them if it is within its own error."""
    rival, expected = _by_criterion(search, fits), _by_criterion(search, known)
    if len(expected.places) < len(rival.places) and _misfit(search, expected) <= OWN:
        rival = fits[len(expected.places)]  # one more would explain what the model of the expected kind neglects
    count = len(rival.places)
    free = max(1, search.points - 3 * count - 2)
    variance = max(LEAST, rival.cost / free)
    reach = student(SHARE, max(1.0, free))
    limit = rival.cost + ALIKE * variance * reach**2
    usual = known[count]
    as_expected = len(usual.places) == count and usual.cost <= max(limit, OWN**2 * free)
    as_expected = as_expected and (walks_little(usual) or not walks_little(rival))
    best = usual if as_expected else rival
    own = max(LEAST, best.cost / free)
    limit = max(limit, best.cost + variance * reach**2)
    if any(place.kind != LRU for place in best.places):
        limit = max(limit, OWN**2 * free)  # the table has few of many kinds: sets of 32 units are between two of them
    return Fitted(search, fits, known, best, own, limit)


def _misfit(search: Search, fit: Fit) -> float:
    return float(np.sqrt(fit.cost / max(1, search.points - 3 * len(fit.places) - 2)))


def _told(fitted: Fitted, rivals: Rivals, sigma: Floats, curve: Curve) -> Levels:
    search, fit = fitted.search, fitted.best
    design, count = search.design(fit.places), len(fit.places)
    reach = student(SHARE, max(1.0, search.points - 3 * count - 2))
    times = _bounded_times(design, fit.times_s, fitted.variance, reach)
    cells = [_cells(fitted, rivals, number) for number in range(count)]
    scattered = curve.shown_bytes()
    reach_bytes = search.largest_bytes / REACH
    limit = fit.cost + fitted.variance * reach**2
    capacities = [_capacity(search, fit.places, number, limit, own) for number, own in enumerate(cells)]
    cliffs = shown_by_passes(curve.passes, fit.places, capacities, curve.line_bytes)
    by_fit = {number: capacities[number] for number in cliffs}
    capacities = [cliffs.get(number, capacity) for number, capacity in enumerate(capacities)]
    unlike = against(curve.passes, fit.places, capacities, fit.times_s[1 : 1 + count])
    own_times = times
    for number in _unseen(capacities, reach_bytes):
        far = _far(fitted, rivals, number)
        capacities[number] = _at_least(capacities[number], far, search.largest_bytes)
        times = _widened(times, fitted, number, far)
    expected = all(place.kind == LRU and place.unit_bytes in search.units for place in fit.places)
    levels = []
    for number, (place, capacity) in enumerate(zip(fit.places, capacities, strict=True)):
        alike, shown = cells[number], scattered / TWICE
        if expected and place.unit_bytes <= shown and walks_little(fit):
            shown = np.inf  # the plateau of a power of two
        else:
            least = shown if walks_little(fit) else 0.0
            alike = [*alike, *(cell for cell in _far(fitted, rivals, number) if cell.unit_bytes > least)]
        usual = expected and not any(one.bounded for one in capacities[max(number - 1, 0) : number + 2])
        unit = _unit(fitted, number, limit if usual else _as_good(fitted, reach), alike, shown)
        if unit.low < unit.high and not expected:
            possible = [cell for cell in alike if unit.low <= cell.unit_bytes <= unit.high]
            times = _widened(times, fitted, number, possible)
        known = capacity if unit.low == unit.high else by_fit.get(number, capacity)  # passes count units
        size = None if known.bounded else _round(known, place.unit_bytes, curve.ways)
        levels.append((known, unit, size))
    unsure = [*unlike, *_wide_times(own_times[:count], times)]
    found = [_level(*one, time, curve.line_bytes) for one, time in zip(levels, times, strict=False)]
    curve_s = design @ fit.times_s * sigma
    medium = times[count]
    if found and found[-1].capacity_bytes.bounded:
        least = min(medium.low, float(curve_s.max()) * (1 - errors.MODEL))
        medium = Estimate(least, least, math.inf)
    return Levels(
        tuple(found), medium, times[-1], fitted.misfit(fit), search.points, curve_s,
        (*doubts(fitted, cells, cliffs), *unsure), reach_bytes,
    )  # fmt: skip


def _wide_times(own: list[Estimate], times: list[Estimate]) -> Iterator[str]:
    """Yield a phrase for each latency that other units or capacities change by more than KNOWN."""
    for number, (one, all_of_them) in enumerate(zip(own, times, strict=False), start=1):
        if all_of_them.furthest > max(KNOWN, one.furthest) or not one.middle:
            yield f"latency of buffer {number} is not known to {KNOWN * 100:g} %"


def _level(capacity: Estimate, unit: Estimate, size: int | None, time: Estimate, line: int) -> Level:
    """Return a level; its capacity is a range if it is not known to WIDE, or if a round size in it is far from it."""
    level = Level(capacity, unit, time, size, line)
    far = size is not None and abs(size / capacity.middle - 1) > ROUND
    if capacity.bounded or (level.capacity_off <= WIDE and not far):
        return level
    return replace(level, round_bytes=None, ranged=True)


def _as_good(fitted: Fitted, reach: float) -> float:
    """Return the cost up to which another unit is as good, where a kind is not the expected one, or not known.

    Kinds move a unit as they move a capacity. Regions at random show a unit, and leave what their errors state. Regions
    in order leave much less, because their errors allow for kinds. So if all of them leave less than their errors, the
    errors are the measure of a unit.
    """
    return max(fitted.limit, fitted.best.cost + ALIKE * max(fitted.variance, 1.0) * reach**2)


def _unseen(capacities: list[Estimate], reach_bytes: float) -> list[int]:
    """Return the places of the last levels whose knee no region shows as a whole, or hardly any."""
    found: list[int] = []
    for number in reversed(range(len(capacities))):
        size = capacities[number]
        if size.high <= reach_bytes or (size.middle <= reach_bytes and size.half <= WIDE):
            break
        found.append(number)
    return found


def _far(fitted: Fitted, rivals: Rivals, number: int) -> list[Cell]:
    """Return the cells that explain a level within the error of the closed form.

    They count where no region shows the whole knee of a capacity, and then not its kind, or the plateau of a unit.
    """
    places, cost = fitted.best.places, fitted.best.cost
    free = max(1, fitted.search.points - 3 * len(places) - 2)
    noise = cost + ON_GRID * (fitted.limit - cost)
    return rivals.cells(places, number, max(noise, OWN**2 * free))


def _at_least(capacity: Estimate, cells: list[Cell], largest_bytes: float) -> Estimate:
    """Return the lower bound of a capacity: no more than the largest region."""
    lows = [capacity.low, *(cell.low_bytes / (1 + CAPACITY_MODEL) for cell in cells), largest_bytes]
    return Estimate(min(lows), min(lows), math.inf)


def _widened(times: list[Estimate], fitted: Fitted, number: int, cells: list[Cell]) -> list[Estimate]:
    """Return the times with those that the fit has with each of the cells at level `number`, entry left out."""
    places = fitted.best.places
    moved = [
        (*places[:number], Place(cell.unit_bytes, size, cell.kind), *places[number + 1 :])
        for cell in cells
        for size in (cell.low_bytes, cell.capacity_bytes, cell.high_bytes)
    ]
    sums = [np.cumsum(fitted.search.fit(one).times_s[:-1]) for one in moved]
    ends = [Estimate(one.low, one.middle, one.high) for one in times]
    for place in range(len(times) - 1):
        low = min([times[place].low, *(float(one[place]) for one in sums)])
        high = max([times[place].high, *(float(one[place]) for one in sums)])
        ends[place] = Estimate(low, times[place].middle, high)
    return ends


def _cells(fitted: Fitted, rivals: Rivals, number: int) -> list[Cell]:
    """Return the cells that explain level `number` as well, with the others of the chosen fit or of the best one."""
    rival = fitted.fits[len(fitted.best.places)]
    bases = dict.fromkeys((fitted.best.places, rival.places))
    alone = [cell for base in bases for cell in rivals.cells(base, number, fitted.limit)]
    return alone + [cell for base in bases for cell in rivals.pairs(base, number, fitted.limit)]


def _bounded_times(design: Floats, times: Floats, variance: float, reach: float) -> list[Estimate]:
    """Return, with bounds, the times of a line found in each level, of one in the medium, and the entry."""
    count = times.size - 1
    sums = np.vstack([np.tril(np.ones((count, count + 1)), 0), np.eye(count + 1)[-1]])
    lengths = np.linalg.norm(design, axis=0)
    lengths = np.where(lengths > 0, lengths, 1.0)
    inverse = np.linalg.pinv(design / lengths)
    spread = variance * (inverse @ inverse.T) / lengths[:, None] / lengths[None, :]
    middles = sums @ times
    halves = np.hypot(reach * np.sqrt(np.einsum("ij,jk,ik->i", sums, spread, sums)), errors.MODEL * middles)
    return [Estimate(float(max(0.0, m - h)), float(m), float(m + h)) for m, h in zip(middles, halves, strict=True)]


def _capacity(search: Search, places: tuple[Place, ...], number: int, limit: float, cells: list[Cell]) -> Estimate:
    """Return the capacities below the limit with times fitted again, and those of rivals, with the model's error."""
    own = places[number]
    ends = []
    for direction in (-1, 1):
        last = 0.0
        for step in np.arange(0.005, 1.0, 0.01):
            moved = replace(own, capacity_bytes=own.capacity_bytes * 2 ** (direction * step))
            if search.fit((*places[:number], moved, *places[number + 1 :])).cost > limit:
                break
            last = step
        ends.append(2**last - 1)
    size = own.capacity_bytes
    ends[0] = max(ends[0], *(size / cell.low_bytes - 1 for cell in cells), 0.0)
    ends[1] = max(ends[1], *(cell.high_bytes / size - 1 for cell in cells), 0.0)
    low, high = (float(np.hypot(end, CAPACITY_MODEL)) for end in ends)
    return Estimate(size / (1 + low), size, size * (1 + high))


def _unit(fitted: Fitted, number: int, limit: float, cells: list[Cell], shown_bytes: float) -> Estimate:
    """Return the unit, with those of rivals, and those next to it at the capacity that suits them best.

    shown_bytes: a larger unit does not show, because a region at random shows one only if it is at most half as large.
    Without a longer plateau, larger units differ by errors that points share, as capacities do. A page walk hides them.
    """
    search, places = fitted.search, fitted.best.places
    own = places[number]
    units = sorted({*search.units, own.unit_bytes})
    rival_units = [unit for unit in UNITS if unit % search.line_bytes == 0]
    close = {cell.unit_bytes for cell in cells if cell.cost <= limit}
    unseen = [cell for cell in cells if cell.unit_bytes > shown_bytes]
    found = {
        own.unit_bytes,
        *close,
        *together(search, places, number, sorted(search.models), limit),
        *(cell.unit_bytes for cell in unseen if _walks_little(search, places, number, cell)),
    }
    for direction in (-1, 1):
        at = units.index(own.unit_bytes) + direction
        while 0 <= at < len(units):
            if _cheapest(search, places, number, units[at]) > limit:
                break
            found.add(units[at])
            at += direction
    if found <= set(search.units) and len(found) == 1:
        return Estimate(own.unit_bytes, own.unit_bytes, own.unit_bytes)  # a power of two, and none next to it
    ends = []
    for end, outside in _beyond(min(found), max(found), sorted({*rival_units, *search.units})):
        shown = end <= shown_bytes
        ends.append(_last(search, places, number, end, outside, limit) if shown else _beside(end, outside))
    return Estimate(ends[0], own.unit_bytes, ends[1])


def _beyond(low: int, high: int, units: list[int]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return both ends of a range of units, each with the next unit outside that was tried; itself if there is none."""
    below = max((unit for unit in units if unit < low), default=low)
    above = min((unit for unit in units if unit > high), default=high)
    return (low, below), (high, above)


def _beside(inside: int, outside: int) -> int:
    """Return the unit next to one that was tried and ruled out, or LARGEST_UNIT, beyond which none was."""
    if outside in (inside, LARGEST_UNIT):
        return outside
    return outside + (LINE_BYTES if outside < inside else -LINE_BYTES)


def _last(search: Search, places: tuple[Place, ...], number: int, inside: int, outside: int, limit: float) -> int:
    """Return the last unit within the limit from one inside it to one that is not, in whole lines."""
    line = search.line_bytes
    while abs(outside - inside) > line:
        middle = (inside + outside) // (2 * line) * line
        search.add_units([middle])
        if _cheapest(search, places, number, middle) <= limit:
            inside = middle
        else:
            outside = middle
    return inside


def _walks_little(search: Search, places: tuple[Place, ...], number: int, cell: Cell) -> bool:
    """Return whether a cell explains the curve without first lines that take longer than a page walk."""
    moved = Place(cell.unit_bytes, cell.capacity_bytes, cell.kind)
    return walks_little(search.fit((*places[:number], moved, *places[number + 1 :])))


def _cheapest(search: Search, places: tuple[Place, ...], number: int, unit: int) -> float:
    own = places[number]
    sizes = own.capacity_bytes * 2.0 ** np.linspace(-0.6, 0.6, 25)
    moved = [Place(unit, float(size), own.kind) for size in sizes if size >= unit]
    return min((search.fit((*places[:number], one, *places[number + 1 :])).cost for one in moved), default=np.inf)


def _round(capacity: Estimate, unit: int, ways: int) -> int | None:
    """Return the nearest 2^k or 1.5 * 2^k in the interval, in each of the memories."""
    power = int(np.floor(np.log2(capacity.middle / ways)))
    near = [
        ways * int(factor * 2**step) for factor, step in itertools.product((1.0, 1.5), (power - 1, power, power + 1))
    ]
    inside = [size for size in near if capacity.low <= size <= capacity.high and size % (ways * unit) == 0]
    return min(inside, key=lambda size: abs(np.log(size / capacity.middle)), default=None)
