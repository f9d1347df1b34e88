"""Points get more time only where answers depend on them."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from made_buffers import FOOTPRINT, Buffer, Device, model_s
from made_machine import made_machine
from tierscope.arrays import Floats
from tierscope.plans import suites
from tierscope.record.experiment import Experiment
from tierscope.stats import buffers_errors as errors
from tierscope.stats.buffers import infer
from tierscope.stats.buffers_aim import worth_time
from tierscope.stats.buffers_levels import Curve
from tierscope.stats.median import Interval
from tierscope.suites.buffers import experiments as buffers
from tierscope.suites.buffers.experiments import SCATTERED
from tierscope.tables import buffers_found
from tierscope.units import KiB, MiB

pytestmark = pytest.mark.slow

CAPACITY = 168 * KiB
SMALL_STEP = Device((Buffer(CAPACITY, 256, 351e-9),), 371e-9)
LARGE_STEP = Device((Buffer(CAPACITY, 256, 60e-9),), 371e-9)
AROUND = [
    round(CAPACITY * factor / (8 * KiB)) * 8 * KiB for factor in (0.6, 0.7, 0.8, 0.9, 1.0, 1.15, 1.3, 1.6, 2.0, 2.6)
]
IN_ORDER = sorted({*(2 * KiB << step for step in range(17)), *AROUND})
REGIONS = [*SCATTERED, *IN_ORDER]


def curve_of(device: Device, spread: float, seed: int = 1) -> Curve:
    at_random = np.array([place < len(SCATTERED) for place in range(len(REGIONS))])
    latency = np.array([model_s(device, region, bool(one)) for region, one in zip(REGIONS, at_random, strict=True)])
    return distorted(latency, at_random, spread, seed)


def distorted(latency: Floats, at_random: Floats, spread: float, seed: int) -> Curve:
    noisy = latency * np.exp(np.random.default_rng(seed).normal(0, max(spread, 1e-12), latency.size))
    over = np.full(latency.size, float(FOOTPRINT))
    return Curve(np.array(REGIONS, float), noisy, np.full(latency.size, spread), at_random, over)


def near_the_knee(curve: Curve) -> list[bool]:
    """Return for each region in order that is worth more time whether it is near the capacity."""
    places = [place for place, _ in worth_time(curve) if not curve.scattered[place]]
    return [CAPACITY / 4 <= curve.region_bytes[place] <= CAPACITY * 8 for place in places]


def test_a_step_that_is_small_next_to_the_noise_asks_for_more_time_around_its_knee() -> None:
    worth = near_the_knee(curve_of(SMALL_STEP, 0.004))
    assert sum(worth) >= len(AROUND) // 2
    assert not near_the_knee(curve_of(LARGE_STEP, 0.004))


def test_no_more_time_is_asked_for_than_the_error_of_the_model_is_worth() -> None:
    curve = curve_of(SMALL_STEP, 0.004)
    allowed = errors.misses(curve) / curve.latency_s
    for place, relative in worth_time(curve):
        assert relative == pytest.approx(allowed[place])
    assert all(relative == pytest.approx(allowed[place] / 2) for place, relative in worth_time(curve, 0.5))
    assert not worth_time(replace(curve, spread=0.9 * allowed))


def test_a_time_that_each_line_takes_has_no_error_of_misses() -> None:
    small, large = curve_of(SMALL_STEP, 0.0), curve_of(LARGE_STEP, 0.0)
    slow = small.region_bytes >= 64 * MiB
    assert np.all(errors.misses(small)[slow] < errors.plain(small)[slow] / 3)
    assert np.all(errors.misses(large)[slow] > errors.plain(large)[slow] / 2)
    assert np.all(errors.misses(large) <= errors.plain(large))


def test_more_time_makes_the_interval_of_a_capacity_narrower() -> None:
    (first,), (again,) = (infer(curve_of(SMALL_STEP, spread)).levels for spread in (0.004, 0.001))
    assert again.capacity_bytes.low <= CAPACITY <= again.capacity_bytes.high
    assert again.capacity_bytes.furthest < first.capacity_bytes.furthest / 2


MACHINE = made_machine(2)


def known_of(curve: Curve) -> buffers.Known:
    known = buffers.Known(FOOTPRINT)
    for place in range(curve.latency_s.size):
        key = int(curve.region_bytes[place]), bool(curve.scattered[place]), 0
        known.points[key] = float(curve.latency_s[place]), float(curve.spread[place])
    return known


def test_points_that_decide_are_read_again_for_longer_within_the_limit() -> None:
    chosen = suites["buffers"].read({"footprint": "1GiB", "limit": "50"})
    asked: list[tuple[int, float, float]] = []

    def read(region: int, *, scattered: bool, stride: int, precision: float, budget_s: float) -> list[Experiment]:
        del scattered, stride
        asked.append((region, precision, budget_s))
        return []

    list(buffers.again(known_of(curve_of(SMALL_STEP, 0.004)), chosen, read))
    assert asked
    assert sum(budget for _, _, budget in asked) == pytest.approx(50)
    assert all(region <= buffers.AGAIN_TO and precision < chosen.precision for region, precision, _ in asked)
    asked.clear()
    list(buffers.again(known_of(curve_of(LARGE_STEP, 0.004)), chosen, read))
    assert not [region for region, _, _ in asked if region > buffers.SCATTERED[-1]]


def test_the_most_precise_read_of_a_region_counts() -> None:
    known = buffers.Known(FOOTPRINT)
    experiment = buffers.field_of(MACHINE, suites["buffers"].read({"footprint": "1GiB"})).read(2 * KiB)
    for rate, relative in ((1e7, 0.01), (2e7, 0.002), (3e7, 0.03)):
        interval = SimpleNamespace(interval=SimpleNamespace(relative=relative))
        known.add(experiment, SimpleNamespace(rate=lambda rate=rate: rate, point=SimpleNamespace(groups=[interval])))
    assert known.points == {(2 * KiB, False, 0): (pytest.approx(5e-8), pytest.approx(0.001))}


def test_the_most_precise_row_of_a_region_counts() -> None:
    def row(seconds: float, half: float) -> Any:
        latency = Interval(seconds - half, seconds, seconds + half, 100)
        return SimpleNamespace(
            target="node:0", operation="read", latency=latency, blocks=100, region_bytes=2 * KiB, scattered=False,
            stride_bytes=None, footprint_bytes=FOOTPRINT,
        )  # fmt: skip

    (point,) = buffers_found._points([row(100e-9, 2e-9), row(102e-9, 1e-9), row(104e-9, 3e-9)], "node:0", "read")
    assert point[3] == 102e-9
