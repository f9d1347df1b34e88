"""Wear-levelling migrations: long stalls of single writes that come after a number of writes to one place.

A stall is a write far above the bulk. Interrupts and stolen time also cause such writes, but at random, so stalls are
migrations only if they are periodic. For stalls of about one height, the distances between any two of them, in writes,
are examined. A band of distances around P is a period if it contains far more distances than a Poisson process of the
same rate would put there. Bands have several widths, since the number of writes may scatter. Stalls that come as often
in a control, a region far larger than any unit, belong to the machine (its timer), not to the medium.

    any two:     k distances in the band: Poisson tail with mean n^2 * width / writes                   [1]
    neighbours:  k distances in the band: binomial tail of that number of exponential ones             [1]
    unit = the region up to which stalls have one rate, and beyond which another: the likeliest       [bytes]

Blind to: stalls that begin before the period is over because several places are hot; a period that is longer than a
quarter of the writes that were timed.
Source of the method of overwriting one place: Z. Wang et al., Characterizing and Modeling Non-Volatile Memory Systems,
MICRO, 2020 (LENS, policy prober), where a person reads the period.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats, Truths
from tierscope.stats.median import SIGMAS_95

FAR = 4.0  # least time of a stall over the median write
LEAST_S = 1e-6  # least time of a stall above the median write
BANDS = (0.01, 0.05, 0.2)  # half-widths of a band of distances over its middle
STEP = 1.12  # between the lowest heights that are tried, and between heights of one kind: a sixth of their scatter
KIND = 1.4  # stalls of one kind: the highest over the lowest
TICKS = 0.15  # of ln time: periods that are the same one
PLANTED = 12  # stalls of a period as long as the suite promises to find
PLANTED_S = 10e-6  # of each: a fifth of published ones
SCATTER = 0.1  # of the distances between them
POWER = 5.0  # expected stalls in a place, from which their absence means something
ALIKE = 0.1  # of ln height: published stalls are 50 to 54 us long
LEAST_STALLS = 5
MOST_STALLS = 3000  # of one height; more are not needed
CERTAIN = 1e-4  # chance of a period in stalls that come at random, over all that is tried
TRIED = 100.0  # kinds of stalls, bands, and ways to look at distances
AHEAD = 12  # stalls to the next ones, whose distances are examined
LONGER = 1.4  # limit of overlap between bands about one period
SAME = 0.01  # chance of the few stalls in the control, if they came as often there: below it they depend on the place
REST = 0.8  # of the pairs of the best band: the least number for a shorter period


HIDDEN = "not known, because other stalls would hide those of a migration: make the machine less busy"
SHORT = "not known, because the largest place was written for too short a time to compare stalls"
ELSEWHERE = "not known, because stalls come at the same times in some of the larger places, and not in others"
DOUBTS = (HIDDEN, SHORT, ELSEWHERE)


@dataclass(frozen=True, slots=True)
class Period:
    """Periodic stalls. `low` and `high` bound the mean number of writes between two, `stall_*` the median stall."""

    writes: float
    low: float
    high: float
    stall_s: float
    stall_low: float
    stall_high: float
    stalls: int
    seconds: float  # between two
    chance: float  # that random stalls look like this


@dataclass(frozen=True, slots=True)
class Seen:
    """One region that was overwritten. `period` is None if stalls are not periodic."""

    region_bytes: int
    writes: int
    stalls: int  # of any kind
    typical_s: float  # the median write
    period: Period | None
    alike: int = 0  # stalls as high as those of the period: its own, or that of the region it is compared with
    hides: bool = False  # no period is found, and the other stalls would hide one of PLANTED_S each


@dataclass(frozen=True, slots=True)
class Migration:
    """`period` None: no migration. unit_bytes None: it is outside the regions that were tried, see `unit_above`."""

    period: Period | None
    unit_bytes: int | None
    unit_above: int | None  # it is at least this
    regions: tuple[Seen, ...]
    why: str  # why there is none, or ""
    doubt: str = ""  # why it is not sure that there is none, or ""


def look(region_bytes: int, seconds: Floats, clean: Truths | None = None, like: Period | None = None) -> Seen:
    """Return what one region shows. seconds: of shape (writes,), in the order of the writes; clean: undisturbed, as far
    as known.

    A disturbed write counts as a write, not as a stall. like: the period of another region; stalls of its height are
    counted as alike.
    """
    good = np.ones(seconds.size, dtype=bool) if clean is None else clean
    if not good.any():
        return Seen(region_bytes, int(seconds.size), 0, math.nan, None)
    typical = float(np.median(seconds[good]))
    far = good & (seconds > max(FAR * typical, typical + LEAST_S))
    places = np.flatnonzero(far).astype(np.float64)
    heights = seconds[far] - typical
    period = _best(places, heights, seconds)
    known = like or period
    alike = np.abs(np.log(heights / known.stall_s)) <= ALIKE if known else np.zeros(0, dtype=bool)
    hides = period is None and like is None and _hides(places, heights, seconds)
    return Seen(region_bytes, int(seconds.size), int(far.sum()), typical, period, int(alike.sum()), hides)


def _hides(places: Floats, heights: Floats, seconds: Floats) -> bool:
    """Return whether periodic stalls, planted among the others, are not found: the longest period that is promised."""
    if heights.size == 0:
        return False
    steps = seconds.size / PLANTED * (1 + SCATTER * np.cos(2.4 * np.arange(PLANTED)))
    planted = np.cumsum(steps)
    planted = planted[planted < seconds.size]
    at = np.concatenate([places, planted])
    order = np.argsort(at, kind="stable")
    tall = np.concatenate([heights, np.full(planted.size, PLANTED_S)])
    return _best(at[order], tall[order], seconds) is None


def infer_migration(regions: Sequence[Seen]) -> Migration:
    """Return the migration. regions: seen with `like` of the smallest; the largest is the control, far larger than any
    unit.
    """
    ordered = sorted(regions, key=lambda one: one.region_bytes)
    period = ordered[0].period if ordered else None
    if period is None:
        doubt = HIDDEN if ordered and ordered[0].hides else ""
        return Migration(None, None, None, tuple(ordered), "no stalls in step", doubt)
    first, last = ordered[0], ordered[-1]
    if len(ordered) > 1 and _as_often(first, last):
        doubt = SHORT if _expected(first, last) < POWER else ""
        why = "stalls do not depend on the place: they are the machine's"
        return Migration(None, None, None, tuple(ordered), why, doubt)
    if len(ordered) == 1:
        return Migration(period, None, first.region_bytes, tuple(ordered), "")
    unit = max(range(1, len(ordered)), key=lambda many: _likely(ordered[:many]) + _likely(ordered[many:]))
    if any(_ticks_alike(first, one) for one in ordered[unit:]):
        timed = [one for one in ordered[unit:] if _expected(first, one) >= POWER]
        doubt = "" if all(_ticks_alike(first, one) for one in timed) else ELSEWHERE
        why = "stalls come at the same times elsewhere: a timer's"
        return Migration(None, None, None, tuple(ordered), why, doubt)
    return Migration(period, ordered[unit - 1].region_bytes, None, tuple(ordered), "")


def _as_often(first: Seen, last: Seen) -> bool:
    """Return whether stalls are as frequent over time: the machine causes them by time, not by writes."""
    from scipy.stats import poisson  # slow to load, and not every run needs it

    return bool(poisson.cdf(last.alike, _expected(first, last)) > SAME)


def _expected(first: Seen, other: Seen) -> float:
    """Return the stalls of the other place, if they are as frequent over time."""
    return first.alike * other.writes * other.typical_s / (first.writes * first.typical_s)


def _ticks_alike(first: Seen, other: Seen) -> bool:
    """Return whether stalls of any length have the same distance in time: a timer's ticks take longer here
    than there.
    """
    if first.period is None or other.period is None:
        return False
    apart = other.period.writes * other.typical_s / (first.period.writes * first.typical_s)
    return abs(math.log(apart)) < TICKS


def _likely(regions: Sequence[Seen]) -> float:
    """Return the ln likelihood of their stalls, if all have the same rate."""
    from scipy.stats import poisson  # slow to load, and not every run needs it

    rate = max(sum(one.alike for one in regions), 0.5) / sum(one.writes for one in regions)
    return sum(float(poisson.logpmf(one.alike, rate * one.writes)) for one in regions)


def _best(places: Floats, heights: Floats, seconds: Floats) -> Period | None:
    """Return the period that is least likely to be chance, over kinds of stalls by height."""
    found = [one for low in _floors(heights) for one in [_of_kind(places, heights, low, seconds)] if one is not None]
    return min(found, key=lambda one: (one.chance, -one.stalls)) if found else None


def _floors(heights: Floats) -> list[float]:
    if heights.size < LEAST_STALLS:
        return []
    count = int(math.log(heights.max() / heights.min()) / math.log(STEP)) + 1
    return [float(heights.min()) * 0.999 * STEP**step for step in range(count)]


def _of_kind(places: Floats, heights: Floats, low: float, seconds: Floats) -> Period | None:
    """Return the stalls of one height that are periodic, or None."""
    mine = (heights >= low) & (heights <= KIND * low)
    if mine.sum() < LEAST_STALLS:
        return None
    at, own = places[mine][:MOST_STALLS], heights[mine][:MOST_STALLS]
    writes = float(seconds.size) if at.size == mine.sum() else float(at[-1])
    band = _band(at, writes)
    if band is None:
        return None
    middle, width, chance = band
    return _measured(at, own, (middle * (1 - width), middle * (1 + width)), seconds, chance)


def _band(at: Floats, writes: float) -> tuple[float, float, float] | None:
    """Return (middle, half-width over it, chance) of the shortest period that the distances show, or None."""
    found = [one for width in BANDS for look in (_next, _any) for one in look(at, width, writes)]
    if not found:
        return None
    pairs = max(excess for _, excess, _, _ in found)
    rich = [one for one in found if one[1] >= REST * pairs]
    shortest = min(middle for _, _, middle, _ in rich)
    chance, _, middle, width = min(one for one in rich if one[2] <= LONGER * shortest)
    return middle, width, math.exp(max(chance, -700.0))


Band = tuple[float, float, float, float]  # ln chance, distances beyond those of chance, middle, half-width


def _next(at: Floats, width: float, writes: float) -> list[Band]:
    """Return bands of distances of neighbours, otherwise exponential; for a period that scatters with few
    other stalls.
    """
    from scipy.stats import binom  # slow to load, and not every run needs it

    distances = np.sort(np.diff(at))
    middles = _middles(distances, writes)
    mean = float(at[-1] - at[0]) / (at.size - 1)
    share = np.exp(-middles * (1 - width) / mean) - np.exp(-middles * (1 + width) / mean)
    counts = _within(distances, middles, width)
    chances = np.asarray(binom.logsf(counts - 1, distances.size, share))
    return _sure(chances, counts, distances.size * share, middles, width)


def _any(at: Floats, width: float, writes: float) -> list[Band]:
    """Return bands of distances of any two; for a period that scatters little with other stalls in between."""
    from scipy.stats import poisson  # slow to load, and not every run needs it

    distances = np.sort(np.concatenate([at[k:] - at[:-k] for k in range(1, min(at.size, AHEAD + 1))]))
    middles = _middles(distances, writes)
    expected = at.size**2 / writes * 2 * width * middles
    counts = _within(distances, middles, width)
    return _sure(np.asarray(poisson.logsf(counts - 1, expected)), counts, expected, middles, width)


def _middles(distances: Floats, writes: float) -> Floats:
    """Return the distances that may be a period, thinned where they are many."""
    middles = np.unique(distances[(distances > 1) & (distances <= writes / 4)])
    return middles[:: max(middles.size // 2000, 1)]


def _within(distances: Floats, middles: Floats, width: float) -> Floats:
    high = np.searchsorted(distances, middles * (1 + width), "right")
    return np.asarray(high - np.searchsorted(distances, middles * (1 - width), "left"), dtype=np.float64)


def _sure(chances: Floats, counts: Floats, expected: Floats, middles: Floats, width: float) -> list[Band]:
    """Return the bands that chance does not explain, corrected for all that is tried."""
    least = math.log(CERTAIN / (max(middles.size, 1) * TRIED))
    places = np.flatnonzero((chances < least) & (counts >= LEAST_STALLS - 1))
    return [(float(chances[p]), float(counts[p] - expected[p]), float(middles[p]), width) for p in places]


def _measured(at: Floats, heights: Floats, band: tuple[float, float], seconds: Floats, chance: float) -> Period | None:
    """Return the mean distance of stalls that follow one another in the band, and their median height."""
    pairs = [(i, j) for i in range(at.size) for j in _partners(at, i, band)]
    if len(pairs) < 2:
        return None
    distances = np.array([at[j] - at[i] for i, j in pairs])
    members = np.unique(np.array(pairs))
    own = np.sort(heights[members])
    middle = _centre(distances)
    error = SIGMAS_95 * float(np.std(distances, ddof=1)) / math.sqrt(distances.size) + 0.5
    low, high = _order_bounds(own.size)
    return Period(
        writes=middle, low=middle - error, high=middle + error,
        stall_s=float(np.median(own)), stall_low=float(own[low]), stall_high=float(own[high]),
        stalls=int(members.size), chance=chance,
        seconds=float(np.sum(seconds[: int(at[-1])]) / max(at[-1], 1.0) * middle),
    )  # fmt: skip


def _centre(distances: Floats) -> float:
    """Return the median of distances that are almost equal, otherwise the mean: evenly drawn distances have
    no middle.
    """
    middle = float(np.median(distances))
    spread = float(np.median(np.abs(distances - middle)))
    return middle if spread < 0.01 * middle else float(np.mean(distances))


def _partners(at: Floats, i: int, band: tuple[float, float]) -> range:
    first, last = np.searchsorted(at, (at[i] + band[0], at[i] + band[1] + 1e-9))
    return range(int(first), int(last))


def _order_bounds(count: int) -> tuple[int, int]:
    """Return the places of the order statistics that bound a median with 95 %."""
    half = 0.98 * math.sqrt(count)
    return max(int(count / 2 - half), 0), min(math.ceil(count / 2 + half), count - 1)
