"""Pairs of lines: the share of pairs in two units, the units that they show, and what a fit learns from them."""

import math
from dataclasses import replace

import numpy as np
import pytest

from tierscope.stats.buffers import infer
from tierscope.stats.buffers_apart import apart
from tierscope.stats.buffers_levels import Curve, Pass
from tierscope.stats.buffers_model import Fresh, Unit
from tierscope.stats.buffers_pairs import units_of
from tierscope.units import GiB, KiB, MiB

DISTANCES = sorted({64 << step for step in range(12)} | {192 << step for step in range(10)})
UNITS = (128, 192, 320, 576, 768, 960, 4 * KiB, 9 * KiB, 26_880)
LINE = 64


def counted(distance: int, unit: int, piece: int = 0) -> float:
    """The same, by looking at the pairs of all windows."""
    windows = 4096 if piece else unit // math.gcd(2 * distance, unit)
    begins = [window * 2 * distance + place for window in range(windows) for place in range(0, distance, LINE)]
    parts = [at // unit != (at + distance) // unit for at in begins]
    pieces = [not piece or at // piece != (at + distance) // piece for at in begins]
    return sum(one and other for one, other in zip(parts, pieces, strict=True)) / len(begins)


@pytest.mark.parametrize("unit", UNITS)
def test_pairs_in_two_units_are_counted_exactly(unit: int) -> None:
    for distance in (64, 128, 192, 512, 1024, 3072, 6144):
        assert apart(distance, unit) == pytest.approx(counted(distance, unit), abs=1e-12)


def test_a_pair_that_the_buffer_before_has_does_not_reach_the_next_one() -> None:
    assert apart(256, 960, 384) == pytest.approx(counted(256, 960, 384), abs=1e-3)
    assert apart(256, 960, 384) < apart(256, 960)
    assert apart(256, 768, 384) == apart(256, 768)  # a unit ends where pieces end


def pairs(units: tuple[int, ...], step_s: float, noise: float, seed: int = 1) -> Curve:
    """Latencies of pairs of buffers with these units, each saving as much; noise: of each latency."""
    distances = np.array(DISTANCES, dtype=np.float64)
    latency = 100e-9 + sum(step_s * np.array([1 + apart(d, unit) for d in DISTANCES]) / 2 for unit in units)
    count = distances.size
    noisy = latency * (1 + noise * np.random.default_rng(seed).standard_normal(count))
    return Curve(
        np.full(count, 2.0 * LINE), noisy, np.full(count, noise), np.ones(count, bool), np.full(count, float(GiB)),
        stride_bytes=distances,
    )  # fmt: skip


@pytest.mark.parametrize("units", [(128,), (960,), (9 * KiB,), (64 * KiB,), (256, 4 * KiB), (768, 9 * KiB)])
def test_pairs_show_the_units_of_buffers(units: tuple[int, ...]) -> None:
    assert units_of(pairs(units, 60e-9, 0.001)) == units


def test_pairs_of_one_time_show_no_unit() -> None:
    assert units_of(pairs((), 0.0, 0.005)) == ()
    assert units_of(replace(pairs((256,), 60e-9, 0.001), stride_bytes=None)) == ()


def with_buffer(unit: int, capacity: float, *, paired: bool, noise: float = 0.002) -> Curve:
    """Regions at random and in order of a memory with one buffer, with pairs or without."""
    at_random = [64 << step for step in range(12)]
    in_order = [2 * KiB << step for step in range(17)]
    distances = DISTANCES if paired else []
    regions = np.array([*at_random, *in_order, *[2 * LINE] * len(distances)], dtype=np.float64)
    strides = np.array([*[0] * (len(at_random) + len(in_order)), *distances], dtype=np.float64)
    scattered = np.array([True] * len(at_random) + [False] * len(in_order) + [True] * len(distances))
    over = np.full(regions.size, float(GiB))
    model = Unit(Fresh(regions, scattered, over, stride_bytes=strides), unit)
    latency = 100e-9 + 60e-9 * model.misses(capacity)
    noisy = latency * (1 + noise * np.random.default_rng(3).standard_normal(regions.size))
    return Curve(regions, noisy, np.full(regions.size, noise), scattered, over, stride_bytes=strides)


@pytest.mark.slow
def test_pairs_show_large_units_apart_that_regions_do_not() -> None:
    without, known = (infer(with_buffer(16 * KiB, 2 * MiB, paired=paired)) for paired in (False, True))
    assert without.levels[0].unit_bytes.high > 2 * without.levels[0].unit_bytes.low
    assert (known.levels[0].unit_bytes.low, known.levels[0].unit_bytes.high) == (16 * KiB, 16 * KiB)


def test_pairs_meet_units_whatever_the_capacity_is() -> None:
    fresh = Fresh(
        np.array([2.0 * LINE] * 3),
        np.array([True] * 3),
        np.full(3, float(GiB)),
        stride_bytes=np.array([64.0, 512, 4096]),
    )
    for capacity in (4 * KiB, 1 * MiB):
        assert Unit(fresh, 1024).misses(capacity) == pytest.approx([0.5, 0.5, 1.0], abs=0.002)


def test_pairs_of_interleaved_memories_are_those_of_one() -> None:
    fresh = Fresh(
        np.array([2.0 * LINE] * 3),
        np.array([True] * 3),
        np.full(3, float(GiB)),
        stride_bytes=np.array([64.0, 512, 4096]),
    )
    many = replace(fresh, ways=6, grain_bytes=4 * KiB)
    assert Unit(many, 1024).misses(60 * KiB) == pytest.approx(Unit(fresh, 1024).misses(10 * KiB), abs=1e-9)


@pytest.mark.parametrize(("region", "unit", "grain"), [(192, 256, 512), (384, 256, 1024), (192, 512, 512)])
def test_a_region_at_random_meets_as_many_units_with_interleaved_memories(region: int, unit: int, grain: int) -> None:
    begins = range(0, 60 * region, region)
    met = sum((begin + region - 1) // unit - begin // unit + 1 for begin in begins) / len(begins)
    fresh = Fresh(np.array([float(region)]), np.array([True]), np.array([float(GiB)]), 10, grain)
    assert Unit(fresh, unit).misses(1 * MiB)[0] == pytest.approx(met * LINE / region, abs=0.02)


@pytest.mark.slow
def test_passes_count_only_where_the_unit_is_known() -> None:
    sizes = [round(128 * share) * 16 * KiB for share in (0.5, 0.62, 0.78, 0.88, 1.0, 1.01, 1.13, 1.28, 1.6)]
    passes = tuple(Pass(size, 16 * KiB, 100.2e-9 if size <= 2 * MiB else 160e-9, 0.002) for size in sizes)
    curves = [replace(with_buffer(16 * KiB, 2 * MiB, paired=paired), passes=passes) for paired in (False, True)]
    without, known = (infer(curve).levels[0].capacity_bytes for curve in curves)
    assert known.low <= 2 * MiB <= known.high
    assert known.high < 1.04 * known.low
    assert without.high > 1.05 * without.low
