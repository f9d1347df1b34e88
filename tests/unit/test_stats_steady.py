"""Warm-up and steadiness: bias found, false alarms rare, both counted by simulation."""

import numpy as np
import pytest

from noise import NOISES, alike, independent
from tierscope.stats.steady import Steady, settle

RUNS, POINTS = 200, 200


def outcomes(series: np.ndarray) -> list[Steady]:
    return [settle(one) for one in series]


@pytest.mark.parametrize("noise", sorted(NOISES))
@pytest.mark.parametrize("spread", [0.01, 0.05])
def test_stationary_noise_is_seldom_cut_and_hardly_ever_called_unsteady(noise: str, spread: float) -> None:
    found = outcomes(100 * (1 + spread * NOISES[noise](np.random.default_rng(1), RUNS, POINTS)))
    assert np.mean([one.start > 0 for one in found]) <= 0.15
    assert np.mean([not one.steady for one in found]) <= 0.03


@pytest.mark.parametrize("noise", [independent, alike])
def test_a_slow_start_is_cut_and_hardly_more(noise) -> None:  # type: ignore[no-untyped-def]
    series = 100 * (1 + 0.02 * noise(np.random.default_rng(2), RUNS, POINTS))
    series[:, :30] *= 0.6
    found = outcomes(series)
    assert np.mean([30 <= one.start <= 50 for one in found]) >= 0.8
    assert np.mean([one.steady for one in found]) >= 0.95


def test_cutting_removes_the_bias_of_an_exponential_warm_up() -> None:
    rise = 1 - 0.5 * np.exp(-np.arange(POINTS) / 15)
    series = 100 * rise * (1 + 0.02 * independent(np.random.default_rng(3), RUNS, POINTS))
    left = np.mean([one[settle(one).start :].mean() - 100 for one in series])
    assert abs(left) < 0.5 < abs(np.mean(series) - 100)


def test_a_warm_up_longer_than_half_is_not_steady() -> None:
    series = 100 * (1 + 0.01 * independent(np.random.default_rng(4), RUNS, POINTS))
    series *= np.linspace(2, 1, POINTS)
    found = outcomes(series)
    assert all(not one.steady for one in found)
    assert all(one.trend == -1 for one in found)


@pytest.mark.parametrize(("step", "trend"), [(1.1, 1), (0.9, -1)])
def test_a_step_past_the_middle_is_not_steady(step: float, trend: int) -> None:
    series = 100 * (1 + 0.01 * independent(np.random.default_rng(5), RUNS, POINTS))
    series[:, POINTS * 6 // 10 :] *= step
    found = outcomes(series)
    assert np.mean([not one.steady and one.trend == trend for one in found]) >= 0.9


def test_a_drift_within_the_tolerance_is_steady() -> None:
    series = 100 * (1 + 0.001 * independent(np.random.default_rng(6), 50, POINTS))
    series[:, POINTS * 6 // 10 :] *= 1.01
    assert all(settle(one, tolerance=0.02).steady for one in series)
    assert not any(settle(one, tolerance=0.005).steady for one in series)


def test_short_and_constant_series_are_left_alone() -> None:
    assert settle(np.arange(49.0)) == Steady(0, True, 0)
    assert settle(np.full(300, 7.0)) == Steady(0, True, 0)
    assert settle(np.empty(0)) == Steady(0, True, 0)


def test_a_constant_after_a_slow_start_is_cut_exactly() -> None:
    series = np.full(200, 7.0)
    series[:20] = 3.0
    assert settle(series) == Steady(20, True, 0)
