"""Units of two neighbouring buffers that explain a curve together, where neither does alone.

Small regions at random miss both buffers at their first visit to a unit. A smaller unit of the nearer one and a larger
unit of the other one, or both units in between, may then have nearly the same latencies: 8 KiB and 64 KiB in place of
16 KiB and 16 KiB. Changing one unit at a time passes through pairs that explain nothing.
All pairs of units are fitted with the capacities that were found, and those that leave little are then fitted with
their own capacities.
"""

import itertools
from collections.abc import Iterator
from dataclasses import replace

from tierscope.stats.buffers_search import Place, Search

NEAR = 2.0  # times what may be left: with capacities of other units
LEAST_UNITS = 2  # in a buffer


def together(search: Search, places: tuple[Place, ...], number: int, units: list[int], limit: float) -> set[int]:
    """Return the units of level `number` that leave at most `limit` together with another unit of a neighbour.

    units: that are tried, in bytes, all known to the search. limit: a cost, above that of the places.
    """
    screen = limit + (NEAR - 1) * (limit - search.fit(places).cost)
    found: set[int] = set()
    for near in range(max(number - 1, 0), min(number + 1, len(places) - 1)):
        for moved in _pairs(places, near, units):
            if moved[number].unit_bytes in found or search.fit(moved).cost > screen:
                continue
            if search.refined(moved).cost <= limit:
                found.add(moved[number].unit_bytes)
    return found


def _pairs(places: tuple[Place, ...], near: int, units: list[int]) -> Iterator[tuple[Place, ...]]:
    """Yield the places with other units of levels `near` and `near + 1`, in order with all others."""
    least = places[near - 1].unit_bytes if near else 0
    most = places[near + 2].unit_bytes if near + 2 < len(places) else max(units, default=0)
    inside = [unit for unit in units if least <= unit <= most]
    for one, other in itertools.combinations_with_replacement(inside, 2):
        pair = (replace(places[near], unit_bytes=one), replace(places[near + 1], unit_bytes=other))
        if all(LEAST_UNITS * place.unit_bytes <= place.capacity_bytes for place in pair):
            yield (*places[:near], *pair, *places[near + 2 :])
