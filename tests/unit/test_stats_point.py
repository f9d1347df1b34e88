"""Blocks of one experiment, judged."""

import numpy as np
import pytest

from made import HZ, Teamwork, made_blocks
from tierscope.record.experiment import Schedule
from tierscope.record.result import BLOCK
from tierscope.stats.point import judge

SCHEDULE = Schedule()


def test_each_group_gets_its_rate() -> None:
    blocks = made_blocks((Teamwork((1e6, 1e6)), Teamwork((4e6,))), seed=1, count=200)
    point = judge(blocks, HZ, 2, SCHEDULE)
    assert point.conclusive
    for group, rate in zip(point.groups, (2e6, 4e6), strict=True):
        assert group.interval.middle == pytest.approx(rate, rel=0.01)


def test_all_groups_share_the_longest_warm_up() -> None:
    blocks = made_blocks((Teamwork((1e6,), warm_up=20), Teamwork((4e6,))), seed=2, count=300, preempted=0)
    point = judge(blocks, HZ, 2, SCHEDULE)
    assert point.groups[0].interval.count == point.groups[1].interval.count
    assert point.together.instants_s.min() > 0.038  # twenty blocks at half the rate last 40 ms
    assert point.groups[0].worst == pytest.approx(1e6, rel=0.02)


def test_a_cold_cache_after_each_switch_is_left_out() -> None:
    blocks = made_blocks((Teamwork((1e6,), cold=3),), seed=5, count=1500, preempted=0.02)
    point = judge(blocks, HZ, 1, SCHEDULE)
    assert point.conclusive
    assert point.groups[0].worst == pytest.approx(1e6, rel=0.03)
    assert point.together.ages_s.min() > 0.02  # three blocks at a tenth of the rate


def test_a_cache_that_is_cold_whenever_it_is_looked_at_gives_no_verdict() -> None:
    """Switches come as fast as the cache fills: all blocks are clean, and most of them slow."""
    blocks = made_blocks((Teamwork((1e6,), cold=6),), seed=6, count=600, preempted=0.15)
    point = judge(blocks, HZ, 1, SCHEDULE)
    assert not point.conclusive
    walked = judge(blocks, HZ, 1, SCHEDULE, walks=(6500.0,))  # blocks of 1000 operations
    assert walked.groups[0].interval.count < 0.2 * point.groups[0].interval.count
    assert walked.groups[0].interval.middle == pytest.approx(1e6, rel=0.03)


def test_a_footprint_never_walked_between_two_switches_has_no_number() -> None:
    blocks = made_blocks((Teamwork((1e6,)),), seed=7, count=600, preempted=0.2)
    assert judge(blocks, HZ, 1, SCHEDULE).conclusive
    point = judge(blocks, HZ, 1, SCHEDULE, walks=(100_000.0,))
    assert not point.conclusive
    (reason,) = point.reasons
    assert reason.startswith("no moment at which all threads worked undisturbed for long enough, 61 % interrupted: ")


@pytest.mark.parametrize("spread", [0.01, 0.05])
def test_switches_that_leave_the_rate_alone_cost_nothing(spread: float) -> None:
    kept = [
        judge(made_blocks((Teamwork((1e6,), noise=spread),), seed=seed, count=300, preempted=0.05), HZ, 1, SCHEDULE)
        for seed in range(40)
    ]
    assert sum(point.groups[0].steady for point in kept) >= 37
    assert sum(point.together.ages_s.min() < 2e-3 for point in kept) >= 34


def test_one_doubtful_group_makes_the_point_doubtful_and_states_why_once() -> None:
    blocks = made_blocks((Teamwork((1e6,), noise=0.5), Teamwork((4e6,), noise=0.5)), seed=3, count=100)
    point = judge(blocks, HZ, 2, SCHEDULE)
    assert not point.conclusive
    assert len(set(point.reasons)) == len(point.reasons) >= 1


def test_a_busy_machine_leaves_the_median_where_it_was() -> None:
    """Half of the time taken away by others: clean instants still show the true rate."""
    blocks = made_blocks((Teamwork((1e6,)),), seed=4, count=600, preempted=0.2)
    point = judge(blocks, HZ, 1, SCHEDULE)
    assert 0.3 < point.together.left_out_share < 0.7
    assert point.groups[0].interval.middle == pytest.approx(1e6, rel=0.01)
    plain = blocks["operations"].sum() / ((blocks["stop_ticks"].max() - blocks["start_ticks"].min()) / HZ)
    assert plain < 0.7e6  # the rate by a stop watch


def test_no_blocks_give_no_result() -> None:
    point = judge(np.zeros(0, dtype=BLOCK), HZ, 2, SCHEDULE)
    assert not point.conclusive
    assert point.reasons == ("no moment at which all threads worked undisturbed for long enough",)
