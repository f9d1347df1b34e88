"""Series of the per-thread figure."""

import numpy as np

from made import HZ, Teamwork, made_blocks
from tierscope.record.result import BLOCK, SIZING
from tierscope.stats.threads import thread_series


def test_every_thread_has_its_series_in_the_order_of_time() -> None:
    work = (Teamwork((1e6, 2e6)), Teamwork((5e6,)))
    blocks = np.random.default_rng(3).permutation(made_blocks(work, seed=3, count=200, preempted=0.1))
    series = thread_series(blocks, HZ)
    assert [(one.group, one.thread) for one in series] == [(0, 0), (0, 1), (1, 0)]
    for one, rate in zip(series, (1e6, 2e6, 5e6), strict=True):
        assert one.time_s.size == 200  # disturbed blocks too, not the SIZING one
        assert np.all(np.diff(one.time_s) > 0)
        np.testing.assert_allclose(np.median(one.rate[one.flags == 0]), rate, rtol=0.01)
        assert np.median(one.rate[one.flags != 0]) < rate * 0.7


def test_sizing_blocks_alone_give_no_series() -> None:
    blocks = np.zeros(4, dtype=BLOCK)
    blocks["flags"] = SIZING
    assert thread_series(blocks, HZ) == ()
