"""Threads that share CPUs: the rate is work over time, not that of whoever has the CPU."""

import numpy as np
import pytest

from made import HZ
from made_blocks import made_times
from tierscope.record.experiment import Schedule
from tierscope.record.result import DRIFTED, PREEMPTED, SIZING, STOLEN
from tierscope.stats.together import SHARED, together
from tierscope.suites.blocks.turns import turns

SCHEDULE = Schedule(precision=0.05)
OPERATION_S = 1e-5


def test_four_threads_on_two_cpus_do_the_work_of_two() -> None:
    blocks = made_times(OPERATION_S, 100, 4, 600, seed=1)
    found = turns(blocks, HZ, SCHEDULE)
    assert found.summary.interval.middle == pytest.approx(2 / OPERATION_S, rel=0.02)
    assert found.summary.conclusive
    assert found.left_out_share == 0.0


def test_the_median_over_instants_takes_the_running_threads_for_the_rule() -> None:
    """Why this is a file of its own."""
    blocks = made_times(OPERATION_S, 100, 4, 600, seed=1)
    assert np.median(together(blocks, HZ, 1, unclean=SHARED).rates[0]) > 1.1 * 2 / OPERATION_S


def test_cells_with_stolen_time_are_left_out() -> None:
    blocks = made_times(OPERATION_S, 100, 4, 600, seed=1)
    blocks["flags"][blocks["stop_ticks"] > np.median(blocks["stop_ticks"])] |= STOLEN
    found = turns(blocks, HZ, SCHEDULE)
    assert 0.4 < found.left_out_share < 0.6
    assert found.summary.interval.middle == pytest.approx(2 / OPERATION_S, rel=0.02)


def test_a_thread_that_never_got_its_turn_leaves_no_cell() -> None:
    blocks = made_times(OPERATION_S, 100, 4, 600, seed=1)
    blocks["flags"][blocks["thread"] == 3] = SIZING
    found = turns(blocks, HZ, SCHEDULE)
    assert found.left_out_share == 1.0
    assert not found.summary.conclusive


def test_switches_are_part_of_what_is_measured() -> None:
    blocks = made_times(OPERATION_S, 100, 4, 600, seed=1)
    assert np.any(blocks["flags"] & PREEMPTED)
    assert turns(blocks, HZ, SCHEDULE).left_out_share == 0.0


@pytest.mark.parametrize("operation_s", [7.2e-3, 14.4e-3, 30e-3])
def test_blocks_longer_than_a_turn_give_the_same_rate(operation_s: float) -> None:
    for seed in range(3):
        found = turns(made_times(operation_s, 1, 4, 90, seed), HZ, SCHEDULE)
        assert found.summary.interval.middle == pytest.approx(2 / operation_s, rel=0.02)


@pytest.mark.parametrize(("flag", "busy"), [(STOLEN, True), (DRIFTED, False), (0, False)])
def test_few_cells_are_blamed_on_the_machine_only_where_time_was_stolen(flag: int, busy: bool) -> None:
    """A point of a few cells is short; one whose cells were taken is disturbed."""
    blocks = made_times(OPERATION_S, 100, 4, 600 if flag else 60, seed=1)
    blocks["flags"][blocks["stop_ticks"] > np.quantile(blocks["stop_ticks"], 0.1)] |= flag
    (reason, *_) = turns(blocks, HZ, SCHEDULE).summary.reasons
    assert reason.startswith("only ")
    assert reason.endswith("the machine is busy") == busy
    assert reason.endswith("measure longer") == (not flag)
