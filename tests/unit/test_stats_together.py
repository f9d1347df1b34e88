"""Blocks to series: the common window, clean instants, sums over threads."""

import numpy as np
import pytest

from tierscope.record.result import BLOCK, DRIFTED, MIGRATED, PREEMPTED, SIZING, STOLEN, Blocks
from tierscope.stats.lost import Lost
from tierscope.stats.together import SHARED, together

HZ = 1e6  # one tick is a microsecond


def blocks_of(
    starts: list[int], length: int = 1000, operations: int = 100, flags: int = 0, group: int = 0, thread: int = 0,
    batch: int = 0,
) -> Blocks:  # fmt: skip
    blocks = np.zeros(len(starts), dtype=BLOCK)
    blocks["start_ticks"] = starts
    blocks["stop_ticks"] = np.asarray(starts) + length
    blocks["operations"], blocks["flags"] = operations, flags
    blocks["group"], blocks["thread"], blocks["batch"] = group, thread, batch
    return blocks


def row(first: int, count: int, **more: int) -> Blocks:
    """Blocks of 1000 ticks, one after the other."""
    return blocks_of([first + 1000 * i for i in range(count)], **more)


def test_one_thread_alone_gives_the_rate_of_each_block() -> None:
    blocks = row(5000, 10)
    blocks["operations"] = np.arange(10) + 1
    common = together(blocks, HZ, 1)
    np.testing.assert_allclose(common.rates, [(np.arange(10) + 1) / 1e-3])
    np.testing.assert_allclose(common.instants_s, (np.arange(10) + 0.5) * 1e-3)
    assert common.windows == ((0.0, 0.01),)
    assert (common.left_out_share, common.coverage, common.total) == (0.0, (1.0,), 10)


def test_the_window_opens_with_the_last_to_start_and_closes_with_the_first_to_stop() -> None:
    blocks = np.concatenate([row(0, 20), row(4500, 10, group=1)])  # 0..20 ms and 4.5..14.5 ms
    common = together(blocks, HZ, 2)
    assert common.windows == ((0.0045, 0.0145),)
    assert common.total == 10
    assert common.coverage == pytest.approx((9 / 20, 1.0))  # blocks 5..13 of the first, all of the second


def test_rates_of_a_groups_threads_add_up_and_groups_stay_apart() -> None:
    blocks = np.concatenate(
        [row(0, 10, operations=100), row(0, 10, operations=50, thread=1), row(0, 10, operations=7, group=1)]
    )
    common = together(blocks, HZ, 2)
    np.testing.assert_allclose(common.rates[0], 150 / 1e-3)
    np.testing.assert_allclose(common.rates[1], 7 / 1e-3)


@pytest.mark.parametrize("flag", [PREEMPTED, STOLEN, DRIFTED, MIGRATED, SIZING])
def test_a_disturbed_block_of_one_thread_leaves_out_its_time_for_all_groups(flag: int) -> None:
    disturbed = np.concatenate([row(0, 3), blocks_of([3000], length=4000, flags=flag), row(7000, 3)])
    common = together(np.concatenate([disturbed, row(0, 10, group=1)]), HZ, 2)
    assert common.total == 10
    assert common.left_out_share == pytest.approx(0.4)
    assert not any(0.003 < instant < 0.007 for instant in common.instants_s)
    assert common.rates.shape == (2, 6)


def test_in_a_gap_the_latest_block_counts() -> None:
    blocks = np.concatenate([row(0, 4, operations=10), blocks_of([5600, 6600, 7600, 8600], operations=30)])
    common = together(blocks, HZ, 1)  # idle from 4000 to 5600
    rates = dict(zip(np.round(common.instants_s * 1e4).astype(int), common.rates[0] / 1e3, strict=True))
    assert rates[45] == 10
    assert rates[65] == 30


def test_batches_have_windows_of_their_own_and_the_idle_time_between_them_counts_for_nothing() -> None:
    parts = [row(50_000 * batch, 10, batch=batch, operations=100 + batch) for batch in range(3)]
    common = together(np.concatenate(parts), HZ, 1)
    assert len(common.windows) == 3
    assert common.total == common.instants_s.size == 30
    np.testing.assert_allclose(common.rates[0].reshape(3, 10)[:, 0], [100e3, 101e3, 102e3])


def test_a_batch_in_which_a_thread_only_found_its_size_has_no_window() -> None:
    lame = np.concatenate([row(90_000, 10, batch=1), row(90_000, 10, batch=1, thread=1, flags=SIZING)])
    common = together(np.concatenate([row(0, 10), row(0, 10, thread=1), lame]), HZ, 1)
    assert len(common.windows) == 1
    assert common.total == 10


@pytest.mark.parametrize(
    "blocks", [row(0, 0), row(0, 10), row(0, 10, group=1), row(0, 10, flags=SIZING)], ids=["none", "0", "1", "sizing"]
)
def test_without_blocks_of_every_group_nothing_is_common(blocks: Blocks) -> None:
    common = together(blocks, HZ, 2)
    assert common.rates.shape == (2, 0)
    assert (common.left_out_share, common.total, common.windows) == (1.0, 0, ())


