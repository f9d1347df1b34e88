"""The levels of a latency staircase: plateaus of latency over footprint, found by change points.

Over x = log2(footprint), y = ln(latency) is cut into segments, each a plateau or a ramp, so that

    sum over segments of  misfit / sigma^2 + parameters * ln(n)

is least: optimal partitioning, exact by dynamic programming over every place of every cut, with the Bayesian
information criterion as the price of a segment. A ramp is any line (two parameters and its place), as short as one
point. A plateau is three points or more, so at least an octave in steps of half octaves; its line costs (slope /
0.05)^2 in addition to its level and its place. Nothing ties the segments together, so a jump needs no ramp.
sigma is the noise between neighbours: median absolute deviation from the line through the two neighbours, at least 1 %.

Plateaus within 20 % of one another are one level: page walks alone raise DRAM's latency that much per octave with 4 KiB
pages, and no cache is worth building for less.

A level ends where a quarter of the accesses miss it. There latency, made never falling, has risen by a quarter of the
way from its plateau to the next one (or to the last point, if the rest is one ramp). At a quarter, the nominal capacity
C is met within half an octave with any kind of cache. A cyclic walk over least-recently-used lines jumps at C. With
lines replaced at random the quarter is at 1.15 C, and with uniform draws at 1.33 C. Sets that are filled unevenly
(small pages) reach it before C. On a shared machine neighbours use their part: the capacity is the effective one. Its
bounds are measured footprints: the largest one whose latency still agrees with the plateau, within 20 %, and the
smallest one at which a quarter misses.

A quarter of the way to the next plateau is a quarter of the misses only if there is no level in between. A staircase
cannot prove that; it can show that there is space for one. So a level is in doubt (`stats.levels_doubt`) unless
conclusive points show its plateau and both sides of its end, it ends sharply, and the step is not a page walk.

Blind to levels narrower than three points, and to which cache or TLB a level is: with 4 KiB pages TLB levels show as
well, so a staircase with the largest pages shows most about caches.

Sources: B. Jackson et al., "An Algorithm for Optimal Partitioning of Data on an Interval", IEEE Signal Processing
Letters 12, 2005; R. Killick, P. Fearnhead and I. A. Eckley, "Optimal Detection of Changepoints with a Linear
Computational Cost", Journal of the American Statistical Association 107, 2012.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from tierscope.arrays import Floats, Truths
from tierscope.stats.knee import rising
from tierscope.stats.levels_doubt import (
    KNOWN,
    ONE_LEVEL,
    Known,
    Place,
    Points,
    doubt_of_last,
    doubt_of_level,
    doubt_of_memory,
)
from tierscope.stats.median import MAD_SIGMA

Sums = list[tuple[float, ...]]

PLATEAU_POINTS = 3
MISSES = 0.25
FEWEST = 2 * PLATEAU_POINTS  # points below which there is nothing to cut
SLOPE = 0.05  # per octave: what page walks add to DRAM's latency with 2 MiB pages, 230 to 255 ns over 1 to 4 GiB
NOISE = 0.01  # least; runs of one footprint differ by this with the pages that they received


@dataclass(frozen=True, slots=True)
class Level:
    """One plateau that ends within the footprints measured. `doubt`: why its end, or what ends there, is not known."""

    latency_s: float
    capacity_bytes: float
    low_bytes: float  # the largest footprint measured up to which latency agrees with the plateau
    high_bytes: float  # the smallest one at which a quarter misses
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Staircase:
    """Levels, the nearest first; the last plateau is memory, provided that a ramp or a jump leads to it."""

    levels: tuple[Level, ...]
    memory_s: float | None  # None: the largest footprint is still on a ramp, or all are on one plateau
    memory_from_bytes: float | None  # smallest footprint on memory's plateau
    memory_doubt: str = ""
    last_doubt: str = ""  # why the last level is not the effective last-level cache

    @property
    def last_cache(self) -> Level | None:
        """Return the effective last-level cache: the level before memory. None if memory was not reached,
        or in doubt.
        """
        return self.levels[-1] if self.levels and self.memory_s is not None and not self.last_doubt else None


@dataclass(frozen=True, slots=True)
class _Segment:
    first: int
    last: int
    plateau: bool
    level: float  # of y at `centre`
    slope: float  # per octave
    centre: float

    def at(self, x: float) -> float:
        return self.level + self.slope * (x - self.centre)


def staircase(
    footprint_bytes: Floats,
    latency_s: Floats,
    spread: Floats | None = None,
    sure: Truths | None = None,
    known: Known = KNOWN,
    slope: float = SLOPE,
) -> Staircase:
    """Return the levels of latencies measured at distinct footprints, arrays of shape (points,), in any order.

    spread: relative standard error of each latency where known. sure: which points are conclusive; all if omitted.
    slope: what a plateau may rise by for each octave, relative, at the price of one parameter.
    Points without a finite latency are skipped; fewer than six have no levels.
    """
    there = np.flatnonzero(np.isfinite(latency_s) & (latency_s > 0))
    order = there[np.argsort(footprint_bytes[there])]
    sizes = footprint_bytes[order].astype(np.float64)
    x, y = np.log2(sizes), np.log(latency_s[order])
    if x.size < FEWEST:
        return Staircase((), None, None)
    sigma = np.full(x.size, _noise(x, y))
    if spread is not None:
        sigma = np.maximum(sigma, spread[order])
    sums = _sums(x, y, sigma)
    segments = _merged(_partition(sums, slope), y, sums, slope)
    if len(segments) == 1:
        return Staircase((), None, None)
    points = Points(sizes, y, np.ones(x.size, dtype=np.bool_) if sure is None else sure[order], known)
    return _staircase(segments, x, points)


def _staircase(segments: list[_Segment], x: Floats, points: Points) -> Staircase:
    """Return the levels of two segments or more; x: logarithms of the sizes, to base 2."""
    plateaus = [segment for segment in segments if segment.plateau]
    memory = plateaus.pop() if segments[-1].plateau else None
    end = memory.at(float(x[-1])) if memory else float(points.y[-1])
    tops = [plateau.level for plateau in plateaus[1:]] + [end]
    begins = [plateau.first for plateau in plateaus[1:]] + [memory.first if memory else None]
    levels = tuple(
        _level(plateau, top, begin, points) for plateau, top, begin in zip(plateaus, tops, begins, strict=False)
    )
    if memory is None:
        return Staircase(levels, None, None)
    doubt = doubt_of_memory(points, np.array([memory.at(at) for at in x[memory.first :].tolist()]))
    start = float(points.sizes[memory.first])
    found = Staircase(levels, math.exp(end), start, doubt)
    if not levels:
        return found
    last = levels[-1]
    blurred = doubt_of_last(points.known, (last.low_bytes, last.high_bytes), start)
    return replace(found, last_doubt=last.doubt or doubt or blurred)


def _noise(x: Floats, y: Floats) -> float:
    """Return sigma of y from each point's distance to the line through its neighbours."""
    share = (x[1:-1] - x[:-2]) / (x[2:] - x[:-2])
    distance = y[1:-1] - (1 - share) * y[:-2] - share * y[2:]
    deviations = np.abs(distance) / np.sqrt(1 + share**2 + (1 - share) ** 2)
    return max(NOISE, MAD_SIGMA * float(np.median(deviations)))


