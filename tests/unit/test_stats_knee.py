"""Knees of curves with known truth."""

import numpy as np
import pytest

from tierscope.stats.knee import knee, rising

IDLE, CAPACITY = 100e-9, 40e9


def queue(most: float, points: int) -> tuple[np.ndarray, np.ndarray]:
    """M/M/1: latency = idle / (1 - u) for u from 0 to `most`."""
    u = np.linspace(0, most, points)
    return u * CAPACITY, IDLE / (1 - u)


@pytest.mark.parametrize("most", [0.6, 0.8, 0.9, 0.95, 0.99])
def test_the_knee_of_a_queue_is_where_theory_puts_it(most: float) -> None:
    found = knee(*queue(most, 400))
    assert found is not None
    assert found.bandwidth_bytes_per_s / CAPACITY == pytest.approx(1 - np.sqrt(1 - most), abs=0.01)


@pytest.mark.parametrize("seed", range(20))
def test_noise_moves_the_knee_by_a_point_or_two(seed: int) -> None:
    bandwidth, latency = queue(0.95, 20)
    noisy = latency * np.exp(np.random.default_rng(seed).normal(0, 0.03, latency.size))
    exact, found = knee(bandwidth, latency), knee(bandwidth, noisy)
    assert exact is not None
    assert found is not None
    assert abs(found.index - exact.index) <= 2
    assert found.latency_s == noisy[found.index]


def test_the_order_of_the_points_does_not_matter() -> None:
    bandwidth, latency = queue(0.9, 30)
    order = np.random.default_rng(1).permutation(30)
    straight, shuffled = knee(bandwidth, latency), knee(bandwidth[order], latency[order])
    assert straight is not None
    assert shuffled is not None
    assert straight.bandwidth_bytes_per_s == shuffled.bandwidth_bytes_per_s


def test_a_curve_that_bends_back_at_saturation_has_its_knee_before() -> None:
    bandwidth, latency = queue(0.95, 20)
    found = knee(np.append(bandwidth, [0.93 * CAPACITY, 0.9 * CAPACITY]), np.append(latency, [25 * IDLE, 30 * IDLE]))
    assert found is not None
    assert 0.6 < found.bandwidth_bytes_per_s / CAPACITY < 0.9


@pytest.mark.parametrize(
    "latency",
    [
        np.full(20, IDLE),
        IDLE * np.linspace(1, 1.2, 20),  # hardly rises
        IDLE * np.linspace(1, 3, 20),  # a line
        IDLE * (1 + 2 * np.sqrt(np.linspace(0, 1, 20))),  # bends the other way
        IDLE * np.linspace(1, 0.5, 20),
        np.full(20, np.nan),
    ],
    ids=["flat", "small", "line", "concave", "falling", "unknown"],
)
def test_without_a_bend_there_is_no_knee(latency: np.ndarray) -> None:
    assert knee(np.linspace(1e9, 40e9, 20), latency) is None


@pytest.mark.parametrize("seed", range(20))
def test_noise_on_a_flat_curve_makes_no_knee(seed: int) -> None:
    latency = IDLE * np.exp(np.random.default_rng(seed).normal(0, 0.03, 12))
    assert knee(np.linspace(1e9, 40e9, 12), latency) is None


def test_four_points_or_one_bandwidth_are_not_a_curve() -> None:
    assert knee(*queue(0.95, 4)) is None
    assert knee(np.full(8, 5e9), np.linspace(1, 9, 8) * IDLE) is None


def test_rising_pools_what_falls_and_keeps_the_mean() -> None:
    np.testing.assert_allclose(rising(np.array([1.0, 3.0, 2.0, 2.0, 5.0])), [1, 7 / 3, 7 / 3, 7 / 3, 5])
    values = np.random.default_rng(2).normal(size=200)
    assert np.all(np.diff(rising(values)) >= 0)
    assert rising(values).mean() == pytest.approx(values.mean())