def test_threads_that_never_meet_have_no_window() -> None:
    assert together(np.concatenate([row(0, 10), row(50_000, 10, thread=1)]), HZ, 1).windows == ()


def test_the_order_of_the_blocks_does_not_matter() -> None:
    rng = np.random.default_rng(7)
    blocks = np.concatenate(
        [row(13 * t + 70_000 * b, 30, thread=t % 3, group=t // 3, batch=b) for t in range(6) for b in range(3)]
    )
    blocks["operations"] = rng.integers(1, 1000, blocks.size)
    straight, shuffled = together(blocks, HZ, 2), together(rng.permutation(blocks), HZ, 2)
    np.testing.assert_array_equal(straight.rates, shuffled.rates)
    assert straight.coverage == shuffled.coverage


def test_large_ticks_lose_no_precision() -> None:
    late = row(2**62, 10)
    np.testing.assert_allclose(together(late, HZ, 1).rates, 1e5, rtol=1e-12)


def test_age_is_the_time_since_a_thread_was_last_disturbed_or_its_batch_began() -> None:
    disturbed = row(0, 10)
    disturbed["flags"][3] = PREEMPTED
    common = together(np.concatenate([disturbed, row(200, 12, group=1)]), HZ, 2)
    ages = dict(zip(np.round(common.instants_s * 1e6).astype(int), np.round(common.ages_s * 1e6), strict=True))
    assert ages[700] == 500  # the other group began at 200
    assert ages[4700] == 700  # the disturbed block ended at 4000
    assert ages[8700] == 4700


def test_blocks_count_only_after_the_operations_asked_for() -> None:
    blocks = row(0, 20)
    blocks["flags"][9] = STOLEN
    common = together(blocks, HZ, 1, walks=(300.0,))  # three blocks of 100 operations
    kept = np.round(common.instants_s * 1e3 - 0.5).astype(int)
    assert kept.tolist() == [3, 4, 5, 6, 7, 8, 13, 14, 15, 16, 17, 18, 19]
    assert common.left_out_share == pytest.approx(7 / 20)


def test_counting_one_group_stops_all_but_counts_its_threads_only() -> None:
    blocks = np.concatenate([row(0, 20), row(0, 20, group=1, operations=1000)])
    assert together(blocks, HZ, 2, walks=(0.0, 2000.0)).instants_s.size == 18
    assert together(blocks, HZ, 2, walks=(500.0, 0.0)).instants_s.size == 15


def test_sizing_walks_too_and_a_negligible_walk_is_not_waited_for() -> None:
    sized = np.concatenate([blocks_of([0], length=900, operations=250, flags=SIZING), row(1000, 10)])
    assert together(sized, HZ, 1, walks=(300.0,)).instants_s.size == 9
    assert together(row(0, 10, operations=100_000), HZ, 1, walks=(64.0,)).left_out_share == 0


@pytest.mark.parametrize(
    ("flag", "taken"), [(PREEMPTED, 4), (STOLEN, 4), (PREEMPTED | DRIFTED, 4), (DRIFTED, 0), (MIGRATED, 0)]
)
def test_moments_are_counted_by_what_their_marks_show(flag: int, taken: int) -> None:
    """Others had a CPU at four of ten moments; a clock that differs shows nothing of others."""
    disturbed = np.concatenate([row(0, 3), blocks_of([3000], length=4000, flags=flag), row(7000, 3)])
    common = together(np.concatenate([disturbed, row(0, 10, group=1)]), HZ, 2)
    assert common.lost == Lost(taken, 4, clean=6, rarest=6)
    assert common.total - common.instants_s.size == 4


@pytest.mark.parametrize("in_step", [False, True])
def test_each_thread_has_its_own_share_of_undisturbed_moments(in_step: bool) -> None:
    """Threads that are interrupted in step share only moments after an interruption of one of them, as 33 of 80."""
    rng = np.random.default_rng(5)
    rows = []
    for group in range(2):
        turns = (np.arange(4000) + 33 * group) % 80 < 40 if in_step else np.repeat(rng.random(400) < 0.5, 10)
        flags = np.where(turns, 0, PREEMPTED)
        blocks = row(0, 4000, group=group)
        blocks["flags"] = flags
        rows.append(blocks)
    found = together(np.concatenate(rows), HZ, 2).lost
    share = found.share_of_a_thread(found.clean, 4000)
    assert share == (found.clean / 4000 if in_step else found.rarest / 4000)
    assert found.clean < 0.3 * 4000
    assert (found.rarest > 0.4 * 4000) is not in_step


def test_a_mark_that_is_part_of_the_measurement_takes_nothing() -> None:
    blocks = row(0, 10, flags=PREEMPTED)
    assert together(blocks, HZ, 1, unclean=SHARED).lost == Lost(0, 0, clean=10, rarest=10)


def test_moments_before_a_footprint_is_back_are_lost_without_a_mark() -> None:
    blocks = row(0, 10)
    blocks["flags"][2] = PREEMPTED
    common = together(blocks, HZ, 1, walks=(500.0,))
    assert common.instants_s.size < 9
    assert common.lost == Lost(1, 1, clean=common.instants_s.size, rarest=common.instants_s.size)