def _sums(x: Floats, y: Floats, sigma: Floats) -> Sums:
    """Return weighted sums of 1, x, y, xx, xy, yy over the first k points, k = 0 to all, as plain floats."""
    weight = sigma**-2
    terms = weight * np.array([np.ones_like(x), x, y, x * x, x * y, y * y])
    return [tuple(row) for row in np.cumsum(np.pad(terms, ((0, 0), (1, 0))), axis=1).T.tolist()]


def _partition(sums: Sums, slope: float) -> list[_Segment]:
    """Return the cheapest cut of all points into segments."""
    count = len(sums) - 1
    price = math.log(count)
    cost = [0.0] + [math.inf] * count  # of the first k points
    came: list[_Segment | None] = [None] * (count + 1)
    for end in range(1, count + 1):
        for begin in range(end):
            for segment, misfit in _fits(sums, begin, end - 1, slope):
                total = cost[begin] + misfit + price * (2 if segment.plateau else 3)
                if total < cost[end]:
                    cost[end], came[end] = total, segment
    segments: list[_Segment] = []
    while count:
        cheapest = came[count]
        assert cheapest is not None  # a ramp fits everywhere
        segments.insert(0, cheapest)
        count = cheapest.first
    return segments


def _fits(sums: Sums, first: int, last: int, rise: float) -> list[tuple[_Segment, float]]:
    """Return points first..last as a ramp, and as a plateau where there are enough, each with its misfit."""
    weight, x, y, xx, xy, yy = (after - before for before, after in zip(sums[first], sums[last + 1], strict=True))
    centre, level = x / weight, y / weight
    xx, xy, yy = xx - x * centre, xy - x * level, yy - y * level
    slope = xy / xx if last > first else 0.0
    fits = [(_Segment(first, last, False, level, slope, centre), max(0.0, yy - slope * xy))]
    if last - first + 1 >= PLATEAU_POINTS:
        slope = xy / (xx + rise**-2)
        fits.append((_Segment(first, last, True, level, slope, centre), max(0.0, yy - slope * xy)))
    return fits


