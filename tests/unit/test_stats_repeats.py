"""Repeats judged: their median, how sure it is, and a start that is not like the rest."""

import numpy as np
import pytest

from tierscope.record.experiment import Schedule
from tierscope.record.result import BLOCK, Blocks
from tierscope.stats.repeats import FEWEST, head, judge_repeats, trend

SCHEDULE = Schedule(precision=0.05, repeats=True)


def repeats(*rates: float) -> Blocks:
    """One block of a second for each."""
    blocks = np.zeros(len(rates), dtype=BLOCK)
    blocks["batch"] = np.arange(len(rates))
    blocks["start_ticks"] = 2_000_000_000 * np.arange(len(rates))
    blocks["stop_ticks"] = blocks["start_ticks"] + 1_000_000_000
    blocks["operations"] = rates
    return blocks


def test_the_median_of_the_repeats_is_the_rate() -> None:
    point = judge_repeats(repeats(1000, 1010, 990, 1005, 995, 1001), 1e9, 1, SCHEDULE)
    (found,) = point.groups
    assert found.interval.middle == pytest.approx(1000.5)
    assert (found.interval.low, found.interval.high) == (990, 1010)  # of six, lowest and highest
    assert point.conclusive
    assert point.together.left_out_share == 0
    assert point.together.instants_s.tolist() == [0, 2, 4, 6, 8, 10]


def test_too_few_repeats_are_not_enough_however_alike() -> None:
    point = judge_repeats(repeats(*[1000] * (FEWEST - 1)), 1e9, 1, SCHEDULE)
    assert point.reasons == ("only 5 repeats: 6 are needed, give a longer budget",)


def test_repeats_far_apart_are_inconclusive() -> None:
    point = judge_repeats(repeats(1000, 700, 1300, 800, 1200, 900), 1e9, 1, SCHEDULE)
    assert point.reasons == ("interval ±31.6 % over 5 %",)


def test_a_start_that_rises_is_cut() -> None:
    rates = [500, 700, 850, 940, 1003, 1000, 1004, 998, 1001, 1002, 999, 1000, 1001, 997]
    point = judge_repeats(repeats(*rates), 1e9, 1, SCHEDULE)
    (found,) = point.groups
    assert 1 <= found.start <= 7
    assert found.interval.middle == pytest.approx(1000, abs=2)
    assert point.together.instants_s.size == len(rates) - found.start
    assert point.conclusive


def test_a_series_that_never_stops_falling_is_not_steady() -> None:
    point = judge_repeats(repeats(*(1000 * 0.99**n for n in range(20))), 1e9, 1, SCHEDULE)
    assert any("still falling" in reason for reason in point.reasons)


def test_a_trend_within_the_precision_is_none() -> None:
    assert trend(np.array([1000.0 + n for n in range(10)]), 0.05) == 0
    assert trend(np.array([1000.0 + 20 * n for n in range(10)]), 0.05) == 1


def test_chance_is_seldom_called_a_trend() -> None:
    rng = np.random.default_rng(1995)
    called = sum(trend(rng.normal(1000, 200, 10), 0.05) != 0 for _ in range(400))
    assert called / 400 < 0.07  # 5 % by the test's own level


def test_chance_seldom_cuts_anything() -> None:
    rng = np.random.default_rng(1995)
    assert sum(head(rng.normal(1000, 200, 20), 0.05) > 0 for _ in range(400)) / 400 < 0.05


def test_the_interval_of_six_contains_the_median_as_often_as_stated() -> None:
    rng = np.random.default_rng(1995)
    held = 0
    for _ in range(400):
        (found,) = judge_repeats(repeats(*rng.normal(10_000, 1000, FEWEST)), 1e9, 1, SCHEDULE).groups
        held += found.interval.low <= 10_000 <= found.interval.high
    assert held / 400 > 0.93


def test_several_groups_share_what_is_cut() -> None:
    blocks = np.concatenate([repeats(*[1000] * 8), repeats(*[100, 200, 300, 400, 400, 400, 400, 400])])
    blocks["group"][8:] = 1
    point = judge_repeats(blocks, 1e9, 2, SCHEDULE)
    assert point.groups[0].start == point.groups[1].start
    assert point.together.rates.shape == (2, 8 - point.groups[0].start)


def test_no_repeat_is_inconclusive() -> None:
    point = judge_repeats(repeats(), 1e9, 1, SCHEDULE)
    assert not point.conclusive
    assert head(np.empty(0), 0.05) == 0
