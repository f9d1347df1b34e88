"""Flutter: dips and their rhythm in series that were made with a known one, with chance dips, and with none."""

import numpy as np
import pytest

from tierscope.record.result import PREEMPTED
from tierscope.stats.flutter import DIP, DISTANCES, flutter
from tierscope.stats.threads import ThreadSeries

BLOCK_S = 1e-3


def series(shares: "np.ndarray[tuple[int], np.dtype[np.float64]]", noise: float = 0.01, seed: int = 3) -> ThreadSeries:
    """Blocks of equal work at `shares` of a rate of 1e6, one after the other."""
    rates = 1e6 * shares * np.exp(np.random.default_rng(seed).normal(0, noise, shares.size))
    seconds = 1e6 * BLOCK_S / rates
    ends = 1.0 + np.cumsum(seconds + 1e-7)
    return ThreadSeries(0, 0, ends - seconds / 2, seconds, rates, np.zeros(shares.size, dtype=np.uint16))


def dipping(every: int, length: int = 2, count: int = 400, depth: float = 0.5) -> ThreadSeries:
    shares = np.ones(count)
    for first in range(every, count - length, every):
        shares[first : first + length] = depth
    return series(shares)


def with_gaps(one: ThreadSeries, every: int, gap_s: float) -> ThreadSeries:
    """The same blocks in batches of `every`, with a pause between two batches."""
    later = gap_s * (np.arange(one.time_s.size) // every)
    return ThreadSeries(0, 0, one.time_s + later, one.seconds, one.rate, one.flags)


def test_dips_at_a_known_period_are_found_with_number_depth_and_period() -> None:
    found = flutter(dipping(every=20))
    assert len(found.dips) == 19
    assert found.depth == pytest.approx(0.5, rel=0.03)
    assert found.period_s == pytest.approx(22 * BLOCK_S, rel=0.03)  # 18 blocks of 1 ms, 2 at half the rate
    assert found.dip_share == pytest.approx(38 / 400)
    assert found.flutters


def test_a_thread_without_dips_has_no_depth_and_no_period() -> None:
    found = flutter(series(np.ones(400)))
    assert found.dips == ()
    assert (found.depth, found.period_s, found.dip_share) == (None, None, 0.0)
    assert found.variation == pytest.approx(0.01, rel=0.15)
    assert not found.flutters


def test_noise_that_dips_by_chance_has_no_period() -> None:
    named = [flutter(series(np.ones(400), noise=0.2, seed=seed)) for seed in range(200)]
    assert min(len(one.dips) for one in named) > DISTANCES
    assert sum(one.period_s is not None for one in named) <= 2


def test_dips_at_random_times_have_no_period() -> None:
    named = 0
    for seed in range(200):
        low = np.random.default_rng(seed).random(600) < 0.02
        named += flutter(series(np.where(low, 0.5, 1.0), seed=seed)).period_s is not None
    assert named <= 4


def test_few_dips_have_no_period_however_regular() -> None:
    assert flutter(dipping(every=20, count=20 * (DISTANCES + 1))).period_s is None
    assert flutter(dipping(every=20, count=20 * (DISTANCES + 2) + 3)).period_s is not None


def test_a_dip_counts_only_below_the_threshold() -> None:
    assert flutter(dipping(every=20, depth=DIP + 0.06)).dips == ()
    assert len(flutter(dipping(every=20, depth=DIP - 0.06)).dips) == 19


def test_the_pause_between_batches_is_not_a_dip() -> None:
    whole = flutter(dipping(every=20))
    paused = flutter(with_gaps(dipping(every=20), every=100, gap_s=0.5))
    assert len(paused.dips) == len(whole.dips)
    assert paused.period_s == pytest.approx(whole.period_s, rel=0.03)
    assert flutter(with_gaps(series(np.ones(400)), every=100, gap_s=0.5)).dips == ()


def test_a_dip_at_the_end_of_a_batch_does_not_continue_in_the_next() -> None:
    shares = np.ones(200)
    shares[98:102] = 0.5
    assert len(flutter(series(shares)).dips) == 1
    assert len(flutter(with_gaps(series(shares), every=100, gap_s=0.5)).dips) == 2


def test_a_block_that_is_not_clean_neither_makes_nor_ends_a_dip() -> None:
    shares = np.ones(200)
    shares[50], shares[100:105] = 0.1, 0.5
    one = series(shares)
    flags = one.flags.copy()
    flags[50] = flags[102] = PREEMPTED
    (dip,) = flutter(ThreadSeries(0, 0, one.time_s, one.seconds, one.rate, flags)).dips
    assert dip.blocks == 4


def test_the_warm_up_is_left_out() -> None:
    shares = np.ones(200)
    shares[:40] = 0.5
    one = series(shares)
    assert len(flutter(one).dips) == 1
    assert flutter(one, begin_s=float(one.time_s[40])).dips == ()


def test_too_few_clean_blocks_show_nothing() -> None:
    one = series(np.ones(3))
    none = ThreadSeries(0, 0, one.time_s, one.seconds, one.rate, np.full(3, PREEMPTED, dtype=np.uint16))
    assert flutter(none).dips == ()
    assert np.isnan(flutter(none).variation)
    assert not flutter(none).flutters
