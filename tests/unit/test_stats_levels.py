"""Levels found on staircases whose caches are known: four kinds of replacement, noise up to 5 %."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from tierscope.stats.levels import staircase
from tierscope.units import GiB, KiB, MiB

Floats = npt.NDArray[np.float64]
Hits = Callable[[Floats, float], Floats]

FOOTPRINTS = np.array([4 * KiB * 2 ** (half / 2) for half in range(37)]) // 64 * 64
SERVER = ((48 * KiB, 1.25e-9), (2 * MiB, 5e-9), (64 * MiB, 60e-9))
ODD = ((40 * KiB, 1.2e-9), (1.3 * MiB, 5e-9), (24 * MiB, 40e-9))
SEEDS = range(8)


def least_recent(footprint: Floats, capacity: float) -> Floats:
    """Cyclic walk, least recently used is replaced: all or nothing."""
    return np.where(footprint <= capacity, 1.0, 0.0)


def uniform(footprint: Floats, capacity: float) -> Floats:
    """Uniform draws: the share that fits."""
    return np.minimum(1.0, capacity / footprint)


def at_random(footprint: Floats, capacity: float) -> Floats:
    """Cyclic walk, random replacement: h = exp(-(1 - h) footprint / capacity)."""
    hits = np.zeros_like(footprint)
    for _ in range(500):
        hits = np.exp(-(1 - hits) * footprint / capacity)
    return np.where(footprint <= capacity, 1.0, hits)


def uneven(footprint: Floats, capacity: float) -> Floats:
    """Sets filled unevenly: some miss long before the cache is full."""
    return 1 / (1 + (footprint / capacity) ** 6)


def shared(footprint: Floats, capacity: float) -> Floats:
    """Neighbours take a varying part: half to twice the capacity, uniform draws."""
    return np.mean([uniform(footprint, capacity * 2**part) for part in np.linspace(-1, 1, 21)], axis=0)


def latencies(levels: tuple[tuple[float, float], ...], memory_s: float, hits: tuple[Hits, ...]) -> Floats:
    """Mean latency over FOOTPRINTS: what misses one level goes to the next."""
    total, missing = np.zeros_like(FOOTPRINTS), np.ones_like(FOOTPRINTS)
    for (capacity, latency), hit in zip(levels, hits, strict=True):
        share = hit(FOOTPRINTS, capacity)
        total += missing * share * latency
        missing = missing * (1 - share)
    return total + missing * memory_s


SHAPES = {
    "least recent": (SERVER, 230e-9, (least_recent,) * 3),
    "at random": (SERVER, 230e-9, (at_random,) * 3),
    "uniform": (SERVER, 230e-9, (uniform,) * 3),
    "uneven": (SERVER, 230e-9, (least_recent, uneven, uneven)),
    "shared": (SERVER, 230e-9, (least_recent, at_random, shared)),
    "odd sizes": (ODD, 120e-9, (least_recent, at_random, at_random)),
    "two levels": (((32 * KiB, 1e-9), (1 * MiB, 4e-9)), 90e-9, (least_recent, uniform)),
    "one level": (((8 * MiB, 20e-9),), 100e-9, (at_random,)),
}


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.02, 0.05])
@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_capacities_are_found_within_one_point_in_most_seeds(shape: str, noise: float) -> None:
    levels, memory_s, hits = SHAPES[shape]
    exact = latencies(levels, memory_s, hits)
    good = 0
    for seed in SEEDS:
        wiggle = np.random.default_rng(seed).normal(0, noise, exact.size)
        found = staircase(FOOTPRINTS, exact * np.exp(wiggle)).levels
        good += len(found) == len(levels) and all(
            abs(np.log2(one.capacity_bytes / capacity)) <= 0.51
            and one.low_bytes <= one.capacity_bytes <= one.high_bytes
            and one.latency_s == pytest.approx(latency, rel=0.15)
            for one, (capacity, latency) in zip(found, levels, strict=True)
        )
    assert good >= (len(SEEDS) if noise == 0 else 0.7 * len(SEEDS))


@pytest.mark.parametrize("shape", ["least recent", "at random", "uneven", "odd sizes", "two levels", "one level"])
def test_memory_begins_where_hits_are_few(shape: str) -> None:
    levels, memory_s, hits = SHAPES[shape]
    exact = latencies(levels, memory_s, hits)
    for seed in SEEDS:
        found = staircase(FOOTPRINTS, exact * np.exp(np.random.default_rng(seed).normal(0, 0.01, exact.size)))
        assert found.memory_s == pytest.approx(memory_s, rel=0.06)
        assert found.memory_from_bytes is not None
        assert found.memory_from_bytes > levels[-1][0]
        assert hits[-1](np.array([found.memory_from_bytes]), levels[-1][0])[0] < 0.35
        assert found.last_cache == found.levels[-1]


def test_the_bounds_are_measured_neighbours() -> None:
    found = staircase(FOOTPRINTS, latencies(*SHAPES["least recent"]))
    for level, (capacity, _) in zip(found.levels, SERVER, strict=True):
        assert level.low_bytes <= capacity < level.high_bytes
        place = int(np.searchsorted(FOOTPRINTS, level.low_bytes))
        assert (FOOTPRINTS[place], FOOTPRINTS[place + 1]) == (level.low_bytes, level.high_bytes)


def test_a_long_ramp_that_never_flattens_leaves_memory_open() -> None:
    """As on a shared machine with too small a largest footprint: no number for memory is better than a wrong one."""
    exact = latencies(SERVER, 230e-9, (least_recent, least_recent, shared))
    small = int(np.searchsorted(FOOTPRINTS, 256 * MiB))
    found = staircase(FOOTPRINTS[:small], exact[:small])
    assert (found.memory_s, found.memory_from_bytes, found.last_cache) == (None, None, None)
    assert [round(level.latency_s * 1e9, 1) for level in found.levels[:2]] == [1.2, 5.0]


@pytest.mark.parametrize("noise", [0.0, 0.02, 0.05])
def test_a_flat_curve_has_no_level(noise: float) -> None:
    for seed in SEEDS:
        flat = 80e-9 * np.exp(np.random.default_rng(seed).normal(0, noise, FOOTPRINTS.size))
        found = staircase(FOOTPRINTS, flat)
        assert (found.levels, found.memory_s) == ((), None)


def test_a_high_last_point_is_no_new_level() -> None:
    exact = latencies(*SHAPES["at random"])
    exact[-1] *= 1.12
    found = staircase(FOOTPRINTS, exact)
    assert len(found.levels) == 3
    assert found.memory_from_bytes is not None
    assert found.memory_from_bytes < 512 * MiB


def test_page_walks_that_raise_memory_slowly_are_no_new_level() -> None:
    exact = latencies(*SHAPES["at random"]) * 1.05 ** np.maximum(0, np.log2(FOOTPRINTS / (128 * MiB)))
    assert len(staircase(FOOTPRINTS, exact).levels) == 3


def test_points_known_to_be_poor_count_for_little() -> None:
    wrong, spread = latencies(*SHAPES["at random"]), np.full(FOOTPRINTS.size, 0.005)
    wrong[9:18:2] *= 1.3  # half of the second level, with wide intervals
    spread[9:18:2] = 0.3
    trusting, warned = staircase(FOOTPRINTS, wrong), staircase(FOOTPRINTS, wrong, spread)
    assert warned.levels[1].latency_s == pytest.approx(5e-9, rel=0.01)
    assert trusting.levels[1].latency_s > 5.3e-9


def test_order_and_gaps_do_not_matter() -> None:
    exact = latencies(*SHAPES["at random"])
    order = np.random.default_rng(1).permutation(FOOTPRINTS.size)
    assert staircase(FOOTPRINTS[order], exact[order]) == staircase(FOOTPRINTS, exact)
    holes = exact.copy()
    holes[[3, 30]] = np.nan
    assert len(staircase(FOOTPRINTS, holes).levels) == 3


def test_five_points_are_no_staircase() -> None:
    assert staircase(np.array([1.0, 2, 4, 8, 16]) * GiB, np.array([1.0, 1, 1, 9, 9]) * 1e-9).levels == ()
