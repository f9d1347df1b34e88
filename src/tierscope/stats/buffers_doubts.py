"""Why buffers that a fit found may not be the real ones.

    no kind       the misfit of the best fit is above MISFIT: something that is in no model shapes the curve

    fewer         a fit with fewer buffers is within the model's own error, so that more buffers only fit better

    more          one more buffer, large enough to matter, fits better by more than chance: then two may be one here

    no plateau    no region shows one buffer full and the next one not: two knees in one another may be one of a kind
                  that is not known

    not reached   the largest region still finds part of itself in the last buffer: the medium is farther

    beyond        a capacity is above half of the largest region, so that its knee is only partly in the curve

    larger        small regions show a unit that no region outgrows: a buffer larger than the search

Blind to two buffers if the second one adds less than SMALL of the latency, or is less than APART times as large.
"""

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from tierscope.stats.buffers_search import Place
from tierscope.units import show_size

if TYPE_CHECKING:
    from tierscope.stats.buffers import Fitted

MISFIT = 1.2  # times the errors of the points
ENOUGH = 1.0  # of a fit with fewer buffers
CHANCE = 4.0  # times the variance
FULL, EMPTY = 0.65, 0.35  # of the way from first visits only to all visits
LARGEST_UNIT = 4096  # bytes: half of the largest scattered region; two such regions show a unit
PROOF = 20.0
FEWEST_UNITS = 3


def doubts(fitted: "Fitted") -> tuple[str, ...]:
    """Return one phrase for each doubt."""
    return (*_shape(fitted), *_number(fitted), *_plateaus(fitted), *_larger(fitted))


def _shape(fitted: "Fitted") -> Iterator[str]:
    misfit = fitted.misfit(fitted.best)
    if misfit > MISFIT:
        yield f"no known kind of buffer explains the curve, off by {misfit:.1f} times its error"


def _number(fitted: "Fitted") -> Iterator[str]:
    from tierscope.stats.buffers import counts

    count = len(fitted.best.places)
    fewer = [n for n in range(count) if fitted.misfit(fitted.fits[n]) <= ENOUGH]
    if fewer:
        yield f"{count} buffers fit best, but {fewer[0]} explain the curve within the error of the model as well"
    for fit in fitted.fits[count + 1 : count + 2]:
        gain = (fitted.best.cost - fit.cost) / fitted.variance
        if gain > CHANCE and len(fit.places) > count and counts(fit):
            yield f"{count + 1} buffers explain the curve better than {count}, but not by enough to be sure"


def _plateaus(fitted: "Fitted") -> Iterator[str]:
    shares = [_outgrown(fitted, place) for place in fitted.best.places]
    for number, (near, far) in enumerate(itertools.pairwise(shares), start=1):
        if not np.any((near >= FULL) & (far <= EMPTY)):
            yield f"no region shows buffer {number} outgrown and buffer {number + 1} not yet: they may be one"
    for number, place in enumerate(fitted.best.places, start=1):
        if place.capacity_bytes < FEWEST_UNITS * place.unit_bytes:
            yield f"buffer {number} would hold a unit or two: one that is larger than the regions looks the same"
    seen = fitted.search.largest_bytes
    if shares and (fitted.best.places[-1].capacity_bytes > seen or not np.any(shares[-1] >= FULL)):
        yield f"the last buffer is larger than {show_size(int(seen))}, half of the largest region; try a larger to="


def _outgrown(fitted: "Fitted", place: Place) -> np.typing.NDArray[np.float64]:
    """Return 0 where only first visits miss, 1 where all visits do; of shape (points,)."""
    least = fitted.search.misses(Place(place.unit_bytes, np.inf, place.kind))
    found = fitted.search.misses(place)
    return np.asarray((found - least) / np.maximum(1 - least, 1e-9), dtype=np.float64)


def _larger(fitted: "Fitted") -> Iterator[str]:
    units = [unit for unit in fitted.search.units if unit <= LARGEST_UNIT]
    fits = [fitted.search.fit((*fitted.best.places, Place(unit, np.inf))) for unit in units]
    best = min(fits, key=lambda fit: fit.cost, default=fitted.best)
    step = best.times_s[len(best.places)]
    worth = (fitted.best.cost - best.cost) / fitted.variance > PROOF
    if worth and len(best.places) > len(fitted.best.places) and step > 0.02 * best.times_s[:-1].sum():
        yield f"a buffer in units of {best.places[-1].unit_bytes} B is larger than the regions show; try a larger to="
