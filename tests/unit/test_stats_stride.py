"""The unit of a memory, from times that a unit makes."""

import numpy as np
import pytest

from made_stride import STRIDES, times
from tierscope.suites.stride.fit import enough, unit


@pytest.mark.parametrize("size", [128, 256, 512, 1024, 4096, 8192])
@pytest.mark.parametrize("noise", [0.001, 0.02])
@pytest.mark.parametrize("late", [0, 16384])
def test_the_unit_comes_out_as_it_was_put_in(size: int, noise: float, late: int) -> None:
    all_found = [unit(*times(size, noise, seed, late)) for seed in range(20)]
    found = [one for one in all_found if one]
    assert len(found) == 20
    assert all(one.size_bytes == pytest.approx(size, rel=0.2) for one in found)
    assert sum(one.low_bytes <= size <= one.high_bytes for one in found) >= 17  # 95 % of 20, and chance


def test_a_unit_that_is_a_power_of_two_is_named_as_one() -> None:
    found = unit(*times(256, 0.005, 1))
    assert found is not None
    assert found.round == 256


def test_processors_that_limit_narrow_strides_do_not_hide_the_unit() -> None:
    strides, seconds, sigma = times(1024, 0.005, 1)
    slow = np.maximum(seconds, seconds[2])  # up to a stride of 256 B
    found = unit(strides, slow, sigma)
    assert found is not None
    assert found.low_bytes <= 1024 <= found.high_bytes


@pytest.mark.parametrize("seed", range(30))
def test_a_memory_of_single_lines_has_no_unit(seed: int) -> None:
    assert unit(*times(64, 0.03, seed)) is None
    assert unit(*times(64, 0.03, seed, late=4096)) is None


def test_a_curve_that_never_becomes_level_names_no_unit() -> None:
    strides, _, sigma = times(64, 0.01, 1)
    assert unit(strides, strides * 1e-10, sigma) is None


def test_four_strides_are_too_few() -> None:
    strides, seconds, sigma = times(256, 0.001, 1)
    assert unit(strides[:4], seconds[:4], sigma[:4]) is None


def test_points_may_come_in_any_order() -> None:
    strides, seconds, sigma = times(512, 0.01, 3)
    order = np.random.default_rng(3).permutation(strides.size)
    assert unit(strides[order], seconds[order], sigma[order]) == unit(strides, seconds, sigma)


def test_the_size_that_is_enough_is_the_first_from_which_on_all_are() -> None:
    sizes = np.array(STRIDES[:4], dtype=float)
    assert enough(sizes, np.array([1.0, 2.0, 3.7, 4.0]), 4.0) == (128.0, 256.0)
    assert enough(sizes, np.array([3.7, 3.8, 3.7, 4.0]), 4.0) == (0.0, 64.0)
    assert enough(sizes, np.array([3.7, 3.0, 3.7, 4.0]), 4.0) == (128.0, 256.0)
    assert enough(sizes, np.array([1.0, 2.0, 3.0, 3.5]), 4.0) is None
