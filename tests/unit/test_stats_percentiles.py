"""Percentiles: the ranks of the binomial law, coverage by simulation, and which blocks are operations at all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from noise import alike, independent, skewed
from tierscope.record.result import BLOCK, PREEMPTED, SIZING, STOLEN, Blocks
from tierscope.stats.percentiles import operation_times, percentiles
from tierscope.stats.together import SHARED

HZ = 1e9


def test_the_interval_of_a_median_of_twenty_is_that_of_the_textbook() -> None:
    """David and Nagaraja, table of the sign test: ranks 6 and 15 of 20 contain the median with 95.9 %."""
    (interval,) = percentiles(np.arange(1.0, 21.0), (0.5,))
    assert interval is not None
    assert (interval.low, interval.middle, interval.high) == (6.0, 10.5, 15.0)


@pytest.mark.parametrize(("share", "least"), [(0.5, 6), (0.9, 36), (0.99, 368), (0.999, 3688)])
def test_a_percentile_is_given_only_where_enough_points_carry_it(share: float, least: int) -> None:
    """(1 - a/2)-quantile of the number below must leave one above: share^n <= 2.5 %; for the median both ends."""
    rng = np.random.default_rng(1)
    assert percentiles(rng.random(least - 1), (share,)) == [None]
    many = [percentiles(rng.random(least), (share,))[0] for _ in range(20)]
    assert any(many)


def test_no_point_gives_no_percentile() -> None:
    assert percentiles(np.empty(0), (0.5, 0.99)) == [None, None]


@given(some.integers(50, 3000), some.sampled_from([0.5, 0.9, 0.99]))
def test_bounds_contain_the_middle(count: int, share: float) -> None:
    (interval,) = percentiles(np.random.default_rng(count).lognormal(size=count), (share,))
    if interval is not None:
        assert interval.low <= interval.middle <= interval.high
        assert interval.count == count


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("noise", [independent, skewed])
def test_intervals_of_independent_times_cover_the_truth(noise, share: float) -> None:  # type: ignore[no-untyped-def]
    series = noise(np.random.default_rng(7), 400, 2000)
    truth = float(np.quantile(noise(np.random.default_rng(8), 1, 2_000_000), share))
    assert covered(series, share, truth) >= 0.94


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
def test_intervals_of_times_that_resemble_each_other_cover_the_truth(share: float) -> None:
    series = alike(np.random.default_rng(9), 400, 2000)
    truth = float(np.quantile(independent(np.random.default_rng(8), 1, 2_000_000), share))
    assert covered(series, share, truth) >= 0.91


def covered(series: np.ndarray, share: float, truth: float) -> float:  # type: ignore[type-arg]
    found = [percentiles(one, (share,))[0] for one in series]
    return sum(one is not None and one.low <= truth <= one.high for one in found) / len(found)


def made(*rows: tuple[int, int, int, int, int]) -> Blocks:
    """(thread, start, stop, operations, flags) of one batch."""
    blocks = np.zeros(len(rows), dtype=BLOCK)
    for block, (thread, start, stop, operations, flags) in zip(blocks, rows, strict=True):
        block["thread"], block["start_ticks"], block["stop_ticks"] = thread, start, stop
        block["operations"], block["flags"] = operations, flags
    return blocks


def test_the_timer_is_subtracted_before_a_block_is_shared_out() -> None:
    blocks = made((0, 0, 50, 1, SIZING), (0, 100, 300, 10, 0), (0, 300, 420, 10, 0))
    times = operation_times(blocks, HZ, 20e-9)
    assert times.seconds.tolist() == pytest.approx([18e-9, 10e-9])
    assert times.left_out == 0


def test_a_block_shorter_than_the_timer_takes_no_negative_time() -> None:
    assert operation_times(made((0, 100, 110, 1, 0)), HZ, 20e-9).seconds.tolist() == [0.0]


def test_marked_blocks_are_left_out_and_counted_unless_turns_are_shared() -> None:
    blocks = made((0, 0, 10, 1, 0), (0, 10, 90, 1, PREEMPTED), (0, 90, 100, 1, STOLEN))
    assert operation_times(blocks, HZ, 0).seconds.tolist() == pytest.approx([10e-9])
    assert operation_times(blocks, HZ, 0).left_out == 2
    shared = operation_times(blocks, HZ, 0, SHARED)
    assert shared.seconds.tolist() == pytest.approx([10e-9, 80e-9])
    assert shared.left_out == 1


def test_only_operations_that_begin_while_every_thread_works_count() -> None:
    early, late = (0, 0, 5, 1, 0), (1, 60, 70, 1, 0)
    blocks = made(early, (0, 20, 30, 1, 0), (0, 30, 50, 1, 0), (1, 10, 40, 1, 0), (1, 40, 60, 1, 0), late)
    assert sorted(operation_times(blocks, HZ, 0).seconds.tolist()) == pytest.approx([10e-9, 20e-9, 20e-9, 30e-9])


def test_all_operations_of_threads_that_share_a_cpu_count() -> None:
    blocks = made((0, 0, 5, 1, 0), (1, 60, 70, 1, 0))
    assert operation_times(blocks, HZ, 0).seconds.size == 0
    assert operation_times(blocks, HZ, 0, SHARED).seconds.size == 2


def test_a_batch_in_which_a_thread_has_no_timed_block_counts_for_nothing() -> None:
    blocks = made((0, 0, 5, 1, 0), (1, 0, 5, 1, SIZING))
    assert operation_times(blocks, HZ, 0).seconds.size == 0
