"""A better fit alone adds no buffer, and parts of units make a capacity unsure."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tierscope.stats.buffers import _by_criterion
from tierscope.stats.buffers_doubts import PARTS, parts_of_units
from tierscope.stats.buffers_levels import Estimate, Level
from tierscope.stats.buffers_model import Fresh
from tierscope.stats.buffers_search import Fit, Place
from tierscope.units import GiB, KiB, MiB

POINTS = 89
SEARCH: Any = SimpleNamespace(points=POINTS, largest_bytes=128.0 * MiB)
NEAR = Place(256, 105.0 * KiB, "random")


def fit(misfit: float, *places: Place) -> Fit:
    """A fit with 100 ns more behind each of its places."""
    free = POINTS - 3 * len(places) - 2
    return Fit(places, np.array([100e-9, *[100e-9] * len(places), 0.0]), misfit**2 * free)


@pytest.mark.parametrize(
    ("without", "capacity", "levels"),
    [(0.8, 1.2 * GiB, 1), (1.5, 1.2 * GiB, 2), (0.8, 4.0 * MiB, 2)],
    ids=["explained without it", "not explained without it", "its knee shows"],
)
def test_a_buffer_whose_knee_no_region_shows_must_explain_what_fewer_do_not(
    without: float, capacity: float, levels: int
) -> None:
    fits = (fit(38, ), fit(without, NEAR), fit(0.4, NEAR, Place(8 * KiB, capacity, "random")))  # fmt: skip
    assert len(_by_criterion(SEARCH, fits).places) == levels


def test_the_further_end_of_an_interval_counts() -> None:
    assert Estimate(99.0, 105.0, 120.0).furthest == pytest.approx(15 / 105)
    assert Estimate(90.0, 105.0, 106.0).furthest == pytest.approx(15 / 105)


def test_a_round_size_near_a_capacity_supports_it() -> None:
    size, unit, time = Estimate(99.0, 105.0, 120.0), Estimate(1, 1, 1), Estimate(1, 1, 1)
    assert Level(size, unit, time, round_bytes=None).capacity_off == pytest.approx(15 / 105)
    assert Level(size, unit, time, round_bytes=104).capacity_off == pytest.approx(21 / 2 / 105)


def in_order(*regions: int) -> Any:
    count = len(regions)
    fresh = Fresh(np.array(regions, dtype=np.float64), np.zeros(count, dtype=bool), np.full(count, float(GiB)))
    return SimpleNamespace(fresh=fresh)


REGIONS = (2 * KiB, 3 * KiB, 4 * KiB, 6 * KiB, 8 * KiB)


@pytest.mark.parametrize(
    ("unit", "entries", "unsure"), [(576, 7, True), (512, 7, False), (576, 200, False)], ids=["few", "whole", "many"]
)
def test_few_units_that_do_not_divide_the_regions_are_in_doubt(unit: int, entries: int, unsure: bool) -> None:
    """7 units of 576 B: a region of 4 KiB is in 8 or 9 of them, where the model counts 7.1."""
    regions = REGIONS if entries == 7 else tuple(step * unit * entries // 4 // 64 * 64 for step in (2, 3, 4, 5, 7))
    error = parts_of_units(in_order(*regions), Place(unit, float(unit * entries)))
    assert (error > PARTS) == unsure


def test_units_met_are_those_of_a_count() -> None:
    """R / U + 1 - gcd(R, U) / U, on average over all places where a region may begin."""
    unit, region = 576, 4 * KiB
    met = [(begin * region + region - 1) // unit - begin * region // unit + 1 for begin in range(unit // 64)]
    assert np.mean(met) == pytest.approx(region / unit + 1 - np.gcd(region, unit) / unit)
    half = (np.mean(met) - region / unit) / 2 / 7
    assert parts_of_units(in_order(region), Place(unit, 7.0 * unit)) == pytest.approx(half)
