"""Units of two buffers that explain a curve only together are in the ranges of both."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tierscope.stats.buffers import ALIKE, _as_good, infer
from tierscope.stats.buffers_levels import Curve
from tierscope.stats.buffers_model import Fresh, Unit
from tierscope.stats.buffers_search import Place, Search
from tierscope.stats.buffers_units import together
from tierscope.suites.buffers.experiments import SCATTERED
from tierscope.units import GiB, KiB, MiB

pytestmark = pytest.mark.slow

NEAR, FAR = 2688 * KiB, 78 * MiB
UNITS = [4 * KiB, 8 * KiB, 16 * KiB, 32 * KiB, 64 * KiB]
BUILT = (Place(16 * KiB, NEAR), Place(16 * KiB, FAR))
FOUND = (Place(8 * KiB, NEAR), Place(64 * KiB, FAR))
MORE = 5.0  # of the cost, that an explanation may leave


def searched() -> Search:
    """A memory with two buffers with units of 16 KiB, 65, 95 and 163 ns, and errors of 0.18 %."""
    in_order = [2 * KiB << step for step in range(17)]
    regions = np.array([*SCATTERED, *in_order], dtype=np.float64)
    at_random = np.arange(regions.size) < len(SCATTERED)
    fresh = Fresh(regions, at_random, np.full(regions.size, float(GiB)))
    near, far = (Unit(fresh, place.unit_bytes).misses(place.capacity_bytes) for place in BUILT)
    latency = 65e-9 + 30e-9 * near + 68e-9 * far
    search = Search(fresh, latency, 0.0018 * latency)
    search.add_units(UNITS)
    return search


def test_units_that_explain_a_curve_only_together_are_found() -> None:
    search = searched()
    limit = search.fit(FOUND).cost + MORE
    assert search.fit((BUILT[0], FOUND[1])).cost > limit
    assert 16 * KiB in together(search, FOUND, 0, UNITS, limit)
    assert 16 * KiB in together(search, FOUND, 1, UNITS, limit)


def test_units_that_explain_nothing_are_not_found() -> None:
    search = searched()
    limit = search.fit(BUILT).cost + MORE
    assert 64 * KiB not in together(search, BUILT, 0, UNITS, limit)
    assert together(search, BUILT[:1], 0, UNITS, limit) == set()


def curve(seed: int) -> Curve:
    """The same with buffers of two kinds, and regions around both capacities; 0.1 % of noise."""
    factors = (0.8, 0.9, 1.0, 1.12, 1.25, 1.41, 1.8, 2.2)
    around = [round(size * factor / (64 * KiB)) * 64 * KiB for size in (NEAR, FAR) for factor in factors]
    in_order = sorted({*(2 * KiB << step for step in range(17)), *(size for size in around if size <= 128 * MiB)})
    regions = np.array([*SCATTERED, *in_order], dtype=np.float64)
    at_random, over = np.arange(regions.size) < len(SCATTERED), np.full(regions.size, float(GiB))
    unit = Unit(Fresh(regions, at_random, over), 16 * KiB)
    exact = 65e-9 + 30e-9 * unit.misses(float(NEAR), "clock") + 68e-9 * unit.misses(float(FAR), "fifo")
    latency = exact * np.exp(np.random.default_rng(seed).normal(0, 0.001, regions.size))
    return Curve(regions, latency, np.full(regions.size, 0.001), at_random, over)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_units_of_two_buffers_that_are_not_known_apart_have_ranges_with_both(seed: int) -> None:
    levels = infer(curve(seed))
    assert len(levels.levels) == 2
    for level in levels.levels:
        assert level.unit_bytes.low <= 16 * KiB <= level.unit_bytes.high


def test_the_errors_are_the_least_measure_of_a_unit_of_another_kind() -> None:
    fitted: Any = SimpleNamespace(limit=12.0, variance=0.1, best=SimpleNamespace(cost=9.0))
    assert _as_good(fitted, 2.0) == pytest.approx(9 + ALIKE * 4)
    fitted.variance = 2.0
    assert _as_good(fitted, 2.0) == pytest.approx(9 + ALIKE * 8)
    fitted.limit = 99.0
    assert _as_good(fitted, 2.0) == 99.0
