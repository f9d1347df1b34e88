"""Curves of other replacement: the table is what an exact simulation gives, and the fit takes none for two buffers."""

import random

import numpy as np
import pytest

from tierscope.stats.buffers import Curve, Levels, infer
from tierscope.stats.buffers_kinds import KINDS, hits
from tierscope.stats.buffers_model import Fresh, Unit
from tierscope.units import KiB, MiB

REGIONS = [64 << step for step in range(8)] + [16 * KiB << step for step in range(14)]
REGIONS += [MiB * step // 16 * 3 for step in (10, 13, 14, 18, 20, 23, 29, 35, 45)]
SCATTERED = np.array([region <= 8 * KiB for region in REGIONS])
FRESH = Fresh(np.array(REGIONS, dtype=np.float64), SCATTERED, np.full(len(REGIONS), float(1 << 30)))


def missed(entries: int, units: int, lines: int, policy: str) -> float:
    """Share of visits that miss a buffer, line by line."""
    rng = random.Random(entries * units)
    places: list[tuple[int, int] | None] = [None] * entries
    where: dict[tuple[int, int], int] = {}
    misses = visits = hand = 0
    for region in range(60):
        order = [(region, line // lines) for line in range(units * lines)]
        rng.shuffle(order)
        for unit in order:
            visits += region >= 20
            if unit in where:
                continue
            misses += region >= 20
            at = rng.randrange(entries) if policy == "random" else hand
            hand = (hand + 1) % entries
            where.pop(places[at], None) if places[at] else None  # type: ignore[arg-type]
            places[at], where[unit] = unit, at
    return misses / visits


@pytest.mark.parametrize("policy", ["random", "fifo"])
@pytest.mark.parametrize(("units", "lines"), [(128, 4), (256, 4), (512, 4), (200, 5), (1024, 8)])
def test_the_table_is_what_an_exact_simulation_gives(policy: str, units: int, lines: int) -> None:
    share = hits(policy, np.array([float(lines)]), np.array([256 / units]))[0]
    assert 1 - (1 - 1 / lines) * share == pytest.approx(missed(256, units, lines, policy), abs=0.01)


@pytest.mark.parametrize("kind", KINDS)
def test_hits_rise_with_the_entries_from_none_to_all(kind: str) -> None:
    ratios = 2.0 ** np.arange(-10, 11)
    found = hits(kind, np.array([4.0]), ratios[:, None])[:, 0]
    assert found[0] < 0.002
    assert found[-1] > 0.998
    assert hits(kind, np.array([4.0]), np.array([[np.inf]]))[0, 0] == 1
    assert np.all(np.diff(found) > -0.03)  # a clock's hand meets a region of a whole share of it at its best


def seen(kind: str, unit: int, capacity: float, noise: float = 0.0003) -> Levels:
    """One buffer, 100 ns in it and 300 ns behind it."""
    exact = 100e-9 + 200e-9 * Unit(FRESH, unit).misses(capacity, kind)
    latency = exact * np.exp(np.random.default_rng(3).normal(0, noise, exact.size))
    return infer(Curve(FRESH.region_bytes, latency, np.full(exact.size, noise), SCATTERED, FRESH.footprint_bytes))


@pytest.mark.parametrize("kind", ["random", "hash4"])
def test_one_buffer_that_does_not_evict_the_least_recently_used_is_one_and_sure(kind: str) -> None:
    levels = seen(kind, 512, 3 * MiB)
    assert levels.doubts == ()
    assert [level.unit_bytes.middle for level in levels.levels] == [512]
    assert levels.levels[0].capacity_bytes.low <= 3 * MiB <= levels.levels[0].capacity_bytes.high
    assert kind in levels.levels[0].kinds


def test_a_unit_that_is_no_power_of_two_is_found() -> None:
    levels = seen("lru", 896, 3 * MiB)
    assert levels.doubts == ()
    (level,) = levels.levels
    assert level.unit_bytes.low <= 896 <= level.unit_bytes.high
    assert level.unit_bytes.high < 1024


def test_a_buffer_beyond_the_regions_is_not_told_from_none_for_sure() -> None:
    assert any("larger" in doubt for doubt in seen("lru", 512, 512 * MiB).doubts)


def test_two_buffers_of_nearly_equal_size_are_never_one_for_sure() -> None:
    near, far = Unit(FRESH, 256).misses(2 * MiB), Unit(FRESH, 256).misses(3.2 * MiB)
    latency = 100e-9 + 150e-9 * near + 150e-9 * far
    levels = infer(Curve(FRESH.region_bytes, latency, np.full(latency.size, 0.0003), SCATTERED, FRESH.footprint_bytes))
    assert len(levels.levels) == 2 or levels.doubts


def test_a_curve_of_no_buffer_is_of_no_known_kind() -> None:
    """As a prefetcher leaves it: middle regions are fast, smaller and larger ones are not."""
    latency = np.where((FRESH.region_bytes >= KiB) & (FRESH.region_bytes <= 256 * KiB), 46e-9, 118e-9)
    levels = infer(Curve(FRESH.region_bytes, latency, np.full(latency.size, 0.001), SCATTERED, FRESH.footprint_bytes))
    assert any("no known kind" in doubt for doubt in levels.doubts)
