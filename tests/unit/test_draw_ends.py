"""The ends of an interval in a figure."""

import pytest

from tierscope.draw import vega
from tierscope.stats.median import Interval

KNOWN = Interval(18e9, 20e9, 22e9, 5)


def test_an_interval_has_both_ends() -> None:
    assert vega.ends("gb", KNOWN, vega.gb) == {"gb": 20.0, "gb_low": 18.0, "gb_high": 22.0}
    assert vega.bar("gb", KNOWN, vega.gb) == {"gb": 20.0, "low": 18.0, "high": 22.0}


@pytest.mark.parametrize("factor", [2.5, 63.0, 1e12])
def test_a_number_that_is_not_known_does_not_stretch_the_axis(factor: float) -> None:
    found = Interval(20e9 / factor, 20e9, 20e9 * factor, 2)
    assert vega.bar("gb", found, vega.gb) == {"gb": 20.0, "low": None, "high": None}


def test_a_difference_near_zero_keeps_its_ends() -> None:
    assert vega.bar("ns", Interval(-3e-9, 0.2e-9, 3.4e-9, 9), vega.ns) == {"ns": 0.2, "low": -3.0, "high": 3.4}
