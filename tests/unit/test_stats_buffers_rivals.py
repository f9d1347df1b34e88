"""Buffers of other kinds are found, or the answer is not sure."""

import numpy as np
import pytest

from tiers import first
from tierscope.stats.buffers import WIDE, infer
from tierscope.stats.buffers_levels import Curve, Levels
from tierscope.stats.buffers_model import Fresh, Unit
from tierscope.units import KiB, MiB

COARSE = [64 << step for step in range(8)] + [16 * KiB << step for step in range(14)]
REGIONS = COARSE + [MiB * step // 16 * 3 for step in (10, 13, 14, 18, 20, 23, 29, 35, 45)]
SCATTERED = np.array([region <= 8 * KiB for region in REGIONS])
FRESH = Fresh(np.array(REGIONS, dtype=np.float64), SCATTERED, np.full(len(REGIONS), float(1 << 30)))
Made = tuple[str, int, float, float]  # kind, unit, capacity, step in seconds


def seen(*buffers: Made, noise: float = 0.0003, seed: int = 3) -> Levels:
    """The answer to a curve of these buffers, with 100 ns in the nearest."""
    exact = 100e-9 + sum(step * Unit(FRESH, unit).misses(size, kind) for kind, unit, size, step in buffers)
    return answer(np.broadcast_to(exact, len(REGIONS)), noise, seed)


def answer(exact: np.typing.NDArray[np.float64], noise: float = 0.0003, seed: int = 3) -> Levels:
    latency = exact * np.exp(np.random.default_rng(seed).normal(0, noise, exact.size))
    return infer(Curve(FRESH.region_bytes, latency, np.full(exact.size, noise), SCATTERED, FRESH.footprint_bytes))


def sure(levels: Levels) -> bool:
    return not levels.doubts and all(one.capacity_bytes.bounded or one.capacity_off <= WIDE for one in levels.levels)


@pytest.mark.parametrize("kind", first(1, ["random", "hash4", "fifo", "clock", "hash16", "lru"]))
def test_one_buffer_of_any_kind_is_one_buffer(kind: str) -> None:
    levels = seen((kind, 512, 3 * MiB, 200e-9))
    assert sure(levels)
    (level,) = levels.levels
    assert level.capacity_bytes.low <= 3 * MiB <= level.capacity_bytes.high
    assert level.unit_bytes.low <= 512 <= level.unit_bytes.high


@pytest.mark.parametrize("unit", first(1, [896, 1600, 320]))
def test_a_unit_that_is_not_a_power_of_two_is_in_the_interval(unit: int) -> None:
    (level,) = seen(("lru", unit, 3 * MiB, 200e-9)).levels
    assert level.unit_bytes.low <= unit <= level.unit_bytes.high
    assert level.capacity_bytes.middle == pytest.approx(3 * MiB, rel=0.06)


@pytest.mark.slow
def test_a_unit_above_the_search_of_the_expected_kind_has_no_upper_bound() -> None:
    (level,) = seen(("lru", 32 * KiB, 6 * MiB, 200e-9)).levels
    assert level.unit_bytes.low <= 32 * KiB <= level.unit_bytes.high
    assert level.most_amplification is None


@pytest.mark.parametrize("seed", first(1, range(4)))
def test_noise_does_not_make_a_large_unit_a_smaller_one(seed: int) -> None:
    """Regions at random up to 8 KiB show that the unit is large, and not how large."""
    (level,) = seen(("hash16", 28 * KiB, 3.3 * MiB, 200e-9), noise=0.0035, seed=seed).levels
    assert level.unit_bytes.low <= 28 * KiB <= level.unit_bytes.high


def test_a_kind_between_two_of_the_table_has_a_capacity_with_the_error_of_the_table() -> None:
    """Sets of 32 units are between sets of 16 and one set. Low noise does not make the capacity that of one of them."""
    near, far = Unit(FRESH, KiB).misses(3.4 * MiB, "random"), Unit(FRESH, 4 * KiB)
    between = (far.misses(8.1 * MiB, "hash16") + far.misses(8.1 * MiB)) / 2
    capacity = answer(48e-9 + 156e-9 * near + 21e-9 * between, noise=0.0001).levels[1].capacity_bytes
    assert capacity.low <= 8.1 * MiB <= capacity.high
    assert capacity.high / capacity.low > 1.15


@pytest.mark.slow
def test_such_a_kind_close_to_another_buffer_is_in_doubt() -> None:
    """At 1.7x the capacity, one hides the other, and the interval may lack the truth."""
    near, far = Unit(FRESH, KiB).misses(3.4 * MiB, "random"), Unit(FRESH, 4 * KiB)
    between = (far.misses(5.8 * MiB, "hash16") + far.misses(5.8 * MiB)) / 2
    assert not sure(answer(48e-9 + 156e-9 * near + 21e-9 * between, noise=0.0001))


@pytest.mark.parametrize("kind", first(1, ["lru", "random"]))
def test_a_buffer_whose_knee_no_region_shows_has_a_lower_bound(kind: str) -> None:
    levels = seen((kind, 2 * KiB, 100 * MiB, 200e-9))
    assert sure(levels)
    (level,) = levels.levels
    assert levels.open
    assert 32 * MiB <= level.capacity_bytes.low <= 100 * MiB
    assert level.unit_bytes.low <= 2 * KiB <= level.unit_bytes.high
    assert level.latency_s.middle == pytest.approx(100e-9, rel=0.03)
    assert levels.medium_s.bounded
    assert 150e-9 <= levels.medium_s.low <= 300e-9


@pytest.mark.slow
def test_a_buffer_of_half_the_footprint_is_not_surely_a_smaller_one() -> None:
    """Half of the lines at random are found in it, so that its latency and that of the medium are not distinguished."""
    levels = seen(("lru", 2 * KiB, 512 * MiB, 200e-9))
    assert levels.open
    assert all(level.capacity_bytes.low <= 512 * MiB for level in levels.levels)
    assert levels.medium_s.low <= 300e-9
    assert not sure(levels) or levels.levels[0].latency_s.middle == pytest.approx(100e-9, rel=0.03)


@pytest.mark.slow
def test_a_buffer_that_contains_the_footprint_does_not_show() -> None:
    """Each line is found there, so that it looks like the medium; the answer states up to which size it looked."""
    levels = answer(np.full(len(REGIONS), 150e-9))
    assert levels.levels == ()
    assert levels.reach_bytes == 64 * MiB
    assert not levels.open


@pytest.mark.slow
def test_two_buffers_of_nearly_equal_size_are_not_surely_one() -> None:
    levels = seen(("lru", 256, 2 * MiB, 150e-9), ("lru", 256, 3.2 * MiB, 150e-9))
    assert len(levels.levels) == 2 or not sure(levels)


@pytest.mark.slow
def test_a_curve_of_no_buffer_is_of_no_known_kind() -> None:
    """A prefetcher leaves such a curve: middle regions are fast, smaller and larger ones are not."""
    latency = np.where((FRESH.region_bytes >= KiB) & (FRESH.region_bytes <= 256 * KiB), 46e-9, 118e-9)
    assert any("no known kind" in doubt for doubt in answer(latency, 0.001).doubts)


@pytest.mark.parametrize("seed", first(1, range(4)))
def test_the_published_dimm_is_right_or_not_sure(seed: int) -> None:
    levels = seen(("lru", 256, 16 * KiB, 176e-9), ("lru", 4 * KiB, 16 * MiB, 69e-9), noise=0.002, seed=seed)
    assert [level.round_bytes for level in levels.levels] == [16 * KiB, 16 * MiB] or not sure(levels)
    assert sure(levels) or seed != 0


@pytest.mark.parametrize("capacity", first(1, [290 * KiB, 350 * KiB]))
def test_a_round_size_at_the_end_of_an_interval_is_not_sure(capacity: int) -> None:
    """A wide interval contains a round size by chance: 256 KiB is not the answer where 290 KiB fit best."""
    levels = seen(("random", 8 * KiB, capacity, 150e-9), noise=0.006)
    for level in levels.levels:
        near = level.round_bytes is None or abs(level.round_bytes / level.capacity_bytes.middle - 1) <= 0.06
        assert near or any("not known well enough" in doubt for doubt in levels.doubts)
    assert not sure(levels) or all(level.round_bytes != 256 * KiB for level in levels.levels)
