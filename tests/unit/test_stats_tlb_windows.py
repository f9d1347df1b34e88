"""Pages that are translated in parts, found from times of windows that were made."""

import numpy as np
import pytest

from tierscope.stats.tlb_windows import FEW, LEAST_PASSES, entering, share_in_parts, times_of
from tierscope.units import KiB, MiB

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


def test_a_window_that_was_hardly_timed_is_left_out() -> None:
    kinds = np.arange(96) < 9
    timed = blocks(kinds, passes=13)
    timed[5::96] = np.nan
    timed[7] = np.nan
    assert list(np.flatnonzero(np.isnan(times_of(timed, 96)))) == [5]
    assert share_in_parts(times_of(timed, 96)) == pytest.approx(8 / 95)


def test_windows_that_are_mostly_disturbed_show_nothing() -> None:
    timed = blocks(np.arange(96) < 9)
    timed[np.arange(timed.size) % 96 < 50] = np.nan
    assert times_of(timed, 96).size == 0


@pytest.mark.parametrize("step_s", [40e-9, 80e-9])
def test_a_coarse_clock_makes_no_mixture(step_s: float) -> None:
    """The clock of many ARM processors counts 25 million times a second."""
    ends = np.cumsum(blocks(np.full(96, False), passes=200))
    counted = np.diff(np.floor(ends / step_s), prepend=0) * step_s
    assert share_in_parts(times_of(counted, 96, step_s)) < FEW
    assert times_of(counted, 96, WHOLE_S).size == 0


def test_windows_that_enter_no_further_page_are_known() -> None:
    """Twenty-six lines, 76 KiB and a line apart, are a little shorter than a page: each thirtieth enters none."""
    apart = 76 * KiB + 64
    enters = entering(96, 26 * apart, apart, 2 * MiB)
    assert enters.mean() == pytest.approx(26 * apart / (2 * MiB), abs=0.02)
    pages = [{(window * 26 + line) * apart // (2 * MiB) for line in range(26)} for window in range(96)]
    assert [bool(enters[n]) for n in range(1, 96)] == [not pages[n] <= pages[n - 1] for n in range(1, 96)]


@pytest.mark.parametrize(("passes", "windows"), [(LEAST_PASSES - 1, 96), (0, 96), (5, 0)])
def test_too_few_passes_show_nothing(passes: int, windows: int) -> None:
    assert times_of(blocks(np.full(96, True), passes), windows).size == 0
    assert share_in_parts(np.empty(0)) == 0.0
