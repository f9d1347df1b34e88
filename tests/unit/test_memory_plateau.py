"""Where memory begins in a staircase that ends on a ramp: page walks behind memory, or the knee of a cache."""

import numpy as np
import pytest

from made_hierarchy import at_random, least_recent
from tierscope.arrays import Floats
from tierscope.stats.levels import staircase
from tierscope.stats.memory_plateau import Windows, memory_plateau
from tierscope.units import GiB, KiB, MiB

SIZES = np.array([4 * KiB * 2 ** (half / 2) for half in range(39)])
MEMORY_S = 170e-9


def curve(last_cache: float = 24 * MiB, memory_s: float = MEMORY_S) -> Floats:
    total, missing = np.zeros_like(SIZES), np.ones_like(SIZES)
    for capacity, latency, hit in ((48 * KiB, 1.3e-9, least_recent), (2 * MiB, 5e-9, at_random),
                                   (last_cache, 42e-9, at_random)):  # fmt: skip
        share = hit(SIZES, capacity)
        total += missing * share * latency
        missing = missing * (1 - share)
    return total + missing * memory_s


def rising(times: Floats, per_octave: float, beyond: float = 512 * MiB) -> Floats:
    """Return the curve with page walks that add a share per octave beyond a footprint."""
    return times * (1 + per_octave) ** np.maximum(np.log2(SIZES / beyond), 0)


@pytest.mark.parametrize("noise", [0.0, 0.02])
@pytest.mark.parametrize("per_octave", [0.22, 0.27])
def test_memory_is_the_plateau_before_the_page_walks(noise: float, per_octave: float) -> None:
    for seed in range(6):
        times = rising(curve(), per_octave) * np.exp(np.random.default_rng(seed).normal(0, noise, SIZES.size))
        found = memory_plateau(staircase(SIZES, times), SIZES, times, 480 * MiB)
        assert found is not None
        inside = (found.from_bytes <= SIZES) & (found.to_bytes >= SIZES)
        assert np.median(times[inside]) == pytest.approx(MEMORY_S, rel=0.08)
        assert found.levels[-1].latency_s == pytest.approx(42e-9, rel=0.15)
        if found.rise:
            assert found.rise == pytest.approx(times[-1] / MEMORY_S - 1, abs=0.15)


def test_a_staircase_that_ends_on_the_knee_of_a_cache_does_not_reach_memory() -> None:
    for cache in (256 * MiB, 512 * MiB, 768 * MiB):
        times = curve(cache)[1 * GiB >= SIZES]
        sizes = SIZES[1 * GiB >= SIZES]
        assert memory_plateau(staircase(sizes, times), sizes, times) is None


def test_a_ramp_within_the_reported_cache_proves_nothing() -> None:
    times = rising(curve(), 0.27)
    assert memory_plateau(staircase(SIZES, times), SIZES, times, 480 * MiB) is not None
    assert memory_plateau(staircase(SIZES, times), SIZES, times, 1500 * MiB) is None


def test_a_plateau_hardly_slower_than_the_last_cache_is_not_taken_for_memory() -> None:
    times = rising(curve(memory_s=70e-9), 0.27)
    assert memory_plateau(staircase(SIZES, times), SIZES, times) is None


@pytest.mark.parametrize(("over", "known"), [(1.0, True), (1.15, True), (1.3, False), (2.0, False)])
def test_a_steep_ramp_is_page_walks_if_windows_take_the_time_of_the_plateau(over: float, *, known: bool) -> None:
    """Else it may be the knee of a large cache, whose lines a pass by windows does not meet again, either."""
    times = rising(curve(), 0.6)
    stairs = staircase(SIZES, times)
    windows = Windows(2 * GiB, 256 * MiB, over * MEMORY_S)
    assert memory_plateau(stairs, SIZES, times, 480 * MiB) is None
    assert (memory_plateau(stairs, SIZES, times, 480 * MiB, windows) is not None) == known


def test_windows_prove_nothing_below_twice_the_reported_cache_or_outside_the_plateau() -> None:
    times = rising(curve(), 0.6)
    stairs = staircase(SIZES, times)
    for reported, windows in (
        (1500 * MiB, Windows(2 * GiB, 256 * MiB, MEMORY_S)),
        (480 * MiB, Windows(2 * GiB, 1 * MiB, MEMORY_S)),
        (480 * MiB, Windows(600 * MiB, 75 * MiB, MEMORY_S)),
    ):
        assert memory_plateau(stairs, SIZES, times, reported, windows) is None


def test_a_large_cache_is_not_taken_for_memory_by_its_windows() -> None:
    """Visited window by window, each line comes back after all others, so that the cache answers few of them."""
    times = curve(640 * MiB, 500e-9)
    share = float(at_random(np.array([2.0 * GiB]), 640 * MiB)[0])
    windows = Windows(2 * GiB, 256 * MiB, share * 42e-9 + (1 - share) * 500e-9)
    assert memory_plateau(staircase(SIZES, times), SIZES, times, 0, windows) is None
