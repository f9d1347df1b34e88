"""Buffers are inferred from what an exact simulation of them, and noise, leave of a curve."""

import functools
from dataclasses import replace

import numpy as np
import pytest

from made_buffers import FOOTPRINT, OPTANE, Buffer, Device, latency_s, model_s
from tiers import first
from tierscope.arrays import Floats
from tierscope.stats.buffers import _level, infer
from tierscope.stats.buffers_levels import Curve, Estimate, Levels
from tierscope.stats.buffers_model import Fresh, Unit
from tierscope.stats.buffers_search import Place, Search
from tierscope.units import KiB, MiB

pytestmark = pytest.mark.slow

SMALL = Device((Buffer(24 * KiB, 512, 60e-9), Buffer(512 * KiB, 2 * KiB, 200e-9)), 300e-9)
CLOSE = Device((Buffer(8 * KiB, 256, 60e-9), Buffer(32 * KiB, 2 * KiB, 200e-9)), 300e-9)
REGIONS = [64 << step for step in range(8)] + sorted(
    {round(16 * KiB * 2 ** (step / 2) / (8 * KiB)) * 8 * KiB for step in range(15)}
)


def model(device: Device, regions: list[int], scattered: list[bool]) -> Floats:
    """The result of the closed form."""
    return np.array([model_s(device, region, random) for region, random in zip(regions, scattered, strict=True)])


@functools.cache
def simulated(device: Device) -> tuple[float, ...]:
    """Small regions scattered, large ones by address."""
    return tuple(latency_s(device, region, scattered=region <= 8 * KiB) for region in REGIONS)


def curve(latency: Floats, noise: float = 0.0, seed: int = 1, regions: list[int] = REGIONS) -> Curve:
    distorted = latency * np.exp(np.random.default_rng(seed).normal(0, max(noise, 1e-12), latency.size))
    return Curve(
        np.array(regions, float), distorted, np.full(latency.size, noise),
        np.array([region <= 8 * KiB for region in regions]), np.full(latency.size, float(FOOTPRINT)),
    )  # fmt: skip


def found(levels: Levels) -> list[tuple[int | None, int]]:
    return [(level.round_bytes, int(level.unit_bytes.middle)) for level in levels.levels]


@pytest.mark.parametrize("device", [SMALL, CLOSE])
@pytest.mark.parametrize("scattered", [True, False])
def test_the_closed_form_is_within_one_percent_of_an_exact_simulation(device: Device, scattered: bool) -> None:
    regions = [64, 256, 1 * KiB, 8 * KiB, 16 * KiB, 24 * KiB, 32 * KiB, 64 * KiB, 128 * KiB, 512 * KiB, 1 * MiB]
    exact = [latency_s(device, region, scattered=scattered) for region in regions]
    assert model(device, regions, [scattered] * len(regions)) == pytest.approx(exact, rel=0.012)


@pytest.mark.parametrize("line", [128, 256])
@pytest.mark.parametrize("scattered", [True, False])
def test_the_closed_form_counts_longer_lines(line: int, scattered: bool) -> None:
    for region in (256, 1 * KiB, 8 * KiB, 24 * KiB, 64 * KiB, 512 * KiB):
        exact = latency_s(SMALL, region, scattered=scattered, line_bytes=line)
        assert model_s(SMALL, region, scattered, line) == pytest.approx(exact, rel=0.012)


@pytest.mark.parametrize("line", [128, 256])
def test_buffers_behind_longer_lines_are_found(line: int) -> None:
    regions = [region for region in large() if region >= line]
    latency = np.array([model_s(SMALL, region, region <= 8 * KiB, line) for region in regions])
    levels = infer(replace(curve(latency, 0.002, regions=regions), line_bytes=line))
    assert [unit for _, unit in found(levels)] == [512, 2 * KiB]
    for level, built in zip(levels.levels, (24 * KiB, 512 * KiB), strict=True):
        assert level.capacity_bytes.low <= built <= level.capacity_bytes.high
        assert level.round_bytes == (None if level.ranged else built)
    assert [level.most_amplification for level in levels.levels] == [512 / line, 2 * KiB / line]


@pytest.mark.parametrize("device", [SMALL, CLOSE])
def test_buffers_of_an_exact_simulation_are_found(device: Device) -> None:
    levels = infer(curve(np.array(simulated(device))))
    assert [int(level.unit_bytes.middle) for level in levels.levels] == [b.unit_bytes for b in device.buffers]
    for level, buffer in zip(levels.levels, device.buffers, strict=True):
        assert level.capacity_bytes.middle == pytest.approx(buffer.capacity_bytes, rel=0.06)
        assert level.latency_s.middle == pytest.approx(buffer.latency_s, rel=0.03)
    assert levels.medium_s.middle == pytest.approx(device.medium_s, rel=0.03)


