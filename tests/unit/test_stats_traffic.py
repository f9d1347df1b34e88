"""Traffic of others is found on made memories whose traffic is known, and its interval contains it."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from tierscope.stats.median import Interval
from tierscope.stats.traffic import FEWEST, Curve, Knot, Piece, Traffic, smallest, traffic, zero_of, zero_of_visits

GB = 1e9
LOADS = (1.0, 3.0, 6.0, 10.0, 15.0, 20.0)
TRIALS = 200


@dataclass(frozen=True)
class Memory:
    """Latency over idle at a load in GB/s, of a mix with this share of reads: writes fill the memory sooner."""

    most: float = 30.0
    wait: float = 0.15

    def full(self, reads: float) -> float:
        return self.most * (0.6 + 0.4 * reads)

    def over_idle(self, load: float, reads: float) -> float:
        used = load / self.full(reads)
        return 1 + self.wait * used / (1 - used)


def knots(memory: Memory, reads: float, rng: np.random.Generator, noise: float) -> list[Knot]:
    """A curve measured with this standard error of the logarithm of each ratio, and intervals that state it."""
    found = []
    for asked in LOADS:
        load = min(asked, 0.9 * memory.full(reads))
        ratio = memory.over_idle(load, reads) * math.exp(rng.normal(0, noise))
        wide = math.exp(1.96 * noise)
        found.append(
            Knot(
                Interval(0.98 * load * GB, load * GB, 1.02 * load * GB, 9),
                Interval(ratio / wide, ratio, ratio * wide, 9),
            )
        )
    return found


def seen(
    rng: np.random.Generator,
    planted: Callable[[int], float],
    reads: float,
    memory: Memory = Memory(),
    drift: float = 0.0,
) -> Traffic:
    """One whole measurement: curves of three mixes, readings without load, then 200 pieces next to planted GB/s."""
    curves = [Curve(knots(memory, mix, rng, 0.01)) for mix in (1.0, 0.5, 0.0)]
    level = drift * rng.normal()
    readings = [100e-9 * math.exp(rng.normal(0, 0.01) + drift * rng.normal()) for _ in range(15)]
    zero = zero_of(readings)
    assert zero
    pieces = []
    for number in range(200):
        now = 100e-9 * memory.over_idle(planted(number), reads) * math.exp(level + rng.normal(0, 0.01))
        pieces.append(Piece(now, now, 0.02))
    return traffic(pieces, zero, curves)


@pytest.mark.parametrize("reads", [1.0, 0.75, 0.5, 0.0])
@pytest.mark.parametrize("planted", [2.0, 5.0, 12.0])
def test_steady_traffic_of_any_mix_is_within_the_interval(reads: float, planted: float) -> None:
    rng = np.random.default_rng(15)
    found = [seen(rng, lambda _: planted, reads) for _ in range(TRIALS)]
    hits = sum(one.low <= planted * GB <= one.high for one in found)
    assert hits >= 0.94 * TRIALS
    assert np.median([one.middle for one in found]) == pytest.approx(planted * GB, rel=0.7, abs=0.6 * GB)


@pytest.mark.parametrize("drift", [0.0, 0.01, 0.03])
def test_without_traffic_none_is_claimed(drift: float) -> None:
    rng = np.random.default_rng(16)
    found = [seen(rng, lambda _: 0.0, 1.0, drift=drift) for _ in range(TRIALS)]
    assert sum(one.low > 0 for one in found) <= 0.05 * TRIALS


@pytest.mark.parametrize(("every", "burst"), [(2, 10.0), (5, 12.0), (10, 12.0)])
def test_bursts_are_averaged_and_not_their_latency(every: int, burst: float) -> None:
    rng = np.random.default_rng(17)
    found = [seen(rng, lambda number: burst * (number % every == 0), 1.0) for _ in range(TRIALS)]
    assert sum(one.low <= burst / every * GB <= one.high for one in found) >= 0.94 * TRIALS


def test_the_interval_is_narrow_enough_to_be_of_use() -> None:
    rng = np.random.default_rng(18)
    found = [seen(rng, lambda _: 12.0, 1.0) for _ in range(TRIALS)]
    assert np.median([one.high / one.low for one in found]) < 5
    assert np.median([one.high for one in [seen(rng, lambda _: 0.0, 1.0) for _ in range(50)]]) < 10 * GB


def exact(wait: float = 0.15) -> list[Curve]:
    rng = np.random.default_rng(1)
    return [Curve(knots(Memory(wait=wait), mix, rng, 0.0)) for mix in (1.0, 0.0)]


def test_traffic_beyond_the_curve_has_no_upper_bound() -> None:
    zero = zero_of([100e-9] * FEWEST)
    assert zero
    found = traffic([Piece(300e-9, 300e-9, 0.0)], zero, exact())
    assert math.isinf(found.high)
    assert found.low == pytest.approx(0.98 * 17.4 * GB, rel=0.2)


def test_a_memory_that_no_load_slows_shows_nothing() -> None:
    zero = zero_of([100e-9, 101e-9, 99e-9, 100e-9, 102e-9])
    assert zero
    found = traffic([Piece(100e-9, 100e-9, 0.0)], zero, exact(wait=0.0))
    assert (found.low, math.isinf(found.high)) == (0.0, True)
    assert math.isinf(smallest(zero, exact(wait=0.0)))


def test_a_slower_core_does_not_count_as_traffic() -> None:
    zero = zero_of([100e-9] * FEWEST)
    assert zero
    pieces = [Piece(120e-9, 120e-9, 0.0)]
    assert traffic(pieces, zero, exact()).low > 5 * GB
    assert traffic(pieces, zero, exact(), slower=1.2).low == 0.0


def test_bursts_within_a_piece_widen_the_interval() -> None:
    zero = zero_of([100e-9] * FEWEST)
    assert zero
    still, bursts = ([Piece(100e-9, mean, 0.0)] for mean in (100e-9, 110e-9))
    assert traffic(bursts, zero, exact()).low == 0.0
    assert traffic(bursts, zero, exact()).high > traffic(still, zero, exact()).high + GB


def test_few_readings_without_load_are_not_enough() -> None:
    assert zero_of([100e-9] * (FEWEST - 1)) is None
    assert zero_of_visits([[100e-9] * 9, [101e-9] * 9]) is None


def test_readings_of_another_run_differ_by_their_visits() -> None:
    alike = zero_of_visits([[100e-9, 100.1e-9, 99.9e-9]] * 3)
    apart = zero_of_visits([[100e-9] * 3, [103e-9] * 3, [98e-9] * 3])
    assert alike
    assert apart
    assert alike.error < 0.01
    assert apart.error > 0.05
    assert apart.latency_s == pytest.approx(100e-9)


def test_loads_that_are_turned_away_at_saturation_keep_the_curve_rising() -> None:
    loads, ratios = (5.0, 20.0, 18.0), (1.1, 1.5, 2.0)
    curve = Curve(
        [
            Knot(Interval(load * GB, load * GB, load * GB, 9), Interval(ratio, ratio, ratio, 9))
            for load, ratio in zip(loads, ratios, strict=True)
        ]
    )
    ratio = np.array([1.4, 1.8])
    assert (curve.least(ratio) <= curve.middle(ratio)).all()
    assert (curve.middle(ratio) <= curve.most(ratio)).all()
    assert curve.least(ratio)[1] == 20 * GB
    assert curve.end == 20 * GB
