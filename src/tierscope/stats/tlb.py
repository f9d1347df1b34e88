"""The levels of the TLB, from the additional time of an access if each access goes to another page.

    extra(n) = time of an access to one of n lines on n pages - the same with the n lines side by side      [s]
    missing(n) = (extra(n) - of this level) / (of the next - of this level)                                [1]

Both walks touch the same number of lines, so that the effect of the caches is subtracted and translation remains.
Plateaus of `extra` are levels: it is 0 for the nearest, the cost of a hit for the next, and the cost of a page walk for
the last. They are found as those of a latency staircase (`stats.levels`: change points, each at the price of the
Bayesian information criterion). Only the coarse points are used, since points added around a knee would make plateaus
of their own.

`entries` is where a quarter of the accesses miss, as for caches. Sets of 8 ways with the least recently used entries,
walked in a cycle, reach it 3 % behind their capacity; entries replaced at random reach it 15 % behind. `low` is the
most pages without a detected miss, `high` the fewest pages with half of the accesses missing. `round` is the one number
m * 2^k, m of 1 and 3, from `low` to below `high`. If the fewest pages miss already, `low` is 0, and `entries` and
`high` are their number: the level has fewer.
A page walk also reads entries of 8 B from the caches of the lines. Once they leave a cache, page walks take longer,
although no level of the TLB ends. A level is `certain` if it is the nearest, before which nothing walks. The second one
is certain if its step is more than READS times the cost of leaving a cache for the lines side by side. That cost is
taken from the first miss to the end of the knee, stretched by 9/8, since n lines with their entries leave a cache as
9/8 n lines do. Where the knee is not sharp, it is taken from a sixteenth of its begin: a line of eight entries is used
more often than others, so it stays longer, and they leave over some octaves. A third level is never certain: cores have
two for data, and a host that takes pages of a guest away slows accesses to many pages, too.
A plateau may rise by SLOPE for each octave. On a guest with 96 entries and a second level that other guests use, too, a
hit there rose by 12 to 20 % per octave. This was once taken for the begin of the page walk, so that the first level
seemed to end between 108 and 1,722 pages.
Sets and common kinds of replacement lose half of their accesses within an octave. A knee is therefore *vague* if it is
more than two octaves wide, or if it rises less than STEEP times as fast as the plateaus next to it: another level may
end there, or none. It is not certain, and neither is the number of any level behind it.
Blind to steps under 3 % of the access, to levels narrower than three coarse points behind the nearest, and to what a
last plateau is: a page walk, or one level more that none of the footprints leaves.
Source: R. H. Saavedra and A. J. Smith, "Measuring Cache and TLB Performance and Their Effect on Benchmark Runtimes",
IEEE Transactions on Computers 44, 1995; those of `stats.levels`.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tierscope.arrays import Floats, Truths
from tierscope.stats.knee import rising
from tierscope.stats.levels import PLATEAU_POINTS, staircase
from tierscope.stats.median import MAD_SIGMA, MEDIAN_ERROR

SHIFT = 0.1  # of the fastest access, added to `extra`, whose logarithm is cut: 0 has none
NOISE = 0.01  # of an access, least: two layouts of one size differ by this
SEEN = 0.03  # of an access: smaller steps are ignored
RISEN = 2  # coarse points that show a last level left, where no plateau follows
SURE = 3.0  # standard errors of the step
QUARTER, HALF, NONE = 0.25, 0.5, 0.05  # of the accesses miss
ROUND = (1, 3)
ENTRY = 9 / 8  # a line and its page's entry, over a line
READS = 2.5  # two, as those of a guest and its host, or one and the line itself, and a quarter for noise
SHARP = 1.5  # high over low; sets with the least recently used entries are within 1.3
LEVELS = 2  # of the TLB for data, of every core sold
SLOPE = 0.2  # per octave, of the time that translation adds
WIDEST = 4.0  # high over low: two octaves, twice what one level takes
STEEP = 3.0  # what a knee rises by for each octave, over the same of a plateau next to it
STAY = 16  # times as many pages as a cache has lines: by then the entries have left it
GAP = 64  # of the number of pages, over which a knee is examined more closely
APART, BESIDE, PARTS = "pages", "lines", "parts"
"""The label `layout` of the two walks, and of one whose lines are a part of a large page apart."""


@dataclass(frozen=True, slots=True)
class Extra:
    """The time that translation adds to an access, with its 95 % interval."""

    middle_s: float
    low_s: float
    high_s: float


@dataclass(frozen=True, slots=True)
class Level:
    """A level of the TLB that ends within the measured range. `extra`: of a hit, over one in the nearest level.

    low: 0 if the level has fewer entries than `high`, and no more is known. certain: false if page walks alone may be
    the cause. It is also false from the first `vague` level on, whose knee may contain another level.
    """

    entries: float
    low: float
    high: float
    round: int | None
    extra: Extra
    certain: bool = True
    vague: bool = False


@dataclass(frozen=True, slots=True)
class Translation:
    """Levels from the nearest on; none where nothing was detected. `beyond`: behind the last, None where
    not reached.
    """

    levels: tuple[Level, ...]
    beyond: Extra | None


@dataclass(frozen=True, slots=True)
class Curve:
    """Arrays of shape (points,), by rising number of pages. `sigma_s`: standard error of `extra_s`."""

    pages: Floats
    extra_s: Floats
    sigma_s: Floats
    control_s: Floats
    coarse: Truths

    def part(self, mask: Truths) -> "Curve":
        return Curve(self.pages[mask], self.extra_s[mask], self.sigma_s[mask], self.control_s[mask], self.coarse[mask])


def curve_of(pages: Floats, apart_s: Floats, control_s: Floats, sigma_s: Floats, coarse: Truths) -> Curve:
    """Return the curve. apart_s, control_s: an access to n lines on n pages, and to n lines side by side;
    in any order.
    """
    keep = np.argsort(pages)
    keep = keep[np.isfinite(apart_s - control_s)[keep]]
    extra, sigma = apart_s - control_s, np.hypot(sigma_s, NOISE * apart_s)
    return Curve(pages[keep].astype(np.float64), extra[keep], sigma[keep], control_s[keep], coarse[keep].astype(bool))


def is_seen(extra_s: float, sigma_s: float, control_s: float) -> bool:
    """Return whether translation adds time to an access; sigma_s: standard error of `extra_s`."""
    return extra_s > max(SEEN * control_s, SURE * math.hypot(sigma_s, NOISE * (control_s + extra_s)))


def translation(curve: Curve) -> Translation:
    """Return the levels in a curve; none where fewer than six coarse points are known."""
    plateaus, ended = _plateaus(curve)
    if len(plateaus) < 2:
        return Translation((), None)
    knees: list[tuple[float, float, float]] = []
    for floor, top in pairwise(plateaus):
        begin = knees[-1][2] if knees else 0.0
        knees.append(_knee(curve.part(curve.pages > begin), floor, top))
    levels: list[Level] = []
    begin, clear = 0.0, True
    for number, (low, entries, high) in enumerate(knees):
        extra = Extra(0.0, 0.0, 0.0) if number == 0 else _extra(curve, begin, low, plateaus[number])
        step = plateaus[number + 1] - plateaus[number]
        after = knees[number + 1][0] if number + 1 < len(knees) else math.inf
        vague = high > WIDEST * low > 0 or not _steep(curve, (begin, low), (high, after))
        clear = clear and not vague
        certain = number == 0 or (number < LEVELS and step > READS * _rise(curve, low, high))
        levels.append(Level(entries, low, high, round_in(low, high), extra, certain and clear, vague))
        begin = high
    return Translation(tuple(levels), _extra(curve, begin, math.inf, plateaus[-1]) if ended else None)


def _steep(curve: Curve, before: tuple[float, float], after: tuple[float, float]) -> bool:
    """Return whether the knee between two plateaus, each from and to a number of pages, is steeper than they are."""
    low, high = before[1], after[0]
    if not 0 < low < high:
        return True  # the fewest pages miss already
    ends = np.interp(np.log2((low, high)), np.log2(curve.pages), rising(curve.extra_s))
    knee = float(ends[1] - ends[0]) / math.log2(high / low)
    return all(knee >= STEEP * _slope(curve, *plateau) for plateau in (before, after))


def _slope(curve: Curve, begin: float, end: float) -> float:
    """Return the seconds by which a plateau rises for each octave; 0 where it has too few points to show that."""
    inside = curve.part((curve.pages >= begin) & (curve.pages <= end))
    if inside.pages.size < PLATEAU_POINTS:
        return 0.0
    return float(np.polyfit(np.log2(inside.pages), inside.extra_s, 1)[0])


def _rise(curve: Curve, low: float, high: float) -> float:
    """Return the seconds that the caches add to a line side by side where they may also slow a page walk, see above."""
    begin = low if high <= SHARP * low else low / STAY
    before, after = np.interp((begin, high * ENTRY), curve.pages, rising(curve.control_s))
    return float(after - before)


def _plateaus(curve: Curve) -> tuple[list[float], bool]:
    """Return `extra` of each plateau, and whether the last one is a plateau or only the last point."""
    coarse = curve.part(curve.coarse)
    if coarse.pages.size == 0:
        return [], False
    shift = SHIFT * float(np.min(coarse.control_s))
    shown = np.maximum(coarse.extra_s, -shift / 2) + shift
    found = staircase(coarse.pages, shown, coarse.sigma_s / shown, slope=SLOPE)
    heights = [level.latency_s - shift for level in found.levels]
    begins = [float(coarse.pages[0]), *(level.high_bytes for level in found.levels)]
    small = found.memory_from_bytes is not None and found.memory_from_bytes <= coarse.pages[PLATEAU_POINTS - 1]
    if not heights and not small:  # one plateau; a level too small for one may come before it
        return [], False
    if found.memory_s is not None:
        return _seen([*heights, found.memory_s - shift], begins, coarse), True
    if np.count_nonzero(coarse.pages >= found.levels[-1].high_bytes) < RISEN:  # one high point at the end is not a knee
        return _seen(heights, begins, coarse), True
    return _seen([*heights, float(shown[-1]) - shift], begins, coarse), False


def _seen(heights: list[float], begins: list[float], curve: Curve) -> list[float]:
    """Return the plateaus without those too close to the one before; begins: the first pages of each."""
    kept = [0.0]
    for height, begin in zip(heights, begins, strict=False):
        there = curve.part(curve.pages >= begin)
        least = max(SEEN * float(np.median(there.control_s)), SURE * float(np.median(there.sigma_s)))
        if height - kept[-1] > least:
            kept.append(height)
    return kept


def _knee(curve: Curve, floor: float, top: float) -> tuple[float, float, float]:
    """Return (most pages without a detected miss, a quarter misses, half misses); (0, n, n) if the fewest, n, miss."""
    missing = rising((curve.extra_s - floor) / (top - floor))
    if missing[0] >= HALF:
        return 0.0, float(curve.pages[0]), float(curve.pages[0])
    doubt = np.maximum(NONE, np.minimum(2 * curve.sigma_s / (top - floor), QUARTER / 2))
    above = int(np.argmax(missing >= HALF)) if missing[-1] >= HALF else missing.size - 1
    flat = np.flatnonzero(missing[: above + 1] <= doubt[: above + 1])
    below = int(flat[-1]) if flat.size else 0
    quarter = float(2 ** np.interp(QUARTER, missing[: above + 1], np.log2(curve.pages[: above + 1])))
    low, high = float(curve.pages[below]), float(curve.pages[above])
    return low, min(max(quarter, low), high), high


def _extra(curve: Curve, begin: float, end: float, near: float) -> Extra:
    """Return the median over the points of a plateau; its interval comes from their scatter and their own errors.

    near: used where the plateau has no point except those of its knees.
    """
    inside = curve.part((curve.pages > begin) & (curve.pages <= end))
    if inside.pages.size == 0:
        return Extra(near, near, near)
    middle = float(np.median(inside.extra_s))
    scatter = MAD_SIGMA * float(np.median(np.abs(inside.extra_s - middle)))
    error = math.hypot(MEDIAN_ERROR * scatter, float(np.median(inside.sigma_s))) / math.sqrt(inside.pages.size)
    return Extra(middle, middle - 2 * error, middle + 2 * error)


def round_in(low: float, high: float) -> int | None:
    """Return the one m * 2^k from low to below high. None if there is none, or several, or if low is 0:
    nothing fits.
    """
    if low <= 0:
        return None
    powers = range(32)
    inside = {m * 2**k for m in ROUND for k in powers if low <= m * 2**k < high or m * 2**k == low}
    return inside.pop() if len(inside) == 1 else None


def between(curve: Curve) -> list[int]:
    """Return numbers of pages that would determine the levels' entries better: inside the knees, () where they are
    narrow.

    In each knee two gaps are halved: the one in which a quarter misses, and the one behind the last point without
    misses.
    """
    wanted: dict[int, None] = {}
    for level in translation(curve).levels:
        for place in (level.entries, level.low):
            below, above = curve.pages[curve.pages <= place], curve.pages[curve.pages > place]
            if below.size and above.size and above[0] - below[-1] > max(1, below[-1] // GAP):
                wanted[round(math.sqrt(float(below[-1] * above[0])))] = None
    return list(wanted)
