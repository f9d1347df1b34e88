"""Interleaving, migrations and a combining queue are found in made devices, and not where there are none."""

import numpy as np
import pytest

from made_policy import Overwritten, bandwidth, drained, noisy, strides, timer, written
from tiers import first
from tierscope.arrays import Floats
from tierscope.stats.combining import drains_at, infer_combining
from tierscope.stats.interleave import infer_interleave, share
from tierscope.stats.migration import Migration, infer_migration, look

REGIONS = np.unique(np.round(2.0 ** np.arange(0, 13, 0.5))) * 64
PLACES = (256, *(1 << power for power in range(11, 20)), 1 << 24)


def rng(seed: int = 1995) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize(
    ("stride", "ways", "grain", "expected"),
    [(64, 6, 4096, 1), (4096, 6, 4096, 1), (8192, 6, 4096, 1 / 2), (12288, 6, 4096, 1 / 3), (24576, 6, 4096, 1 / 6),
     (16384, 6, 4096, 1 / 2), (6144, 6, 4096, 2 / 3), (3 * 256, 3, 256, 1 / 3), (1 << 20, 3, 256, 1)],
)  # fmt: skip
def test_a_stride_meets_the_share_of_memories_that_one_counts_by_hand(
    stride: int, ways: int, grain: int, expected: float
) -> None:
    assert share(stride, ways, grain) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("ways", "grain"),
    [(2, 256), (2, 65536), (3, 4096), (4, 512), (5, 16384), (6, 4096), (8, 1024), (9, 256), (12, 65536)],
)
def test_ways_and_grain_are_found_exactly(ways: int, grain: int) -> None:
    found = infer_interleave(strides(), *bandwidth(rng(ways), ways, grain, scale=3.0))
    assert (found.ways, found.grain_bytes) == (ways, grain)
    assert (ways, grain) in found.likely


@pytest.mark.parametrize("seed", range(8))
def test_no_interleaving_is_found_in_one_memory(seed: int) -> None:
    errors = np.full(strides().size, 0.14)  # of a ratio whose sides are 10 % off each
    found = infer_interleave(strides(), *bandwidth(rng(seed), 1, 4096, scale=10.0), errors)
    assert (found.ways, found.grain_bytes) == (1, 0)


def test_a_processor_that_is_the_limit_leaves_several_layouts() -> None:
    found = infer_interleave(strides(), *bandwidth(rng(), 8, 16384, slack=2.0), saturated=False)
    assert not found.sure
    assert all(ways * grain == 8 * 16384 for ways, grain in found.likely)


def test_layouts_that_no_stride_distinguishes_are_in_doubt() -> None:
    even = np.array([odd << power for odd in (1, 3, 5, 7, 9, 11) for power in range(7, 22) if odd << power <= 1 << 22])
    few, more = (
        infer_interleave(own, np.array([share(int(stride), 3, 128) for stride in own]), np.ones(own.size))
        for own in (even, np.append(even, 3 * 64))
    )
    assert set(few.likely) == {(3, 64), (3, 128)}
    assert few.doubt == "the strides do not distinguish 2 layouts: 3 memories in units of 64 B to 128 B"
    assert more.likely == ((3, 128),)
    assert not more.doubt


FEW = np.array([*(1 << power for power in range(7, 23)), *(odd << 18 for odd in (3, 5, 7, 9, 11, 6, 10, 14))])
"""Strides as the suite takes them, with the largest two of each odd number."""


def joined(ways: int, grain: int, unit: int, gain: float) -> Floats:
    """Bandwidth over that of the control where a queue joins the lines of a unit: `gain` at a stride of 128 B."""
    shares = np.array([share(int(stride), ways, grain) for stride in FEW])
    return np.asarray(shares * (1 + gain * np.maximum(0.0, unit / FEW - 1) / (unit / 128 - 1)))


def test_joined_lines_at_small_strides_leave_the_grain_open() -> None:
    found = infer_interleave(FEW, joined(2, 64, unit=2048, gain=1.06), np.ones(FEW.size))
    assert (found.ways, found.grain_bytes) == (2, 128)
    assert (2, 64) in found.likely
    assert "the grain may be smaller" in found.doubt


def test_joined_lines_do_not_hide_a_grain_that_larger_strides_show() -> None:
    found = infer_interleave(FEW, joined(2, 4096, unit=512, gain=1.0), np.ones(FEW.size))
    assert (found.ways, found.grain_bytes) == (2, 4096)
    assert not found.doubt


@pytest.mark.parametrize("ways", [2, 6, 12])
def test_a_layout_without_joined_lines_is_not_in_doubt(ways: int) -> None:
    assert not infer_interleave(strides(), *bandwidth(rng(ways), ways, 256, scale=3.0)).doubt


def found_in(device: Overwritten, scale: float, seed: int = 1995) -> Migration:
    random = rng(seed)
    first = look(256, *device.take(random, 256, 600_000, scale))
    others = PLACES[1:] if first.period else ()
    return infer_migration(
        [first, *(look(one, *device.take(random, one, 300_000, scale), first.period) for one in others)]
    )


