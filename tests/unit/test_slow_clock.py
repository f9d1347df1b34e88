"""Clocks of 24 MHz to 1 GHz: how long blocks are, and what percentiles of single operations are worth."""

import pytest

from tierscope.record.facts import Clock
from tierscope.run.batches import long_enough
from tierscope.stats.median import Interval
from tierscope.suites.maps.keyed import _rounded


def clock(hz: float) -> Clock:
    return Clock(source="cntvct", hz=hz, resolution_s=1 / hz, read_cost_s=10e-9)


@pytest.mark.parametrize(("hz", "least"), [(24e6, 1000 / 24e6), (1e9, 1e-6), (3e9, 1000 / 3e9)])
def test_a_block_has_a_thousand_steps_at_least(hz: float, least: float) -> None:
    assert long_enough(0.0, clock(hz)) == pytest.approx(least)
    assert long_enough(1e-3, clock(hz)) == 1e-3


def test_a_percentile_near_the_step_of_the_clock_is_a_step_wide_on_either_side() -> None:
    found = _rounded(Interval(80e-9, 83e-9, 86e-9, 9), 1 / 24e6)
    assert (found.low, found.high) == (pytest.approx(38.3e-9, rel=1e-2), pytest.approx(127.7e-9, rel=1e-2))
    assert _rounded(Interval(20e-9, 30e-9, 40e-9, 9), 1 / 24e6).low == 0
    fine = Interval(80e-9, 83e-9, 86e-9, 9)
    assert _rounded(fine, 1 / 3e9) is fine
