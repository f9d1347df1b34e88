"""Histograms of the core: counts of whole numbers in steps that are at most 1/64 of the numbers in them.

A text contains the steps that are not empty, "130:2 1:7 14:1": the distance from the step before (from 0), and the
count. Steps are numbered as in core/base/histogram.hpp: numbers below 128 have one each; then every power of two has
64.

    percentile p = middle of the step in which the sum of the counts reaches p of all     [unit of the numbers]

This value is at most 1/128 off. Histograms merge by adding counts.
Source: G. Tene, "HdrHistogram: A High Dynamic Range Histogram", http://hdrhistogram.org, 2012.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Integers
from tierscope.errors import ResultError

BITS = 6
STEPS = 1 << BITS
MOST_STEP = (64 - BITS) * STEPS + STEPS
BEYOND = 10  # numbers above a percentile, at least: fewer do not support it


@dataclass(frozen=True, slots=True)
class Histogram:
    """`steps`, `counts` of shape (steps that are not empty,), steps rising."""

    steps: Integers
    counts: Integers

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    def percentile(self, share: float) -> float | None:
        """Return a percentile; None where fewer than BEYOND numbers are above it."""
        if self.total * (1 - share) < BEYOND:
            return None
        reached = np.searchsorted(np.cumsum(self.counts), share * self.total, side="left")
        return middle(int(self.steps[min(int(reached), self.steps.size - 1)]))


def read(text: str) -> Histogram:
    """Return the histogram of a text; ResultError for a text that is not one."""
    words = text.split()
    if not all(re.fullmatch(r"[0-9]{1,4}:[0-9]{1,18}", word) for word in words):
        raise ResultError(f"{text[:40]!r} is not a histogram of a record; copy the run again")
    pairs = np.array([[int(part) for part in word.split(":")] for word in words], dtype=np.int64).reshape(-1, 2)
    steps = np.cumsum(pairs[:, 0])
    if steps.size and int(steps[-1]) >= MOST_STEP:
        raise ResultError(f"a histogram names step {int(steps[-1])} of {MOST_STEP}; copy the run again")
    return Histogram(steps, pairs[:, 1])


def merged(parts: Iterable[Histogram]) -> Histogram:
    """Return all histograms as one."""
    counts = np.zeros(MOST_STEP, dtype=np.int64)
    for one in parts:
        np.add.at(counts, one.steps, one.counts)
    steps = np.flatnonzero(counts)
    return Histogram(steps, counts[steps])


def middle(step: int) -> float:
    """Return the middle of a step; the number itself below 128."""
    if step < 2 * STEPS:
        return float(step)
    shift = step // STEPS - 1
    return ((STEPS + step % STEPS) << shift) + ((1 << shift) - 1) / 2