def large() -> list[int]:
    return [64 << step for step in range(8)] + [16 * KiB << step for step in range(14)]


def test_the_buffers_of_the_published_dimm_are_found_from_a_region_to_a_doubling() -> None:
    regions = large()
    latency = model(OPTANE, regions, [region <= 8 * KiB for region in regions])
    levels = infer(curve(latency, 0.002, regions=regions))
    assert found(levels) == [(16 * KiB, 256), (16 * MiB, 4 * KiB)]
    assert all(
        level.capacity_bytes.low < level.capacity_bytes.middle < level.capacity_bytes.high for level in levels.levels
    )
    assert [level.most_amplification for level in levels.levels] == [4, 64]


def test_a_line_that_is_found_in_no_time_has_an_unknown_latency() -> None:
    """Least squares with times of 0 or more may find 0, and its error over itself is infinite."""
    fast = replace(SMALL, buffers=(Buffer(24 * KiB, 512, 0.0),))
    latency = np.maximum(model(fast, REGIONS, [region <= 8 * KiB for region in REGIONS]) - 10e-9, 1e-9)
    levels = infer(curve(latency, 0.001))
    assert levels.levels[0].latency_s.middle == 0
    assert "latency of buffer 1 is not known to 3 %" in levels.doubts


@pytest.mark.parametrize("noise", [0.0, 0.002, 0.02])
@pytest.mark.parametrize("seed", first(2, range(8)))
def test_a_memory_without_buffers_has_none(noise: float, seed: int) -> None:
    levels = infer(curve(np.full(len(REGIONS), 100e-9), noise, seed))
    assert levels.levels == ()
    assert levels.medium_s.middle == pytest.approx(100e-9, rel=0.03)


def test_a_page_walk_is_not_a_buffer() -> None:
    device = Device((), 100e-9, walk_s=30e-9)
    latency = np.array([130e-9 if r == 64 else 100e-9 + 30e-9 * 64 / r if r <= 8 * KiB else 100e-9 for r in REGIONS])
    levels = infer(curve(latency, 0.001))
    assert levels.levels == ()
    assert levels.entry_s.middle == pytest.approx(device.walk_s, rel=0.05)


