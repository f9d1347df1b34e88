"""The write queue of a persistent memory, from the time of a written line over the size of fresh regions.

The queue is a FIFO of N lines. The oldest line leaves together with every queued neighbour of its unit of m lines.
A region of n lines is written once, in random order. The lines of a unit fall at random places u_1 < ... < u_m of 0 to
1. Let a line stay for a share x of the region. The first line of a unit opens a group, which all that come within x
join; the next one opens another. With G(x) groups on average, and by Little's law,

    N / n    = mean over lines of the time they stay = x - mean delay behind the first of their group       [1]
    drains   = G(x) / m   per line, a function D_m(N / n) alone                                            [1]
    time of a line = max(floor, T * D_m(N w / n) / w, start / n)                                           [s]

T is the time of one drain, `floor` the least time of a line, and `start` the cost of a region with its fence. The
number of interleaved memories that work at the same time is w: one up to their grain, all of them from ways * grain.
N and m are searched. T, floor and start are fitted by relative least squares with a soft maximum. The interval of N is
that of the profile likelihood. The fit is compared with D = 1, which is a memory without a queue or without units.
Blind to: queues that drain without being full; m of a queue whose curve ends before it is steep.
Source: the published write curve (Z. Wang et al., Characterizing and Modeling Non-Volatile Memory Systems, MICRO 2020).
A queue of 52 lines and units of 256 B fit it within 3.3 %. The closed form is ours, and the random number generator of
D_m has a fixed seed.
"""

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats
from tierscope.units import LINE_BYTES

UNITS = (2, 4, 8, 16, 32, 64)  # lines
MOST_ENTRIES = 1024
LARGE_LINES = 16  # of a unit
FEW_UNITS = 4  # in a queue: of 1.8 to 3.8 units of 2 KiB, the fit found 5 to 14 % fewer lines
FEW = "not known, because a queue of few large units drains before it is full: the fit finds too few lines"
PLAYED = 16000  # lines
SAMPLES = 6000  # units whose mean is D_m
SHARPNESS = 40.0  # of the soft maximum
LEAST_ERROR = 0.01  # relative difference of the law and a real queue
SAME_AS_FLAT = 1.5  # times the largest error of a point: the curve is flat, and there is nothing to explain
COARSE = 0.06  # the same where D_m alone is used
WORTH = 12.0  # least gain in twice the log-likelihood, for two parameters more
UNUSUAL = 10.0  # penalty for a floor that is not set by whole units: a smaller unit sets one too
LEAST_RISE = 1.25  # of the time of a line, from its lowest to its highest
MOST_ERROR = 0.12  # relative, of a curve that shows a queue
DOUBT = 3.84  # chi-square, 95 %
FALLS = 1.25  # least factor by which the law of a queue reduces the misfit, to be worth more parameters
FAR, NEAR = 3.0, 10.0  # a unit is searched more closely up to FAR times the least misfit plus NEAR


@dataclass(frozen=True, slots=True)
class Combining:
    """A queue that combines writes. If none was detected, entries and unit_bytes are 0."""

    entries: float
    low: float
    high: float
    unit_bytes: int
    unit_low: int
    unit_high: int
    drain_s: float  # T
    floor_s: float
    error: float  # relative, of the fit
    better: float  # than no queue, in twice the log-likelihood
    fitted: Floats  # of shape (regions,), s


def few_units(found: Combining) -> str:
    """Return why the number of lines is not sure, in words; "" if it is.

    A queue of few large units is often not full: a complete unit leaves as soon as the port is idle.
    """
    lines = found.unit_bytes // LINE_BYTES
    large = lines >= LARGE_LINES and found.entries < FEW_UNITS * lines
    return FEW if found.entries > 0 and large else ""


@functools.cache
def drains(unit_lines: int) -> tuple[Floats, Floats]:
    """Return (N / n, drains per line) for units of this number of lines; one rises, the other falls."""
    rng = np.random.default_rng(1995)
    places = np.sort(rng.random((SAMPLES, unit_lines)), axis=1)
    shares = np.concatenate([[0.0], np.geomspace(1e-4, 1.0, 90), [2.0, 5.0]])
    found = [_groups(places, x) for x in shares]
    return np.array([x - delay for x, (_, delay) in zip(shares, found, strict=True)]), np.array(
        [groups / unit_lines for groups, _ in found]
    )


