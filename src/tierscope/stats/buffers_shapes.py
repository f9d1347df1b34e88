"""Fits of buffers with any kind of replacement, and with units that need not be powers of two.

`shaped` begins at the best fit of `buffers_search`, which assumes that all buffers are least recently used. For one
buffer after the other it tries every kind of `buffers_kinds` and units next to its own, each with its best capacity. It
keeps the combination of least cost, until nothing improves. `alike` are the places of one buffer that the curve does
not rule out.
"""

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tierscope.stats.buffers_kinds import KINDS, LRU
from tierscope.stats.buffers_model import Floats
from tierscope.stats.buffers_search import UNITS, Fit, Place, Search, _behind
from tierscope.units import LINE_BYTES

FINE = 16  # units in an octave; below WHOLE, all units are tried
WHOLE = 1024  # bytes
SWEEPS = 6
PROMISING = 3  # number of units that are tried with other capacities
AROUND = 2.0 ** np.linspace(-0.5, 0.5, 17)  # times a capacity
CLOSER = 2.0 ** np.linspace(-0.0625, 0.0625, 13)  # the best capacities of them
ALL_KINDS = (LRU, *KINDS)


def _units() -> tuple[int, ...]:
    """Return the units from the first to the last of `UNITS`, in whole lines."""
    octaves = int(np.log2(UNITS[-1] / UNITS[0]))
    steps = UNITS[0] * 2.0 ** (np.arange(octaves * FINE + 1) / FINE)
    small = range(UNITS[0], WHOLE, LINE_BYTES)
    return tuple(sorted({*small, *(round(float(step) / LINE_BYTES) * LINE_BYTES for step in steps)}))


ALL_UNITS = _units()


def shaped(search: Search, fit: Fit) -> Fit:
    """Return a fit that is at least as good as `fit`."""
    for _ in range(SWEEPS if fit.places else 0):
        found = fit
        for number in range(len(fit.places)):
            for place in _beside(search, found.places, number):
                found = min(found, scanned(search, found.places, number, place), key=lambda one: one.cost)
        if found.cost >= fit.cost * 0.999:
            return found
        fit = min(found, search.refined(found.places), key=lambda one: one.cost)
    return fit


def _beside(search: Search, places: tuple[Place, ...], number: int) -> Iterator[Place]:
    """Return other kinds; units next to its own, half and twice as large, and those that fit best with its capacity."""
    own = places[number]
    for kind in ALL_KINDS:
        if kind != own.kind:
            yield replace(own, kind=kind)
    units = [unit for unit in ALL_UNITS if unit <= min(max(search.units, default=0), own.capacity_bytes)]
    near = {unit for unit in units if abs(np.log2(unit / own.unit_bytes)) < 2.5 / FINE}
    near |= {unit for unit in units if unit in (own.unit_bytes // 2, own.unit_bytes * 2)}
    for unit in sorted({*near, *_promising(search, places, number, units)} - {own.unit_bytes}):
        yield replace(own, unit_bytes=unit)


def _promising(search: Search, places: tuple[Place, ...], number: int, units: list[int]) -> list[int]:
    """Return the units of least cost. Costs have narrow valleys: a unit next to the right one may cost more than a far
    one.
    """
    own = places[number]
    costs = {}
    for unit in units:
        moved = (*places[:number], replace(own, unit_bytes=unit), *places[number + 1 :])
        if _ordered(moved):
            costs[unit] = search.fit(moved).cost
    return sorted(costs, key=lambda unit: costs[unit])[:PROMISING]


def scanned(search: Search, places: tuple[Place, ...], number: int, own: Place) -> Fit:
    """Return the best fit in which buffer `number` is `own` with another capacity."""
    coarse = _tried(search, places, number, own, AROUND)
    if not np.isfinite(coarse.cost):
        return coarse
    fine = _tried(search, places, number, coarse.places[number], CLOSER)
    return min(coarse, fine, key=lambda one: one.cost)


def _tried(search: Search, places: tuple[Place, ...], number: int, own: Place, factors: Floats) -> Fit:
    """Return the best fit with the capacity of `own` multiplied by one of these factors."""
    best = Fit(places, np.empty(0), np.inf)
    for size in own.capacity_bytes * factors:
        moved = (*places[:number], replace(own, capacity_bytes=float(size)), *places[number + 1 :])
        if size >= own.unit_bytes and _ordered(moved):
            best = min(best, search.fit(moved), key=lambda one: one.cost)
    return best


def _ordered(places: tuple[Place, ...]) -> bool:
    return all(_behind(a, b) for a, b in itertools.pairwise(places))
