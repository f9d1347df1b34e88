"""Pages that are translated in parts, found from times of windows that were made."""

import numpy as np
import pytest

from tierscope.stats.tlb_windows import FEW, LEAST_PASSES, share_in_parts, times_of

WHOLE_S, PART_S = 200e-9, 320e-9


def blocks(kinds: np.ndarray, passes: int = 12, seed: int = 1, noise: float = 0.03) -> np.ndarray:
    """Times of consecutive windows; kinds: whether each is in parts. One in twenty is disturbed."""
    draw = np.random.default_rng(seed)
    times = np.tile(np.where(kinds, PART_S, WHOLE_S), passes)
    times = times * (1 + noise * np.abs(draw.standard_normal(times.size)))
    return times + 5e-6 * (draw.random(times.size) < 0.05)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.9])
def test_the_share_of_the_pages_in_parts_is_found(share: float) -> None:
    kinds = np.random.default_rng(5).random(256) < share
    assert share_in_parts(times_of(blocks(kinds), 256)) == pytest.approx(kinds.mean())


@pytest.mark.parametrize("kind", [False, True])
def test_pages_that_are_alike_have_no_share(kind: bool) -> None:
    assert share_in_parts(times_of(blocks(np.full(256, kind)), 256)) < FEW


def test_the_first_window_may_be_any() -> None:
    kinds = np.arange(96) < 9
    assert share_in_parts(times_of(blocks(kinds)[37:], 96)) == pytest.approx(kinds.mean(), abs=0.01)


def test_a_window_that_was_hardly_timed_is_left_out() -> None:
    kinds = np.arange(96) < 9
    timed = blocks(kinds)
    timed[5::96] = np.nan
    timed[7] = np.nan
    assert times_of(timed, 96).size == 95
    assert share_in_parts(times_of(timed, 96)) == pytest.approx(8 / 95)


@pytest.mark.parametrize(("passes", "windows"), [(LEAST_PASSES - 1, 96), (0, 96), (5, 0)])
def test_too_few_passes_show_nothing(passes: int, windows: int) -> None:
    assert times_of(blocks(np.full(96, True), passes), windows).size == 0
    assert share_in_parts(np.empty(0)) == 0.0
