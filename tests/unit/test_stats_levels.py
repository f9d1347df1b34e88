"""Levels found on staircases whose caches are known: four kinds of replacement, noise up to 5 %."""

import numpy as np
import pytest

from made_hierarchy import SHAPES as HIERARCHIES
from made_hierarchy import Curve, Hits, at_random, least_recent, measured, shared, uneven, uniform
from tierscope.arrays import Floats
from tierscope.stats.levels import Level, Staircase, staircase
from tierscope.stats.levels_doubt import Known
from tierscope.units import GiB, KiB, MiB

FOOTPRINTS = np.array([4 * KiB * 2 ** (half / 2) for half in range(37)]) // 64 * 64
SERVER = ((48 * KiB, 1.25e-9), (2 * MiB, 5e-9), (64 * MiB, 60e-9))
ODD = ((40 * KiB, 1.2e-9), (1.3 * MiB, 5e-9), (24 * MiB, 40e-9))
SEEDS = range(8)


def latencies(levels: tuple[tuple[float, float], ...], memory_s: float, hits: tuple[Hits, ...]) -> Floats:
    """Mean latency over FOOTPRINTS: what misses one level goes to the next."""
    total, missing = np.zeros_like(FOOTPRINTS), np.ones_like(FOOTPRINTS)
    for (capacity, latency), hit in zip(levels, hits, strict=True):
        share = hit(FOOTPRINTS, capacity)
        total += missing * share * latency
        missing = missing * (1 - share)
    return total + missing * memory_s


SHAPES = {
    "least recent": (SERVER, 230e-9, (least_recent,) * 3),
    "at random": (SERVER, 230e-9, (at_random,) * 3),
    "uniform": (SERVER, 230e-9, (uniform,) * 3),
    "uneven": (SERVER, 230e-9, (least_recent, uneven, uneven)),
    "shared": (SERVER, 230e-9, (least_recent, at_random, shared)),
    "odd sizes": (ODD, 120e-9, (least_recent, at_random, at_random)),
    "two levels": (((32 * KiB, 1e-9), (1 * MiB, 4e-9)), 90e-9, (least_recent, uniform)),
    "one level": (((8 * MiB, 20e-9),), 100e-9, (at_random,)),
}


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.02, 0.05])
@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_capacities_are_found_within_one_point_in_most_seeds(shape: str, noise: float) -> None:
    levels, memory_s, hits = SHAPES[shape]
    exact = latencies(levels, memory_s, hits)
    good = 0
    for seed in SEEDS:
        wiggle = np.random.default_rng(seed).normal(0, noise, exact.size)
        found = staircase(FOOTPRINTS, exact * np.exp(wiggle)).levels
        good += len(found) == len(levels) and all(
            abs(np.log2(one.capacity_bytes / capacity)) <= 0.51
            and one.low_bytes <= one.capacity_bytes <= one.high_bytes
            and one.latency_s == pytest.approx(latency, rel=0.15)
            for one, (capacity, latency) in zip(found, levels, strict=True)
        )
    assert good >= (len(SEEDS) if noise == 0 else 0.7 * len(SEEDS))


@pytest.mark.parametrize("shape", ["least recent", "at random", "uneven", "odd sizes", "two levels", "one level"])
def test_memory_begins_where_hits_are_few(shape: str) -> None:
    levels, memory_s, hits = SHAPES[shape]
    exact = latencies(levels, memory_s, hits)
    for seed in SEEDS:
        found = staircase(FOOTPRINTS, exact * np.exp(np.random.default_rng(seed).normal(0, 0.01, exact.size)))
        assert found.memory_s == pytest.approx(memory_s, rel=0.06)
        assert found.memory_from_bytes is not None
        assert found.memory_from_bytes > levels[-1][0]
        assert hits[-1](np.array([found.memory_from_bytes]), levels[-1][0])[0] < 0.35
        if shape != "two levels":  # whose uniform draws rise so long that a third one may hide
            assert found.last_cache == found.levels[-1]


def test_the_bounds_are_measured_neighbours() -> None:
    found = staircase(FOOTPRINTS, latencies(*SHAPES["least recent"]))
    for level, (capacity, _) in zip(found.levels, SERVER, strict=True):
        assert level.low_bytes <= capacity < level.high_bytes
        place = int(np.searchsorted(FOOTPRINTS, level.low_bytes))
        assert (FOOTPRINTS[place], FOOTPRINTS[place + 1]) == (level.low_bytes, level.high_bytes)


