"""Histograms of the core: the content of their text, and how far percentiles may be off."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_maps import place, text_of
from tierscope.errors import ResultError
from tierscope.suites.maps.histogram import BEYOND, MOST_STEP, merged, middle, read

NUMBERS = st.lists(st.integers(min_value=0, max_value=2**64 - 1), min_size=1, max_size=60)


@given(NUMBERS)
def test_a_text_is_read_as_it_was_written(numbers: list[int]) -> None:
    found = read(text_of(numbers))
    assert found.total == len(numbers)
    assert found.steps.tolist() == sorted({place(number) for number in numbers})


@given(st.integers(min_value=0, max_value=2**64 - 1))
def test_the_middle_of_a_step_is_at_most_one_in_128_off(number: int) -> None:
    assert abs(middle(place(number)) - number) <= number / 128
    assert place(number) < MOST_STEP


@given(NUMBERS, NUMBERS)
def test_histograms_merge_by_adding(one: list[int], other: list[int]) -> None:
    both, together = merged([read(text_of(one)), read(text_of(other))]), read(text_of(one + other))
    assert both.steps.tolist() == together.steps.tolist()
    assert both.counts.tolist() == together.counts.tolist()


@pytest.mark.parametrize("share", [0.5, 0.99])
def test_percentiles_are_those_of_the_numbers(share: float) -> None:
    numbers = np.random.default_rng(1).lognormal(6, 0.5, 5000).astype(int)
    found = read(text_of([int(number) for number in numbers])).percentile(share)
    assert found == pytest.approx(float(np.quantile(numbers, share)), rel=0.012)


def test_a_percentile_needs_enough_numbers_beyond_it() -> None:
    assert read(text_of([7] * 1000)).percentile(1 - BEYOND / 1000) == 7
    assert read(text_of([7] * 999)).percentile(1 - BEYOND / 1000) is None


def test_an_empty_histogram_has_no_percentile() -> None:
    assert read("").percentile(0.5) is None
    assert merged([]).total == 0


@pytest.mark.parametrize("text", ["a", "1", "1:", "-1:2", "3:2 x", f"{MOST_STEP}:1", "9999:1"])
def test_text_that_is_not_a_histogram_is_refused(text: str) -> None:
    with pytest.raises(ResultError, match="copy the run again"):
        read(text)
