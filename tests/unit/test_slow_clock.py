"""Clocks of 24 MHz to 1 GHz: how long blocks are, and what percentiles of single operations are worth."""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tierscope.record.facts import Clock
from tierscope.record.result import BLOCK
from tierscope.run.batches import long_enough
from tierscope.stats.median import Interval
from tierscope.stats.percentiles import operation_times, percentiles, rounded
from tierscope.stats.visits import pool
from tierscope.suites.blocks import latencies
from tierscope.suites.blocks.latencies import Latency


def clock(hz: float) -> Clock:
    return Clock(source="cntvct", hz=hz, resolution_s=1 / hz, read_cost_s=10e-9)


@pytest.mark.parametrize(("hz", "least"), [(24e6, 1000 / 24e6), (1e9, 1e-6), (3e9, 1000 / 3e9)])
def test_a_block_has_a_thousand_steps_at_least(hz: float, least: float) -> None:
    assert long_enough(0.0, clock(hz)) == pytest.approx(least)
    assert long_enough(1e-3, clock(hz)) == 1e-3


def test_a_percentile_near_the_step_of_the_clock_is_a_step_wide_on_either_side() -> None:
    found = rounded(Interval(80e-9, 83e-9, 86e-9, 9), 1 / 24e6)
    assert (found.low, found.high) == (pytest.approx(38.3e-9, rel=1e-2), pytest.approx(127.7e-9, rel=1e-2))
    assert rounded(Interval(20e-9, 30e-9, 40e-9, 9), 1 / 24e6).low == 0
    fine = Interval(80e-9, 83e-9, 86e-9, 9)
    assert rounded(fine, 1 / 3e9) == fine
    none = rounded(Interval(0.0, 0.0, 0.0, 9), 1 / 24e6)
    assert (none.low, none.middle, none.high) == (0, 0, 1 / 24e6)
    assert rounded(Interval(-5e-9, 83e-9, 86e-9, 9), 1 / 3e9).low == 0
    unknown = rounded(Interval(math.nan, math.nan, math.nan, 0), 1 / 24e6)
    assert all(math.isnan(end) for end in (unknown.low, unknown.middle, unknown.high))


def test_more_visits_do_not_make_the_step_of_the_clock_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    """Operations of 250 ns, nine visits, 24 MHz: a true 285 ns is less than a step away."""
    seen = Latency([Interval(250e-9, 250e-9, 250e-9, 4000)] * 4, 1, 4000, 0)

    def pooled(_: object, record: Any, what: str, of: Callable[[Any], Interval | None]) -> Interval | None:
        found = pool([one for _ in range(9) if (one := of(record))], None, 0.95)
        return found and found.interval

    workload = SimpleNamespace(per_block=1)
    experiment = SimpleNamespace(groups=(SimpleNamespace(workload=workload),), labels={})
    record: Any = SimpleNamespace(number=0, visit=0, clock=SimpleNamespace(hz=24e6), experiment=experiment)
    monkeypatch.setattr(latencies, "over_visits", pooled)
    monkeypatch.setattr(latencies.BlocksLabels, "read", lambda _: SimpleNamespace(part="latency"))
    monkeypatch.setattr(latencies.Latencies, "_alone", lambda *_: seen)
    run: Any = None
    found = latencies.Latencies(run)._percentile(record, 0)
    assert found
    assert (found.low, found.high) == (pytest.approx(250e-9 - 1 / 24e6), pytest.approx(250e-9 + 1 / 24e6))


@pytest.mark.parametrize("hz", [24e6, 62.5e6, 1e9])
@pytest.mark.parametrize("true_s", [90e-9, 100e-9, 310e-9])
def test_percentiles_of_single_operations_contain_the_truth_on_any_clock(hz: float, true_s: float) -> None:
    """Each block is one operation that takes the same time, and a start anywhere in a step of the clock."""
    rng = np.random.default_rng(1)
    starts = np.cumsum(true_s + rng.random(4000) * 3e-6)
    blocks = np.zeros(starts.size, dtype=BLOCK)
    blocks["operations"] = 1
    blocks["start_ticks"], blocks["stop_ticks"] = np.floor(starts * hz), np.floor((starts + true_s) * hz)
    times = operation_times(blocks, hz, 0.0)
    alone = percentiles(times.seconds, (0.5, 0.9))
    found = [rounded(one, 1 / hz) for one in alone if one]
    assert len(found) == 2
    assert all(one.low <= true_s <= one.high for one in found)
    assert all(one.high - one.low <= 3.1 / hz for one in found)
    if hz < 50e6:  # the spread alone claims more than this clock can show
        assert not all(one and one.low <= true_s <= one.high for one in alone)
