"""Do two simulators rank programs alike? Spearman's rank correlation of their serialised misses, and its bootstrap.

The interval contains 95 % of the correlations of programs drawn with repetition from those that were run.
Source: C. Spearman, "The Proof and Measurement of Association between Two Things", American Journal of Psychology 15,
1904; B. Efron, R. Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13 (percentile interval).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import bootstrap, rankdata

GOAL = 0.95
FEWEST = 10  # programs for a verdict
RESAMPLES, SEED = 9999, 1995


@dataclass(frozen=True)
class Agreement:
    """The rank correlation of two columns."""

    low: float
    middle: float
    high: float
    programs: int

    @property
    def reached(self) -> bool | None:
        """Return whether the goal is reached; None with too few programs."""
        return None if self.programs < FEWEST else self.middle >= GOAL

    def __str__(self) -> str:
        verdict = {True: "reached", False: "missed", None: f"not known with fewer than {FEWEST} programs"}[self.reached]
        return (f"rank correlation of {self.programs} programs: {self.middle:.3f} (95 % interval {self.low:.3f} to "
                f"{self.high:.3f}); goal {GOAL}: {verdict}")  # fmt: skip


def agreement(ours: Sequence[float], theirs: Sequence[float]) -> Agreement | None:
    """Return how alike both rank the same programs; None under three programs or if one column is constant."""
    if len(ours) < 3 or len(set(ours)) == 1 or len(set(theirs)) == 1:
        return None
    columns = np.array([ours, theirs], dtype=np.float64)
    found = bootstrap(columns, _rank, paired=True, vectorized=True, n_resamples=RESAMPLES, method="percentile",
                      rng=np.random.default_rng(SEED))  # fmt: skip
    interval = found.confidence_interval
    return Agreement(float(interval.low), float(_rank(*columns)), float(interval.high), len(ours))


def ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value, from 1 for the smallest; equal values share a rank."""
    return [float(one) for one in rankdata(values)]


def _rank(ours: np.ndarray, theirs: np.ndarray, axis: int = -1) -> np.ndarray:
    """Return the correlation of the ranks along an axis; 1 where one program was drawn again and again."""
    both = [rankdata(one, axis=axis) for one in (ours, theirs)]
    a, b = (one - one.mean(axis=axis, keepdims=True) for one in both)
    width = np.sqrt((a * a).sum(axis=axis) * (b * b).sum(axis=axis))
    return np.where(width > 0, (a * b).sum(axis=axis) / np.where(width > 0, width, 1), 1.0)