def test_a_long_ramp_that_never_flattens_leaves_memory_open() -> None:
    """As on a shared machine with too small a largest footprint: no number for memory is better than a wrong one."""
    exact = latencies(SERVER, 230e-9, (least_recent, least_recent, shared))
    small = int(np.searchsorted(FOOTPRINTS, 256 * MiB))
    found = staircase(FOOTPRINTS[:small], exact[:small])
    assert (found.memory_s, found.memory_from_bytes, found.last_cache) == (None, None, None)
    assert [round(level.latency_s * 1e9, 1) for level in found.levels[:2]] == [1.2, 5.0]


@pytest.mark.parametrize("noise", [0.0, 0.02, 0.05])
def test_a_flat_curve_has_no_level(noise: float) -> None:
    for seed in SEEDS:
        flat = 80e-9 * np.exp(np.random.default_rng(seed).normal(0, noise, FOOTPRINTS.size))
        found = staircase(FOOTPRINTS, flat)
        assert (found.levels, found.memory_s) == ((), None)


def test_a_high_last_point_is_not_a_new_level() -> None:
    exact = latencies(*SHAPES["at random"])
    exact[-1] *= 1.12
    found = staircase(FOOTPRINTS, exact)
    assert len(found.levels) == 3
    assert found.memory_from_bytes is not None
    assert found.memory_from_bytes < 512 * MiB


def test_page_walks_that_raise_memory_slowly_are_not_a_new_level() -> None:
    exact = latencies(*SHAPES["at random"]) * 1.05 ** np.maximum(0, np.log2(FOOTPRINTS / (128 * MiB)))
    assert len(staircase(FOOTPRINTS, exact).levels) == 3


def test_points_known_to_be_poor_count_for_little() -> None:
    wrong, spread = latencies(*SHAPES["at random"]), np.full(FOOTPRINTS.size, 0.005)
    wrong[9:18:2] *= 1.3  # half of the second level, with wide intervals
    spread[9:18:2] = 0.3
    trusting, warned = staircase(FOOTPRINTS, wrong), staircase(FOOTPRINTS, wrong, spread)
    assert warned.levels[1].latency_s == pytest.approx(5e-9, rel=0.01)
    assert trusting.levels[1].latency_s > 5.3e-9


def test_order_and_gaps_do_not_matter() -> None:
    exact = latencies(*SHAPES["at random"])
    order = np.random.default_rng(1).permutation(FOOTPRINTS.size)
    assert staircase(FOOTPRINTS[order], exact[order]) == staircase(FOOTPRINTS, exact)
    holes = exact.copy()
    holes[[3, 30]] = np.nan
    assert len(staircase(FOOTPRINTS, holes).levels) == 3


def test_five_points_are_not_a_staircase() -> None:
    assert staircase(np.array([1.0, 2, 4, 8, 16]) * GiB, np.array([1.0, 1, 1, 9, 9]) * 1e-9).levels == ()


# --- what is not known ---


def judged(curve: Curve) -> tuple[Staircase, dict[str, list[bool]]]:
    """The statements of a curve, and for each conclusive one whether it is true."""
    truth = curve.truth
    found = staircase(curve.sizes, curve.latency_s, curve.spread, curve.sure, truth.known)
    ends = [capacity for capacity, _, _ in truth.caches]
    walks = [truth.walk[0]] if truth.walk and truth.small_pages else []  # small pages: "a cache or a level of the TLB"
    right: dict[str, list[bool]] = {"level": [], "memory": [], "last": []}
    for level in (level for level in found.levels if not level.doubt):
        up_to = truth.seconds(np.array([level.low_bytes]))[0] / level.latency_s
        right["level"].append(any(_ends_at(level, end) for end in ends + walks) and 0.8 < up_to < 1.3)
    if found.memory_s is not None and not found.memory_doubt:
        (end,) = truth.seconds(curve.sizes[-1:])
        right["memory"].append(bool(end > 0.8 * truth.memory_s and 1 / 1.2 < found.memory_s / end < 1.2))
    if found.last_cache:
        right["last"].append(_ends_at(found.last_cache, ends[-1]))
    return found, right


def _ends_at(level: Level, capacity: float) -> bool:
    inside = level.low_bytes <= 1.2 * capacity and capacity <= 1.2 * level.high_bytes
    return bool(inside or abs(np.log2(level.capacity_bytes / capacity)) <= 0.6)