def _merged(segments: list[_Segment], y: Floats, sums: Sums, slope: float) -> list[_Segment]:
    """Return the segments with neighbouring plateaus within 20 % merged, together with any ramp between them.

    A ramp at either end that rises by less is merged, too: a last point that is slightly high is not a new level.
    """
    kept: list[_Segment] = []
    for segment in segments:
        before = next((i for i in range(len(kept) - 1, -1, -1) if kept[i].plateau), None)
        level = segment.level if segment.plateau else float(y[-1])
        ends = segment.plateau or segment is segments[-1]
        if before is not None and ends and level - kept[before].level < ONE_LEVEL:
            joined = _fits(sums, kept[before].first, segment.last, slope)[1][0]
            kept = [*kept[:before], joined]
        else:
            kept.append(segment)
    if len(kept) > 1 and not kept[0].plateau and kept[1].plateau and kept[1].level - y[0] < ONE_LEVEL:
        kept[:2] = [_fits(sums, 0, kept[1].last, slope)[1][0]]
    return kept


def _level(plateau: _Segment, top: float, begin: int | None, points: Points) -> Level:
    """Return the level, which ends where latency has risen by a quarter of the way to exp(top), the next plateau's
    latency.

    begin: of the next plateau, among the points; None where none follows.
    """
    sizes, y = points.sizes, points.y
    floor = math.exp(plateau.at(math.log2(sizes[plateau.last])))
    quarter = math.log(floor + MISSES * (math.exp(top) - floor))
    climb = rising(y[plateau.last :])
    above = max(1, int(np.argmax(climb > quarter))) if climb[-1] > quarter else climb.size - 1
    before, high = plateau.last + above - 1, plateau.last + above
    end = np.interp(quarter, climb[above - 1 : above + 1], np.log2(sizes[before : high + 1]))
    agrees = rising(y[plateau.first : high]) <= plateau.level + ONE_LEVEL
    low = plateau.first + max(0, int(np.count_nonzero(agrees)) - 1)
    doubt = doubt_of_level(points, Place(plateau.first, low, high, begin), plateau.level, top)
    return Level(math.exp(plateau.level), float(2**end), float(sizes[low]), float(sizes[high]), doubt)
