"""The interval of the median: it contains the truth as often as it states."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from noise import NOISES, alike
from tierscope.stats.median import Interval, block_length, median, quantiles, student


def coverage(noise: str, points: int, runs: int = 400) -> float:
    rng = np.random.default_rng(1995)
    intervals = [median(100 + series) for series in NOISES[noise](rng, runs, points)]
    return sum(one.low <= 100 <= one.high for one in intervals) / runs


@pytest.mark.parametrize(
    ("noise", "points", "least"),
    [
        ("independent", 50, 0.92),
        ("independent", 200, 0.92),
        ("skewed", 50, 0.92),
        ("skewed", 200, 0.92),
        ("alike", 200, 0.88),
        ("alike", 500, 0.90),
    ],
)
def test_the_95_percent_interval_contains_the_true_median(noise: str, points: int, least: float) -> None:
    assert least <= coverage(noise, points) <= 0.99


def test_an_interval_blind_to_correlation_would_fail_the_same_test() -> None:
    """The simulation can detect a wrong interval: with blocks of one point, coverage falls far below 88 %."""
    rng = np.random.default_rng(1995)
    held = 0
    for series in alike(rng, 400, 200):
        half = 1.96 * 1.2533 * series.std() / math.sqrt(series.size)
        held += abs(float(np.median(series))) <= half
    assert held / 400 < 0.75


def test_it_agrees_with_the_circular_block_bootstrap_by_dice() -> None:
    rng = np.random.default_rng(5)
    (series,) = alike(rng, 1, 600)
    length = block_length(np.asarray(series < np.median(series), dtype=np.float64))
    starts = rng.integers(0, series.size, size=(4000, series.size // length))
    drawn = (starts[:, :, None] + np.arange(length)).reshape(4000, -1) % series.size
    low, high = np.quantile(np.median(series[drawn], axis=1), [0.025, 0.975])
    ours = median(series)
    assert ours.high - ours.low == pytest.approx(high - low, rel=0.2)
    assert abs(ours.low - low) < 0.2 * (high - low)


def test_correlation_is_detected_and_independence_too() -> None:
    rng = np.random.default_rng(11)
    assert np.median([block_length(series) for series in NOISES["independent"](rng, 50, 500)]) <= 3
    assert np.median([block_length(series) for series in alike(rng, 50, 500, 0.9)]) >= 12


@given(st.lists(st.floats(1e-12, 1e12), min_size=1, max_size=80))
def test_the_interval_is_within_the_data_and_around_the_median(values: list[float]) -> None:
    series = np.array(values)
    one = median(series)
    assert series.min() <= one.low <= one.middle <= one.high <= series.max()
    assert one.count == len(values)


def test_equal_samples_give_equal_intervals_and_constants_no_width() -> None:
    series = np.random.default_rng(2).normal(10, 1, 300)
    assert median(series) == median(series.copy())
    assert median(np.full(100, 3.5)) == Interval(3.5, 3.5, 3.5, 100)
    mostly = np.full(100, 3.5)
    mostly[::7] = 4.0
    assert median(mostly).relative == 0


def test_more_points_and_less_confidence_narrow_it() -> None:
    series = np.random.default_rng(3).normal(10, 1, 4000)
    assert median(series).relative < 0.5 * median(series[:400]).relative
    assert median(series, 0.8).relative < median(series, 0.99).relative


def test_the_middle_quantile_is_the_median() -> None:
    series = np.random.default_rng(4).normal(10, 1, 101)
    assert quantiles(series, np.array([0.5]))[0] == pytest.approx(float(np.median(series)))


def test_no_points_give_no_numbers() -> None:
    assert math.isnan(median(np.empty(0)).middle)
    assert median(np.empty(0)).count == 0
    assert median(np.array([2.0, 4.0])) == Interval(2.0, 3.0, 4.0, 2)


def test_units_and_inverse() -> None:
    one = Interval(2.0, 4.0, 8.0, 9)
    assert one.times(0.5) == Interval(1.0, 2.0, 4.0, 9)
    assert one.inverse() == Interval(0.125, 0.25, 0.5, 9)
    assert one.relative == 0.75
    assert Interval(0.0, 0.0, 1.0, 3).relative == math.inf
    assert Interval(0.0, 0.0, 1.0, 3).inverse() == Interval(1.0, math.inf, math.inf, 3)


@pytest.mark.parametrize(("degrees", "within"), [(3, 0.02), (5, 0.002), (20, 1e-5), (1000, 1e-6)])
def test_students_quantile_agrees_with_scipy(degrees: int, within: float) -> None:
    for share in (0.025, 0.2, 0.5, 0.8, 0.975):
        assert student(share, degrees) == pytest.approx(float(stdtrit(degrees, share)), rel=within, abs=1e-12)