def _groups(places: Floats, share: float) -> tuple[float, float]:
    """Return the mean number of groups of a unit, and the mean delay of a line behind the first of its group."""
    first = places[:, 0].copy()
    groups, delay = np.ones(len(places)), np.zeros(len(places))
    for line in places.T[1:]:
        new = line - first > share
        groups += new
        first = np.where(new, line, first)
        delay += line - first
    return float(groups.mean()), float(delay.mean()) / places.shape[1]


def drains_at(entries: float, lines: Floats, unit_lines: int) -> Floats:
    """Return the drains per line in regions of this number of lines. A region smaller than a unit is written as part of
    it.
    """
    held, drained = drains(unit_lines)
    most = np.maximum(lines, unit_lines)
    return np.asarray(np.interp(entries / most, held, drained), dtype=np.float64)


@functools.lru_cache(maxsize=65536)
def played(entries: int, lines: int, unit_lines: int) -> float:
    """Return the drains per line of a simulated queue, once it is full. For regions of about the size of the queue,
    D_m, a law of large numbers, is too low by up to a sixth.
    """
    rng = np.random.default_rng([1995, lines])
    first, counted = math.ceil(2 * entries / lines), math.ceil(PLAYED / lines)
    queue: dict[int, int] = {}  # unit -> its lines, in the order of their first ones
    held = drained = 0
    for region in range(first + counted):
        drained = 0 if region == first else drained
        for unit in ((region * lines + rng.permutation(lines)) // unit_lines).tolist():
            if held == entries:
                held -= queue.pop(next(iter(queue)))
                drained += 1
            queue[unit] = queue.get(unit, 0) + 1
            held += 1
    return drained / (counted * lines)


def exact_drains(entries: float, lines: Floats, unit_lines: int) -> Floats:
    """Return the same as `drains_at`, simulated where that matters; whole entries only."""
    drained = drains_at(entries, lines, unit_lines)
    for place in np.flatnonzero((lines > entries / 2) & (lines < 4 * entries) & (lines > unit_lines)):
        drained[place] = played(max(round(entries), 1), round(lines[place]), unit_lines)
    return drained


def infer_combining(
    region_bytes: Floats, line_s: Floats, errors: Floats | None = None, ways: int = 1, grain_bytes: int = 4096
) -> Combining:
    """Return the queue that explains a curve.

    region_bytes, line_s: of shape (regions,). errors: relative standard errors; ways, grain_bytes: interleaving.
    """
    lines = np.asarray(region_bytes, dtype=np.float64) / LINE_BYTES
    weight = 1 / np.maximum(LEAST_ERROR, np.zeros(lines.size) if errors is None else errors)
    busy = np.clip(np.asarray(region_bytes, dtype=np.float64) / grain_bytes, 1, ways)
    flat = _fit(lines, line_s, weight, busy, 0.0, 1)
    if flat.error(line_s) < SAME_AS_FLAT * float(1 / weight.min()):
        return Combining(0.0, 0.0, 0.0, 0, 0, 0, flat.drain_s, flat.floor_s, flat.error(line_s), 0.0, flat.fitted)
    tried = _search(lines, line_s, weight, busy)
    if not tried:
        return Combining(0.0, 0.0, 0.0, 0, 0, 0, flat.drain_s, flat.floor_s, flat.error(line_s), 0.0, flat.fitted)
    best = min(tried, key=lambda one: one.misfit)
    scale = max(best.misfit / max(lines.size - 5, 1), 1.0)  # a model that fits badly is less certain
    better = (flat.misfit - best.misfit) / scale
    rise = float(best.fitted[lines >= best.unit].max() / best.fitted[lines >= best.unit].min()) if better > 0 else 1.0
    error = float(np.sqrt(np.mean((best.fitted / line_s - 1) ** 2)))
    if better < WORTH or rise < LEAST_RISE or error > MOST_ERROR or best.entries < 0.5:
        return Combining(0.0, 0.0, 0.0, 0, 0, 0, flat.drain_s, flat.floor_s, flat.error(line_s), better, flat.fitted)
    likely = [one for one in tried if one.misfit <= best.misfit + DOUBT * scale]
    entries, units = [one.entries for one in likely], [one.unit for one in likely]
    return Combining(
        entries=best.entries, low=min(entries), high=max(entries),
        unit_bytes=best.unit * LINE_BYTES, unit_low=min(units) * LINE_BYTES, unit_high=max(units) * LINE_BYTES,
        drain_s=best.drain_s, floor_s=best.floor_s, error=error, better=better, fitted=best.fitted,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Try:
    misfit: float
    entries: float
    unit: int
    drain_s: float
    floor_s: float
    fitted: Floats

    def error(self, line_s: Floats) -> float:
        return float(np.sqrt(np.mean((self.fitted / line_s - 1) ** 2)))


def _search(lines: Floats, line_s: Floats, weight: Floats, busy: Floats) -> list[_Try]:
    """Return the hypotheses, or none where the law explains little.

    A coarse grid of N by the law comes first. Then follow a few simulated N around the best of each likely unit, then
    every whole N around the best of those units that are still likely.
    """

    def at(entries: Iterable[float], unit: int) -> list[_Try]:
        return [_fit(lines, line_s, weight, busy, float(one), unit, exact=True) for one in entries]

    about = np.minimum(weight, 1 / COARSE)
    coarse = [
        _fit(lines, line_s, about, busy, entries, unit)
        for unit in UNITS
        for entries in np.unique(np.round(np.geomspace(1, MOST_ENTRIES, 40)))
    ]
    if FALLS * _least(coarse) > _fit(lines, line_s, about, busy, 0.0, 1).misfit:
        return []
    likely = [one for one in map(functools.partial(_best, coarse), UNITS) if one.misfit <= FAR * _least(coarse) + NEAR]
    found = [
        one for own in likely for one in at(np.unique(np.round(own.entries * np.geomspace(0.6, 1.6, 10))), own.unit)
    ]
    least, known = _least(found), {(one.entries, one.unit) for one in found}
    for best in [_best(found, own.unit) for own in likely]:
        if best.misfit <= FAR * least + NEAR:
            reach = max(6, round(0.06 * best.entries))
            whole = range(max(round(best.entries) - reach, 1), round(best.entries) + reach + 1, reach // 6)
            found += at([one for one in whole if (one, best.unit) not in known], best.unit)
    return found


def _least(tried: Sequence[_Try]) -> float:
    return min(one.misfit for one in tried)


def _best(tried: Sequence[_Try], unit: int) -> _Try:
    return min((one for one in tried if one.unit == unit), key=lambda one: one.misfit)


def _fit(
    lines: Floats, line_s: Floats, weight: Floats, busy: Floats, entries: float, unit: int, *, exact: bool = False
) -> _Try:
    """Return the fit of T, floor and start of one hypothesis. All are above 0, so that their logarithms are fitted."""
    from scipy.optimize import least_squares  # slow to load, and not every run needs it

    law = exact_drains if exact else drains_at
    drained = law(entries, lines / busy, unit) / busy if unit > 1 else 1 / busy
    target = np.log(line_s)
    top = float(np.max(line_s[lines >= np.median(lines)]))
    begin = np.log([top / max(float(drained[-1]), 1e-9), float(np.min(line_s)) / 2, float(line_s[0] * lines[0])])

    def parts(words: Floats) -> Floats:
        return np.array([words[0] + np.log(drained), np.full(lines.size, words[1]), words[2] - np.log(lines)])

    def model(words: Floats) -> Floats:
        return np.asarray(np.logaddexp.reduce(SHARPNESS * parts(words), axis=0) / SHARPNESS, dtype=np.float64)

    def slopes(words: Floats) -> Floats:
        return np.asarray(np.exp(SHARPNESS * (parts(words) - model(words))).T * weight[:, None], dtype=np.float64)

    found = least_squares(lambda words: (model(words) - target) * weight, begin, jac=slopes, max_nfev=30)
    drain, floor, _ = np.exp(found.x)
    odd = UNUSUAL if floor * unit > 1.2 * drain else 0.0
    return _Try(float(2 * found.cost) + odd, entries, unit, float(drain), float(floor), np.exp(model(found.x)))
