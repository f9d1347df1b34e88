"""The table of other kinds of replacement gives what an exact simulation of a few lines gives."""

import random

import numpy as np
import pytest

from tiers import first
from tierscope.stats.buffers_kinds import KINDS, hits

EXACT = [(128, 4), (1024, 8), (256, 4), (512, 4), (200, 5)]  # units of a region, lines of a unit


def missed(entries: int, units: int, lines: int, policy: str) -> float:
    """Share of visits that miss a buffer, line by line."""
    rng = random.Random(entries * units)
    places: list[tuple[int, int] | None] = [None] * entries
    where: dict[tuple[int, int], int] = {}
    misses = visits = hand = 0
    for region in range(60):
        order = [(region, line // lines) for line in range(units * lines)]
        rng.shuffle(order)
        for unit in order:
            visits += region >= 20
            if unit in where:
                continue
            misses += region >= 20
            at = rng.randrange(entries) if policy == "random" else hand
            hand = (hand + 1) % entries
            where.pop(places[at], None) if places[at] else None  # type: ignore[arg-type]
            places[at], where[unit] = unit, at
    return misses / visits


@pytest.mark.parametrize("policy", ["random", "fifo"])
@pytest.mark.parametrize(("units", "lines"), first(2, EXACT))
def test_the_table_is_what_an_exact_simulation_gives(policy: str, units: int, lines: int) -> None:
    share = hits(policy, np.array([float(lines)]), np.array([256 / units]))[0]
    assert 1 - (1 - 1 / lines) * share == pytest.approx(missed(256, units, lines, policy), abs=0.01)


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
