"""Statistics of numbers that may be absent (NaN)."""

import numpy as np

from tierscope.arrays import Floats, Integers


def mean_and_count(values: Floats, axis: int) -> tuple[Floats, Integers]:
    """Return the mean over an axis of what is known, NaN where nothing is, and how many that are."""
    known = ~np.isnan(values)
    count = known.sum(axis=axis)
    return np.where(count > 0, np.where(known, values, 0).sum(axis=axis) / np.maximum(count, 1), np.nan), count


def mean_of(values: Floats) -> Floats:
    """Return the mean over the last axis of what is known; NaN where nothing is."""
    return mean_and_count(values, -1)[0]
