"""The table of other kinds of replacement gives what an exact simulation of a few lines gives."""

import random

import numpy as np
import pytest

from tiers import first
from tierscope.stats.buffers_kinds import KINDS, hits
from tierscope.stats.buffers_model import Fresh, Unit

EXACT = [(128, 4), (1024, 8), (256, 4), (512, 4), (200, 5)]  # units of a region, lines of a unit


def missed(entries: int, units: int, lines: int, policy: str, regions: int = 60) -> float:
    """Share of visits that miss a buffer, line by line."""
    rng = random.Random(entries * units)
    places: list[tuple[int, int] | None] = [None] * entries
    where: dict[tuple[int, int], int] = {}
    recent = list(range(entries))  # the least recently used first
    misses = visits = hand = 0
    for region in range(regions):
        order = [(region, line // lines) for line in range(units * lines)]
        rng.shuffle(order)
        for unit in order:
            visits += region >= 20
            if unit in where:
                if policy == "lru":
                    recent.remove(where[unit])
                    recent.append(where[unit])
                continue
            misses += region >= 20
            at = rng.randrange(entries) if policy == "random" else recent[0] if policy == "lru" else hand
            recent.append(recent.pop(recent.index(at)))
            hand = (hand + 1) % entries
            where.pop(places[at], None) if places[at] else None  # type: ignore[arg-type]
            places[at], where[unit] = unit, at
    return misses / visits


@pytest.mark.parametrize("policy", ["random", "fifo"])
@pytest.mark.parametrize(("units", "lines"), first(2, EXACT))
def test_the_table_is_what_an_exact_simulation_gives(policy: str, units: int, lines: int) -> None:
    share = hits(policy, np.array([float(lines)]), np.array([256 / units]))[0]
    assert 1 - (1 - 1 / lines) * share == pytest.approx(missed(256, units, lines, policy), abs=0.01)


FEW = [(4, 8, 8), (4, 5, 32), (8, 12, 4), (8, 40, 8), (16, 32, 16), (24, 30, 8), (48, 96, 8)]


@pytest.mark.parametrize("policy", ["random", "fifo"])
@pytest.mark.parametrize(("entries", "units", "lines"), first(3, FEW))
def test_few_entries_are_those_of_an_exact_simulation(policy: str, entries: int, units: int, lines: int) -> None:
    share = hits(policy, np.array([float(lines)]), np.array([entries / units]), float(entries))[0]
    exact = missed(entries, units, lines, policy, regions=600)
    assert 1 - (1 - 1 / lines) * share == pytest.approx(exact, abs=0.015)


@pytest.mark.parametrize(("entries", "units", "lines"), first(3, FEW))
def test_the_closed_form_of_few_entries_is_that_of_an_exact_simulation(entries: int, units: int, lines: int) -> None:
    unit = lines * 64
    fresh = Fresh(np.array([float(units * unit)]), np.array([False]), np.array([float(1 << 30)]))
    found = Unit(fresh, unit).misses(float(entries * unit))[0]
    assert found == pytest.approx(missed(entries, units, lines, "lru", regions=600), abs=0.015)


@pytest.mark.parametrize("kind", KINDS)
def test_hits_rise_with_the_entries_from_none_to_all(kind: str) -> None:
    ratios = 2.0 ** np.arange(-10, 11)
    found = hits(kind, np.array([4.0]), ratios[:, None])[:, 0]
    assert found[0] < 0.002
    assert found[-1] > 0.998
    assert hits(kind, np.array([4.0]), np.array([[np.inf]]))[0, 0] == 1
    assert np.all(np.diff(found) > -0.03)  # the hand of a clock meets a region that is a whole part of it at its best


@pytest.mark.parametrize("kind", KINDS)
def test_few_entries_hit_in_proportion(kind: str) -> None:
    few = hits(kind, np.array([8.0]), 2.0 ** np.arange(-9, -6)[:, None])[:, 0]
    assert few[1:] / few[:-1] == pytest.approx([2, 2])