@pytest.mark.parametrize("scale", [0.0, 3.0])
@pytest.mark.parametrize(
    ("writes", "unit", "stall_s", "jitter"),
    [(2000, 4096, 5e-6, 0.0), (14400, 65536, 52e-6, 0.15), (50_000, 262_144, 200e-6, 0.0), (30_000, 16384, 2e-5, 0.1)],
)
def test_period_stall_and_unit_of_a_migration_are_found(
    writes: int, unit: int, stall_s: float, jitter: float, scale: float
) -> None:
    found = found_in(Overwritten(writes, unit, stall_s, jitter), scale)
    assert found.period is not None
    assert found.period.writes == pytest.approx(writes, rel=0.05)
    assert found.period.stall_s == pytest.approx(stall_s, rel=0.1)
    assert found.unit_bytes == unit


@pytest.mark.parametrize("scale", [0.0, 3.0, 10.0])
@pytest.mark.parametrize("seed", range(3))
def test_interrupts_and_steals_are_not_migrations(scale: float, seed: int) -> None:
    found = found_in(Overwritten(0, 4096, 1e-5), scale, seed)
    assert found.period is None
    assert found.why == "no stalls in step"


@pytest.mark.parametrize(("scale", "doubted"), [(0.0, False), (3.0, False), (10.0, True)])
def test_no_migration_is_doubtful_where_other_stalls_would_hide_one(scale: float, doubted: bool) -> None:
    found = infer_migration([look(256, *Overwritten(0, 4096, 1e-5).take(rng(0), 256, 600_000, scale))])
    assert found.period is None
    assert bool(found.doubt) == doubted


@pytest.mark.parametrize(("writes", "doubted"), [(4000, True), (300_000, False)])
def test_a_control_that_was_written_briefly_does_not_show_a_timer(writes: int, doubted: bool) -> None:
    random = rng()
    first = look(256, *noisy(random, timer(random, 300_000, 16_000, 6e-6), 0.0))
    last = look(1 << 24, *noisy(random, timer(random, writes, 16_000, 6e-6), 0.0), first.period)
    found = infer_migration([first, last])
    assert found.period is None
    assert bool(found.doubt) == doubted


def test_a_timer_that_ticks_for_any_place_is_the_machine() -> None:
    random = rng()
    seen = [look(place, *noisy(random, timer(random, 300_000, 16_000, 6e-6), 1.0)) for place in (256, 4096)]
    assert seen[0].period is not None
    like = seen[0].period
    last = look(1 << 24, *noisy(random, timer(random, 300_000, 16_000, 6e-6), 1.0), like)
    found = infer_migration([*seen, last])
    assert found.period is None
    assert "machine" in found.why


def test_ticks_of_another_length_elsewhere_are_a_timer_still() -> None:
    random = rng()
    first = look(256, *noisy(random, timer(random, 300_000, 4000, 6e-6), 1.0))
    last = look(1 << 24, *noisy(random, timer(random, 300_000, 4000, 3e-6), 1.0), first.period)
    assert first.period is not None
    assert "timer" in infer_migration([first, last]).why


def test_a_disturbed_write_counts_but_is_not_a_stall() -> None:
    seconds = np.full(100_000, 2e-7)
    seconds[::5000] = 1e-4
    clean = seconds < 1e-5
    assert look(256, seconds, clean).period is None
    period = look(256, seconds).period
    assert period is not None
    assert period.writes == pytest.approx(5000)


def test_a_unit_beyond_all_places_has_a_lower_bound() -> None:
    seen = [look(one, *Overwritten(5000, 1 << 30, 5e-5).take(rng(), one, 200_000, 0.0)) for one in (256, 65536)]
    assert infer_migration(seen).period is None  # stalls everywhere: the machine's
    only = infer_migration(seen[:1])
    assert only.unit_bytes is None
    assert only.unit_above == 256


@pytest.mark.parametrize(("entries", "unit"), [(52, 4), (90, 8), (100, 2)])
def test_the_closed_form_agrees_with_the_queue_itself(entries: int, unit: int) -> None:
    """Where the region is about as large as the queue, it is lower; there the queue is simulated."""
    lines = np.array([8, 32, 4 * entries, 8 * entries, 4096])
    played = [drained(rng(), int(one), entries, unit, 30_000) for one in lines]
    assert drains_at(entries, lines.astype(float), unit) == pytest.approx(played, rel=0.06)


@pytest.mark.parametrize(("entries", "unit"), first(2, [(8, 4), (64, 2), (20, 8), (52, 4), (128, 16)]))
def test_lines_and_unit_of_a_queue_are_found(entries: int, unit: int) -> None:
    line_s = written(rng(), REGIONS, entries, unit, 110e-9, 200e-9) * np.exp(rng(7).normal(0, 0.003, REGIONS.size))
    found = infer_combining(REGIONS, line_s)
    assert found.entries == pytest.approx(entries, abs=2)
    assert found.low <= entries + 2
    assert found.high >= entries - 2
    assert found.unit_bytes == 64 * unit
    assert found.drain_s == pytest.approx(110e-9, rel=0.03)


@pytest.mark.parametrize("seed", range(2))
def test_memory_that_joins_nothing_has_no_queue(seed: int) -> None:
    flat = 60e-9 * np.exp(rng(seed).normal(0, 0.03, REGIONS.size)) + 100e-9 * 64 / REGIONS
    assert infer_combining(REGIONS, flat, np.full(REGIONS.size, 0.03)).entries == 0
