"""Misses of regions in passes: the share of visits after the first pass whose unit a buffer of N entries has evicted.

A pass visits g units of a region in a random order, and the next pass visits them again in the same order.

    in order, one set       all visits miss if g > N, and none otherwise
    in order, plain sets    of w entries: g - N sets have w + 1 units, and miss all of them, up to all sets
    in order, hashed sets   a unit misses if w others or more are in its set: P(Binomial(g - 1, w / N) >= w)
    random                  a visit misses if one of the insertions since the last visit of its unit replaced it

"In order" is the least recently used unit, the first one in, or a clock: with passes they evict the same ones, but for
some that a clock misses below N. A clock is simulated, since units of regions before keep their marks for a while.
Blind to: combinations of these in one buffer.
Source of the chance of loads: N. L. Johnson and S. Kotz, "Urn Models and Their Application", 1977.
"""

import functools
from collections.abc import Iterator

import numpy as np

from tierscope.arrays import Floats

WAYS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48)
GRID = 24  # places of a unit in a pass
MOST_PASSES = 64  # more change little
MOST_TURNS = 16  # the same of a clock
ENTRIES, REGIONS, WARM = 32, 24, 8  # of a clock that is simulated
TINY = 1e-9


def families(units: Floats, entries: float, lines: int) -> Iterator[Floats]:
    """Yield the share of visits after the first pass that miss, of shape (points,), for each family."""
    from scipy.special import betainc  # slow to load, and not needed by every run

    kept_late = _clock(units / entries, lines)
    yield np.where(units > entries, 1.0, 0.0)
    yield np.where(units > entries, 1.0, kept_late)
    yield _replaced(units, entries, lines)
    for ways in WAYS:
        sets = entries / ways
        if sets < 2:
            break
        over = np.minimum(np.clip(units - entries, 0.0, sets) * (ways + 1) / units, 1.0)
        plain = np.where(units >= entries + sets, 1.0, over)
        yield plain
        yield np.where(units > entries, plain, kept_late)
        others = units - 1
        crowded = betainc(ways, np.maximum(others - ways + 1, 1.0), 1 / sets)  # the binomial tail
        yield np.where(others >= ways, crowded, 0.0)
        loads = np.arange(1.0, 6 * ways)
        share = _of_loads(loads, units, sets)
        yield share @ np.where(loads > ways, 1.0, _clock(loads / ways, lines))
        yield share @ _replaced(loads, ways, lines)
        least = np.maximum(np.floor(units / sets), 1.0)
        more = np.clip((units / sets - least) * (least + 1) / (units / sets), 0.0, 1.0)  # units in sets with one more
        yield (1 - more) * _replaced(least, ways, lines) + more * _replaced(least + 1, ways, lines)


def _of_loads(loads: Floats, units: Floats, sets: float) -> Floats:
    """Return the share of units that are in sets with each load, of shape (points, loads)."""
    from scipy.special import gammaln, xlogy  # slow to load, and not needed by every run

    mean = (units / sets)[:, None]
    others = loads[None, :] - 1
    share = np.exp(xlogy(others, mean) - mean - gammaln(others + 1))
    return np.asarray(share / share.sum(axis=1, keepdims=True), dtype=np.float64)


def _replaced(units: Floats, entries: float, lines: int) -> Floats:
    """Return the share of visits after the first pass that miss with random replacement in one set.

    units: of the region in the set. lines: passes.
    """
    known, values = _table(min(lines, MOST_PASSES))
    ratio = -np.log1p(-1 / entries) * np.maximum(units - 1, TINY)
    return np.asarray(np.interp(np.log(ratio), known, values), dtype=np.float64)


def _clock(ratio: Floats, lines: int) -> Floats:
    """Return the share of visits after the first pass that miss with a clock and fewer units than entries.

    ratio: of units to entries. Units of regions before keep their marks for a while, so that a clock may pass by new
    ones twice before all old ones are replaced.
    """
    known, values = _clock_table(min(lines, MOST_TURNS))
    return np.asarray(np.interp(ratio, known, values, right=0.0), dtype=np.float64)


@functools.cache
def _clock_table(lines: int) -> tuple[Floats, Floats]:
    """Return ratios, and the share that misses with each: by simulating a clock of ENTRIES for some regions."""
    known = np.arange(1, ENTRIES + 1)
    return known / ENTRIES, np.array([_turned(int(units), lines) for units in known])


def _turned(units: int, lines: int) -> float:
    keys, marked, hand, missed = [-1] * ENTRIES, [False] * ENTRIES, 0, 0
    place: dict[int, int] = {}
    for region in range(REGIONS):
        for line in range(lines):
            for key in range(region * units, (region + 1) * units):
                if key in place:
                    marked[place[key]] = True
                    continue
                missed += line > 0 and region >= WARM
                while marked[hand]:
                    marked[hand] = False
                    hand = (hand + 1) % ENTRIES
                place.pop(keys[hand], None)
                keys[hand], place[key] = key, hand
                hand = (hand + 1) % ENTRIES
    return missed / ((REGIONS - WARM) * units * max(lines - 1, 1))


@functools.cache
def _table(lines: int) -> tuple[Floats, Floats]:
    """Return logarithms of ratios, and the share that misses with each.

    A visit at place x of a pass misses if an insertion since the last visit replaced its unit, each with a chance of
    1 in N. These are the insertions behind x in the pass before, and those up to x in this one.
    """
    ratios = np.exp(np.linspace(np.log(0.02), np.log(50.0), 120))
    before = np.ones((ratios.size, GRID))
    total = np.zeros(ratios.size)
    for _ in range(lines - 1):
        own = np.zeros_like(before)
        for place in range(GRID):
            since = (before[:, place:].sum(axis=1) + own[:, :place].sum(axis=1)) / GRID
            own[:, place] = 1 - np.exp(-ratios * since)
        total += own.mean(axis=1)
        before = own
    return np.log(ratios), total / max(lines - 1, 1)
