"""How far the predictions of a model are off at the points that it was not given."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from tierscope.stats.median import SIGMAS_95, Interval


class Score(NamedTuple):
    """Relative errors: the mean of their sizes, and the largest one with its sign, which is that of pair `at`."""

    mean: float
    worst: float
    at: int
    inside: int  # pairs whose bounds contain what was measured


def score(pairs: Sequence[tuple[Interval, Interval]]) -> Score:
    """Return the score of predictions. pairs: predicted and measured, at least one."""
    errors = [model.middle / found.middle - 1 for model, found in pairs]
    at = int(np.argmax(np.abs(errors)))
    inside = sum(model.low <= found.middle <= model.high for model, found in pairs)
    return Score(float(np.mean(np.abs(errors))), errors[at], at, inside)


def noise_of(measured: Iterable[Interval]) -> float:
    """Return the relative standard deviation of one measured number, by the median of 95 % intervals; 0 without any."""
    known = [found.relative for found in measured if found.middle > 0]
    return float(np.median(known)) / SIGMAS_95 if known else 0.0
