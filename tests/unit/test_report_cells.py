"""Intervals next to numbers: half of the width in percent, and words where the percentage has no meaning."""

import math

import pytest

from tierscope.draw.cells import within
from tierscope.stats.median import Interval, beyond


@pytest.mark.parametrize(
    ("low", "middle", "high", "text"),
    [
        (99.0, 100.0, 101.0, "100 ±1.0%"),
        (100.0, 100.0, 100.0, "100"),
        (None, 100.0, 101.0, "100"),
        (1.0, 100.0, 200.8, "100 ±99.9%"),
        (1.0, 100.0, 200.95, "not known"),
        (0.0, 100.0, 2403.8, "not known"),
        (0.0, 0.0, 5.0, "not known"),
        (-math.inf, 100.0, math.inf, "not known"),
    ],
)
def test_an_interval_wider_than_its_number_is_not_a_percentage(
    low: float | None, middle: float, high: float, text: str
) -> None:
    assert within("100", low, middle, high) == text


@pytest.mark.parametrize(
    ("interval", "why"),
    [
        (Interval(90.0, 100.0, 110.0, 9), "±10.0 % over 2 %"),
        (Interval(0.0, 100.0, 2403.8, 9), "wider than its own number, 2 % were asked for"),
        (Interval(math.nan, math.nan, math.nan, 0), "wider than its own number, 2 % were asked for"),
    ],
)
def test_a_reason_names_no_percentage_above_100(interval: Interval, why: str) -> None:
    assert beyond(interval, 0.02) == why
