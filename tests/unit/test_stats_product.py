"""The scalar product, without BLAS."""

import math

import numpy as np
import pytest

from tierscope.stats.product import product


def test_it_is_the_sum_of_products() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=(2, 100_001))
    assert product(one, other) == pytest.approx(math.fsum(one * other), rel=1e-12)
    assert product(one[:0], other[:0]) == 0.0