def test_hardly_a_conclusive_answer_on_random_hierarchies_is_wrong() -> None:
    """Eight kinds, 40 of each: noise up to 5 %, one to four points an octave, doubtful points, holes, short curves."""
    answers: dict[str, list[bool]] = {"level": [], "memory": [], "last": []}
    for shape in HIERARCHIES:
        for seed in range(40):
            rng = np.random.default_rng([seed, 13])
            curve = measured(rng, shape(rng))
            if shape.__name__ == "huge_fourth" and curve.sizes[-1] < 1.5 * curve.truth.caches[-1][0]:
                continue  # no footprint reaches it, so nothing can show it
            for name, right in judged(curve)[1].items():
                answers[name] += right
    for name, least in (("level", 200), ("memory", 100), ("last", 40)):
        assert len(answers[name]) > least, "too few conclusive answers to judge by"
        assert answers[name].count(False) <= 0.02 * len(answers[name]), name


def test_a_level_whose_next_one_hides_in_a_long_rise_is_in_doubt() -> None:
    """3.74 ns, then 7.97 ns at 512 KiB and 14.98 ns at 1 MiB, on the way to 106 ns: where does it end?"""
    sizes = np.array([2.0**half * KiB for half in np.arange(2, 19.5, 0.5)])
    points = {1.25: (4, 32), 3.74: (64, 256), 5.2: (362, 363), 7.97: (512, 513), 11.0: (724, 725), 14.98: (1024, 1025)}
    wait = np.interp(np.log2(sizes), np.log2(np.array([1, 8]) * MiB), np.log2([14.98, 106]))
    times = 2.0**wait
    for value, (low, high) in points.items():
        times[(sizes >= low * KiB - 1) & (sizes <= high * KiB)] = value
    times[(sizes > 33 * KiB) & (sizes < 63 * KiB)] = 2.4
    found = staircase(sizes, times * 1e-9)
    second = found.levels[1]
    assert second.latency_s == pytest.approx(3.74e-9, rel=0.03)
    assert second.low_bytes <= 256 * KiB
    assert "may contain another level" in second.doubt
    assert found.last_cache is None


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_up_to_the_extent_of_a_level_all_points_agree_with_its_latency(shape: str) -> None:
    exact = latencies(*SHAPES[shape])
    found = staircase(FOOTPRINTS, exact)
    begin = 0.0
    for level in found.levels:
        there = exact[(begin < FOOTPRINTS) & (level.low_bytes >= FOOTPRINTS)]
        assert (there <= 1.21 * level.latency_s).all()
        begin = level.high_bytes


def test_a_plateau_before_a_rise_that_does_not_end_is_not_called_a_cache() -> None:
    """106 ns, which rises at the largest footprint: memory with page walks, as far as anyone can know."""
    exact = latencies(((48 * KiB, 1.2e-9), (2 * MiB, 5e-9)), 106e-9, (least_recent, least_recent))
    exact[-2:] *= (1.3, 1.7)
    found = staircase(FOOTPRINTS, exact)
    assert found.levels[-1].latency_s == pytest.approx(106e-9, rel=0.05)
    assert "this may be memory" in found.levels[-1].doubt
    assert found.last_cache is None


@pytest.mark.parametrize(
    ("change", "of", "word"),
    [
        ({"reported_bytes": 16.0 * MiB}, 2, "page walks may also cause this step"),
        ({"reported_bytes": 1024.0 * MiB}, -1, "less than twice the reported cache"),
        ({"floor_s": 5e-9}, 0, "floor"),
        ({"small_pages": True}, -2, "one of the TLB"),
    ],
)
def test_facts_of_the_machine_raise_doubts(change: dict[str, float | bool], of: int, word: str) -> None:
    plain = staircase(FOOTPRINTS, latencies(*SHAPES["least recent"]))
    assert [*(level.doubt for level in plain.levels), plain.last_doubt, plain.memory_doubt] == [""] * 5
    found = staircase(FOOTPRINTS, latencies(*SHAPES["least recent"]), known=Known(**change))  # type: ignore[arg-type]
    assert word in [*(level.doubt for level in found.levels), found.last_doubt, found.memory_doubt][of]


def test_points_that_are_not_conclusive_have_no_level() -> None:
    exact, sure = latencies(*SHAPES["least recent"]), np.ones(FOOTPRINTS.size, dtype=np.bool_)
    sure[(64 * KiB < FOOTPRINTS) & (3 * MiB > FOOTPRINTS)] = False
    first, second, third = staircase(FOOTPRINTS, exact, None, sure).levels
    assert "fewer than 3 conclusive points" in second.doubt
    assert (first.doubt, third.doubt) == ("", "")
    sure[:] = True
    sure[second.high_bytes == FOOTPRINTS] = False
    assert "not both conclusive" in staircase(FOOTPRINTS, exact, None, sure).levels[1].doubt
