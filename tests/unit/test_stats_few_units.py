"""A queue of few large units: its depth is not sure."""

import numpy as np
import pytest

from tierscope.stats.combining import Combining, few_units


@pytest.mark.parametrize(
    ("entries", "unit_bytes", "sure"),
    [(52, 256, True), (6, 256, True), (121, 1024, True), (92, 2048, False), (50, 1024, False), (0, 0, True)],
)
def test_the_depth_is_sure_unless_few_large_units_fill_the_queue(entries: int, unit_bytes: int, sure: bool) -> None:
    found = Combining(entries, entries, entries, unit_bytes, unit_bytes, unit_bytes, 1e-7, 0.0, 0.01, 100.0, np.ones(8))
    assert (few_units(found) == "") == sure
