"""Large teams: how much of their time counts, and whether the rate is that of the whole team at work."""

import numpy as np
import pytest

from tierscope.record.experiment import Schedule
from tierscope.record.result import BLOCK, PREEMPTED, Blocks
from tierscope.stats.crowd import FEW, allowed, filled, relieved
from tierscope.stats.point import judge
from tierscope.stats.together import together

HZ = 1e6  # one tick is a microsecond
LENGTH = 1000
OPERATIONS = 10_000  # of an undisturbed block, where the memory is idle


def team(seed: int, threads: int, blocks: int, disturbed: float, *, full: bool) -> Blocks:
    """Blocks of a team. Each thread is disturbed for this share of its time, with a noise of 5 % a block.

    full: the others divide among themselves what the disturbed ones do not ask for; else each has its own rate.
    """
    draw = np.random.default_rng(seed)
    out = draw.random((threads, blocks)) < disturbed
    gain = threads / np.maximum(threads - out.sum(axis=0), 1) if full else np.ones(blocks)
    own = draw.uniform(0.8, 1.2, (threads, 1))  # some sit farther from the memory
    rates = OPERATIONS * own / own.mean() * gain * draw.normal(1.0, 0.05, (threads, blocks))
    made = np.zeros(threads * blocks, dtype=BLOCK)
    made["thread"] = np.repeat(np.arange(threads), blocks)
    start = np.tile(np.arange(blocks) * LENGTH, threads)
    made["start_ticks"], made["stop_ticks"] = start, start + LENGTH
    made["operations"] = np.where(out, rates / 10, rates).astype(np.int64).ravel()
    made["flags"] = np.where(out, PREEMPTED, 0).ravel()
    return made


def test_a_small_team_may_lack_nobody() -> None:
    assert [allowed(threads) for threads in (1, 2, FEW - 1, FEW, 2 * FEW, 256)] == [0, 0, 0, 1, 2, 5]


def test_a_moment_with_everyone_present_is_the_plain_sum() -> None:
    rates = np.array([[3.0, 5.0], [4.0, 6.0]])
    found, absent = filled(rates, np.ones((2, 2), dtype=bool))
    np.testing.assert_array_equal(found, [7.0, 11.0])
    np.testing.assert_array_equal(absent, [0.0, 0.0])
    relief, error = relieved(found, absent, np.zeros(2, dtype=np.int64))
    np.testing.assert_array_equal(relief, found)
    assert error == 0.0


def test_an_absent_thread_counts_by_its_own_rate() -> None:
    rates = np.array([[3.0, 3.0, 3.0], [1.0, 1.0, 0.1]])
    present = np.array([[True, True, True], [True, True, False]])
    found, absent = filled(rates, present)
    np.testing.assert_allclose(found, 4.0)
    np.testing.assert_allclose(absent, [0.0, 0.0, 0.25])


def test_a_thread_that_never_ran_undisturbed_counts_as_the_others() -> None:
    rates = np.array([[2.0, 2.0], [4.0, 4.0], [9.0, 9.0]])
    found, absent = filled(rates, np.array([[True, True], [True, True], [False, False]]))
    np.testing.assert_allclose(found, 9.0)
    np.testing.assert_allclose(absent, 1 / 3)


def test_a_moment_without_anyone_is_all_filled_in() -> None:
    found, absent = filled(np.ones((2, 1)), np.zeros((2, 1), dtype=bool))
    assert (found[0], absent[0]) == (0.0, 1.0)


@pytest.mark.parametrize("full", [True, False])
def test_the_gain_of_the_others_is_subtracted(full: bool) -> None:
    """With 2 % of the team absent at most moments, a full memory would look 2 % faster than it is."""
    common = together(team(1, 250, 800, 0.01, full=full), HZ, 1)
    assert np.median(common.rates[0]) == pytest.approx(250 * OPERATIONS / 1e-3, rel=2e-3)


def test_the_share_that_counts_does_not_shrink_with_the_team() -> None:
    lost = {threads: together(team(2, threads, 300, 0.003, full=True), HZ, 1).left_out_share for threads in (64, 256)}
    assert max(lost.values()) < 0.1


@pytest.mark.slow
@pytest.mark.parametrize("full", [True, False])
def test_the_interval_of_256_threads_contains_the_true_rate(full: bool) -> None:
    """The noise of 256 threads averages out, so the team gets one of its own, which all threads share."""
    schedule, true, inside, kept, runs = Schedule(), 256 * OPERATIONS / 1e-3, 0, [], 300
    for seed in range(runs):
        blocks = team(seed, 256, 200, 0.003, full=full)
        shared = np.random.default_rng(10_000 + seed).normal(1.0, 0.01, 200)
        blocks["operations"] = (blocks["operations"] * np.tile(shared, 256)).astype(np.int64)
        point = judge(blocks, HZ, 1, schedule)
        interval = point.groups[0].interval
        inside += interval.low <= true <= interval.high
        kept.append(1 - point.together.left_out_share)
    assert np.mean(kept) >= 0.9
    assert 0.93 <= inside / runs <= 0.97
