"""Ratios of medians: coverage, calls and their errors by simulation."""

import math

import numpy as np
import pytest

from noise import NOISES
from tierscope.arrays import Floats
from tierscope.stats.compare import Comparison, compare, compare_all, difference
from tierscope.stats.median import Interval, median
from tierscope.stats.special import student


def compared(before: Floats, after: Floats) -> Comparison:
    """The comparison of two series, each of shape (points,)."""
    return compare(median(before), median(after))


@pytest.mark.parametrize(("noise", "least"), [("independent", 0.92), ("skewed", 0.92), ("alike", 0.88)])
def test_the_interval_contains_the_true_ratio(noise: str, least: float) -> None:
    rng, runs = np.random.default_rng(1995), 400
    before = 100 * (1 + 0.1 * NOISES[noise](rng, runs, 200))
    after = 120 * (1 + 0.2 * NOISES[noise](rng, runs, 150))
    found = [compared(a, b) for a, b in zip(before, after, strict=True)]
    held = np.mean([one.low <= 1.2 <= one.high for one in found])
    assert least <= held <= 0.995


def test_equal_series_are_seldom_called_different_and_unequal_ones_mostly() -> None:
    rng = np.random.default_rng(3)
    base = 100 * (1 + 0.1 * NOISES["alike"](rng, 300, 200))
    same = 100 * (1 + 0.1 * NOISES["alike"](rng, 300, 200))
    pairs = list(zip(base, same, strict=True))
    calls = [compared(a, b).verdict for a, b in pairs]
    assert calls.count("no difference shown") >= 0.9 * 300
    assert [compared(a, 1.1 * b).verdict for a, b in pairs].count("faster") >= 0.85 * 300
    assert [compared(a, 0.9 * b).verdict for a, b in pairs].count("slower") >= 0.85 * 300


def test_for_times_less_is_faster() -> None:
    less = compare(Interval(99, 100, 101, 50), Interval(79, 80, 81, 50), less_is_faster=True)
    assert less.verdict == "faster"
    assert compare(Interval(79, 80, 81, 50), Interval(99, 100, 101, 50), less_is_faster=True).verdict == "slower"


def test_a_sure_but_small_difference_is_not_called() -> None:
    one = compare(Interval(99.9, 100, 100.1, 500), Interval(100.9, 101, 101.1, 500))
    assert one.low > 1
    assert one.verdict == "no difference shown"
    assert compare(Interval(99.9, 100, 100.1, 500), Interval(100.9, 101, 101.1, 500), least=0.005).verdict == "faster"


def test_swapping_the_sides_inverts_the_ratio() -> None:
    a, b = Interval(90, 100, 130, 50), Interval(150, 160, 165, 50)
    there, back = compare(a, b), compare(b, a)
    assert back.middle == pytest.approx(1 / there.middle)
    assert back.low == pytest.approx(1 / there.high)
    assert back.high == pytest.approx(1 / there.low)
    assert back.chance == pytest.approx(there.chance)


def test_the_chance_agrees_with_the_interval() -> None:
    """An interval that ends at 1 belongs to a chance of 5 %."""
    touching = compare(Interval(100, 100, 100, 9), Interval(100, 110, 121, 9))
    assert touching.low == pytest.approx(1)
    assert touching.chance == pytest.approx(0.05, rel=1e-3)


@pytest.mark.parametrize("bad", [Interval(math.nan, math.nan, math.nan, 0), Interval(0, 1, 2, 9)])
def test_without_a_positive_interval_there_is_no_ratio(bad: Interval) -> None:
    one = compare(bad, Interval(1, 2, 3, 9))
    assert math.isnan(one.middle)
    assert one.verdict == "no difference shown"
    assert compare_all([(bad, bad)])[0].verdict == "no difference shown"


def test_points_without_spread_compare_exactly() -> None:
    point = Interval(5.0, 5.0, 5.0, 9)
    assert compare(point, point) == Comparison(1.0, 1.0, 1.0, 1.0, "no difference shown")
    assert compare(point, point.times(2)).chance == 0
    assert compare(point, point.times(2)).verdict == "faster"


def test_many_comparisons_of_equals_call_fewer_by_chance() -> None:
    rng = np.random.default_rng(8)
    single = family = 0
    for _ in range(60):
        sides = [[median(100 * (1 + 0.5 * one)) for one in NOISES["independent"](rng, 20, 60)] for _ in range(2)]
        pairs = list(zip(*sides, strict=True))
        single += any(compare(*pair).verdict != "no difference shown" for pair in pairs)
        family += any(one.verdict != "no difference shown" for one in compare_all(pairs))
    assert family <= 0.12 * 60 < 0.4 * 60 <= single


def test_among_many_the_true_difference_is_still_found() -> None:
    even = Interval(98, 100, 102, 100)
    found = compare_all([(even, even)] * 19 + [(even, even.times(1.2))])
    assert [one.verdict for one in found] == ["no difference shown"] * 19 + ["faster"]
    assert found[-1].low < compare(even, even.times(1.2)).low  # wider than alone
    assert compare_all([]) == ()


def test_a_difference_is_bounded_by_both_intervals() -> None:
    gap = difference(Interval(97, 100, 104, 60), Interval(147, 150, 153, 50))
    assert gap.middle == 50
    assert gap.low == pytest.approx(50 - 5)
    assert gap.high == pytest.approx(50 + math.hypot(3, 3))
    assert gap.count == 50


def few(rng: np.random.Generator, points: int) -> list[Interval]:
    """Return intervals of equal numbers, each by Student's t over four repetitions: three degrees of freedom."""
    logs = rng.normal(0, 0.02, (points, 4))
    halves = student(0.95, 3) * logs.std(axis=1, ddof=1) / 2
    ends = np.exp(logs.mean(axis=1) + np.array([-halves, 0 * halves, halves]))
    return [Interval(float(low), float(middle), float(high), 4) for low, middle, high in ends.T]


def test_among_many_intervals_of_few_degrees_few_are_called_by_chance() -> None:
    """Student's t has heavy tails: widened as a normal interval, one of forty equal points is called too often."""
    rng = np.random.default_rng(12)
    stated = normal = 0
    for _ in range(200):
        pairs = list(zip(few(rng, 40), few(rng, 40), strict=True))
        stated += any(one.verdict != "no difference shown" for one in compare_all(pairs, degrees=[3.0] * 40, least=0.0))
        normal += any(one.verdict != "no difference shown" for one in compare_all(pairs, least=0.0))
    assert stated <= 0.02 * 200 < 0.06 * 200 <= normal


def test_each_pair_may_have_degrees_of_its_own() -> None:
    pair = (Interval(99, 100, 101, 9), Interval(104, 105, 106, 9))
    sure, doubted, _ = compare_all([pair, pair, (pair[0], pair[0])], degrees=[None, 1.0, None])
    assert sure.chance < 1e-6 < doubted.chance
    assert sure.high - sure.low < doubted.high - doubted.low
