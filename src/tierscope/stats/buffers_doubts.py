"""Why buffers that a fit found may not be what is there.

    no kind       no rival has a misfit below NO_KIND: something that is in no model shapes the curve
    fewer         a fit with fewer buffers, of any kind, is within ENOUGH: more are a better fit, and nothing else
    more          one more buffer, large enough to count, fits better by the criterion, or nearly so
    no plateau    no region shows one buffer outgrown and the next one not yet, and their units may be the same: two
                  knees in one another may be one of a kind that is not known
    too close     a buffer has less than NEAREST x the capacity of the one before: one hides how large the other is
    page walk     the first line of a small region takes much longer, as with a buffer of large units that is larger
                  than the regions; a page walk of large pages takes less
    few           a buffer has fewer units than any kind describes
    parts         a buffer has few units, and the regions near its knee are not whole in them

A better fit alone never adds a buffer, and never removes a doubt.
Blind to two buffers with the same unit, if the larger one is less than APART times as large.
"""

import itertools
from collections.abc import Container, Iterator
from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats
from tierscope.stats.buffers_rivals import Cell
from tierscope.stats.buffers_search import Fit, Place, Search
from tierscope.units import show_seconds

LEAST = 0.02  # an error of 0.1 %: the order of visits is drawn, so that no curve is smoother
SMALL = 0.02  # of the latency behind all levels
NO_KIND = 1.2  # times the errors of the points
ENOUGH = 0.6  # the same, of a fit with fewer buffers
CHANCE = 20.0  # times the variance
FULL, EMPTY = 0.65, 0.35  # of the way from the first visits alone to all of them
FEW = 3.5  # units: the table of kinds begins with 4
NEAREST = 1.75  # with random replacement at 1.5x, capacities were off by 9 to 12 %, and at 2x by 6.1 % at most
WALK = 0.1  # of the latency of the medium
PARTS = 0.05  # of a capacity: with 3 % of the model, an error by parts of units makes it unknown to 6 %
KNEE = 2.0  # times the capacity, both ways: regions that show it


@dataclass(frozen=True)
class Fitted:
    """All that was tried.

    fits: the best of any kind for each number of levels; known: those of the expected kind; variance: cost of `best`
    per degree of freedom; limit: cost up to which another explanation is as good.
    """

    search: Search
    fits: tuple[Fit, ...]
    known: tuple[Fit, ...]
    best: Fit
    variance: float
    limit: float

    def misfit(self, fit: Fit) -> float:
        """Return the root of the mean weighted square that a fit leaves."""
        return float(np.sqrt(fit.cost / max(1, self.search.points - 3 * len(fit.places) - 2)))


def counts(fit: Fit) -> bool:
    """Return whether each level adds enough to be one."""
    steps = fit.times_s[1 : 1 + len(fit.places)]
    return bool(np.all(steps > SMALL * (fit.times_s[0] + steps.sum())))


def walks_little(fit: Fit) -> bool:
    """Return whether the first line of a region takes no more than a page walk in addition."""
    return bool(fit.times_s[-1] <= WALK * fit.times_s[:-1].sum())


def doubts(fitted: Fitted, cells: list[list[Cell]], cliffs: Container[int] = ()) -> tuple[str, ...]:
    """Return one phrase for each doubt.

    cells: of each level, those that explain it as well. cliffs: levels whose capacity passes show, without a fit.
    """
    return (*_shape(fitted), *_number(fitted), *_plateaus(fitted, cells, cliffs), *_ends(fitted, cliffs))


def _shape(fitted: Fitted) -> Iterator[str]:
    misfit = fitted.misfit(fitted.best)
    if misfit > NO_KIND:
        yield f"no known kind of buffer explains the curve, off by {misfit:.1f} times its error"


def _number(fitted: Fitted) -> Iterator[str]:
    count = len(fitted.best.places)
    fewer = [n for n in range(count) if fitted.misfit(fitted.fits[n]) <= ENOUGH]
    if fewer:
        yield f"{count} buffers fit best, but {fewer[0]} explain the curve within the error of the model as well"
    for fit in fitted.fits[count + 1 : count + 2]:
        variance = min(fitted.variance, max(LEAST, fitted.misfit(fit) ** 2))
        gain = (fitted.fits[count].cost - fit.cost) / variance
        if gain > CHANCE and len(fit.places) > count and counts(fit):
            yield f"{count + 1} buffers explain the curve better than {count}, but not by enough to be sure"


def _plateaus(fitted: Fitted, cells: list[list[Cell]], cliffs: Container[int]) -> Iterator[str]:
    shares = [_outgrown(fitted.search, place) for place in fitted.best.places]
    units = [{cell.unit_bytes for cell in own} for own in cells]
    for number, (near, far) in enumerate(itertools.pairwise(shares), start=1):
        if number - 1 in cliffs and number in cliffs:
            continue
        if not np.any((near >= FULL) & (far <= EMPTY)) and units[number - 1] & units[number]:
            yield f"no region shows buffer {number} outgrown and buffer {number + 1} not yet: they may be one"
    for number, (one, other) in enumerate(itertools.pairwise(fitted.best.places), start=1):
        if other.capacity_bytes < NEAREST * one.capacity_bytes and not (number - 1 in cliffs and number in cliffs):
            yield f"buffer {number + 1} has less than {NEAREST:g}x the capacity of buffer {number}: one hides the other"


def _outgrown(search: Search, place: Place) -> Floats:
    """Return 0 where only first visits miss, 1 where all do; of shape (points,)."""
    model = search.models[place.unit_bytes]
    least = model.misses(np.inf, place.kind)
    found = model.misses(place.capacity_bytes, place.kind)
    return np.asarray((found - least) / np.maximum(1 - least, 1e-9), dtype=np.float64)


def _ends(fitted: Fitted, cliffs: Container[int]) -> Iterator[str]:
    for number, place in enumerate(fitted.best.places, start=1):
        if place.capacity_bytes < FEW * place.unit_bytes:
            yield f"buffer {number} has fewer than four units, which no kind of buffer describes"
        elif number - 1 not in cliffs and parts_of_units(fitted.search, place) > PARTS:
            count = round(place.capacity_bytes / place.unit_bytes)
            yield f"buffer {number} has about {count} units, and regions are not whole in them"
    if not walks_little(fitted.best):
        more = show_seconds(float(fitted.best.times_s[-1]))
        yield f"the first line of a region takes {more} more: a page walk, or a buffer larger than the regions"


def parts_of_units(search: Search, place: Place) -> float:
    """Return the mean error of a capacity by regions that are not whole in units, over the capacity.

    A region of R bytes that begins anywhere in units of U meets R / U + 1 - gcd(R, U) / U of them, and the model counts
    R / U. The first and the last one have fewer lines than the others, so that the buffer notices half of it.
    """
    fresh = search.fresh
    ratio = fresh.region_bytes / place.capacity_bytes
    shown = fresh.region_bytes[~fresh.scattered & (ratio >= 1 / KNEE) & (ratio <= KNEE)].astype(np.int64)
    if not shown.size:
        return 0.0
    more = 1 - np.gcd(shown, place.unit_bytes) / place.unit_bytes
    return float(more.mean() / 2 * place.unit_bytes / place.capacity_bytes)