@pytest.mark.parametrize("seed", first(2, range(6)))
def test_random_devices_are_found_under_noise(seed: int) -> None:
    rng = np.random.default_rng(1990 + seed)
    count = int(rng.integers(1, 4))
    sizes = 2.0 ** (np.arange(count) * 4.5 + rng.uniform(12.5, 15.5))
    units = np.sort(128 << rng.integers(0, 6, count))
    steps = rng.uniform(40e-9, 300e-9, count + 1).cumsum()
    device = Device(
        tuple(Buffer(int(s // u * u), int(u), float(t)) for s, u, t in zip(sizes, units, steps, strict=False)),
        float(steps[-1]),
    )
    regions = sorted({*large(), *(int(1.5 * r) for r in large() if r >= 16 * KiB)})
    latency = model(device, regions, [region <= 8 * KiB for region in regions])
    levels = infer(curve(latency, 0.002, seed, regions))
    assert [int(level.unit_bytes.middle) for level in levels.levels] == [b.unit_bytes for b in device.buffers]
    for level, buffer in zip(levels.levels, device.buffers, strict=True):
        assert level.capacity_bytes.middle == pytest.approx(buffer.capacity_bytes, rel=0.06)
        assert level.latency_s.middle == pytest.approx(buffer.latency_s, rel=0.03)


def test_interleaved_dimms_show_the_capacity_of_all_of_them() -> None:
    device = Device((Buffer(16 * KiB, 256, 100e-9),), 300e-9, ways=4)
    regions = [64 << step for step in range(8)] + [16 * KiB << step for step in range(7)]
    latency = np.array([latency_s(device, region, scattered=region <= 8 * KiB) for region in regions])
    assert found(infer(curve(latency, regions=regions))) == [(64 * KiB, 256)]


def test_a_unit_that_is_not_sure_has_an_interval() -> None:
    regions = large()
    latency = model(OPTANE, regions, [region <= 8 * KiB for region in regions])
    sure, unsure = (infer(curve(latency, noise, 3, regions)).levels[-1].unit_bytes for noise in (0.0001, 0.02))
    assert sure.low == sure.high
    assert unsure.low <= 4 * KiB <= unsure.high
    assert unsure.high > unsure.low


def test_too_few_regions_show_nothing() -> None:
    with pytest.raises(ValueError, match="at least 8"):
        infer(curve(np.full(4, 1e-7), regions=REGIONS[:4]))


def test_buffers_smaller_than_the_grain_are_found_where_interleaving_is_known() -> None:
    device = Device((Buffer(4 * KiB, 256, 120e-9),), 320e-9, ways=6, grain_bytes=8 * KiB)
    sizes = [(region, region <= 8 * KiB) for region in (64 << step for step in range(15))]
    seconds = np.array([latency_s(device, region, scattered=scattered) for region, scattered in sizes])
    regions = np.array([float(region) for region, _ in sizes])
    scattered = np.array([one for _, one in sizes])
    curve = Curve(regions, seconds, np.full(len(sizes), 0.002), scattered, np.full(len(sizes), float(FOOTPRINT)))
    known = infer(replace(curve, ways=6, grain_bytes=8 * KiB))
    assert [level.round_bytes for level in known.levels] == [24 * KiB]
    assert [level.unit_bytes.middle for level in known.levels] == [256]
    assert [level.round_bytes for level in infer(curve).levels] != [24 * KiB]


@pytest.mark.parametrize("region_bytes", [40 * KiB, 56 * KiB, 72 * KiB, 104 * KiB])
def test_a_region_need_not_begin_with_a_block_of_a_memory(region_bytes: int) -> None:
    """Taken as whole blocks, a region of 56 KiB would be in one memory, and 10 % slower."""
    device = Device((Buffer(8 * KiB, 256, 120e-9),), 320e-9, ways=9, grain_bytes=64 * KiB)
    fresh = Fresh(np.array([float(region_bytes)]), np.array([False]), np.array([float(FOOTPRINT)]), 9, 64 * KiB)
    modelled = 120e-9 + 200e-9 * Unit(fresh, 256).misses(72 * KiB)[0]
    assert modelled == pytest.approx(latency_s(device, region_bytes, scattered=False), rel=0.012)


THREE = Device(
    (Buffer(40 * KiB, 128, 82e-9), Buffer(1280 * KiB, KiB, 360e-9), Buffer(18 * MiB, 8 * KiB, 445e-9)), 500e-9
)


def test_the_unit_of_a_third_buffer_is_distinguished_from_its_neighbours() -> None:
    """Half of it differs by 0.1 % in most points, and by its own law only in small regions at random."""
    regions = [64 << step for step in range(8)] + [16 * KiB << step for step in range(14)]
    regions += [buffer.capacity_bytes * step // 32 * 4 for buffer in THREE.buffers for step in (7, 9, 10, 11, 14, 18)]
    scattered = [region <= 8 * KiB for region in regions]
    levels = infer(curve(model(THREE, regions, scattered), 0.0003, regions=regions))
    assert [int(level.unit_bytes.middle) for level in levels.levels] == [128, KiB, 8 * KiB]


def test_capacities_out_of_order_cost_a_finite_amount() -> None:
    """A start that rounding puts out of order made the search subtract infinity from infinity: exit 70."""
    device = SMALL
    exact = curve(model(device, REGIONS, [region <= 8 * KiB for region in REGIONS]))
    fresh = Fresh(exact.region_bytes, exact.scattered, exact.footprint_bytes, exact.ways, exact.grain_bytes)
    search = Search(fresh, exact.latency_s, exact.latency_s * 0.01)
    unit = next(iter(search.units))
    turned = (Place(unit, 1 << 20), Place(unit, 1 << 16))
    with np.errstate(all="raise"):
        assert np.isfinite(search.refined(turned).cost)


@pytest.mark.parametrize(
    ("low", "middle", "high", "told", "ranged"),
    [
        (7.8, 8.0, 8.2, 8, False),  # known, and round
        (7.0, 7.4, 8.1, 8, True),  # a round size is in the interval by chance
        (6.0, 7.0, 8.0, None, True),
        (9.4, 10.0, 10.6, None, False),
    ],
)
def test_a_capacity_is_a_value_or_a_range(
    low: float, middle: float, high: float, told: int | None, ranged: bool
) -> None:
    unit, time = Estimate(256, 256, 256), Estimate(1e-7, 1e-7, 1e-7)
    one = _level(Estimate(low * KiB, middle * KiB, high * KiB), unit, told * KiB if told else None, time, 64)
    assert one.ranged == ranged
    assert one.round_bytes == (None if ranged or told is None else told * KiB)
