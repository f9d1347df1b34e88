"""Bandwidth of n equal threads on one tier: linear while requests are few, then flat.

    B(n) = min(n * b1, b_max)                                        [bytes/s]

Valid for equal, pinned threads whose footprints exceed the last-level cache. Limits: it does not describe the fall past
the knee that writes to persistent memory show; read `residual` before you trust it. The bounds are two residuals wide.
If the knee was not seen, or below the measured threads, they reach from the best measured bandwidth to n * b1.
Source: Stengel et al., "Quantifying Performance Bottlenecks of Stencil Computations Using the Execution-Cache-Memory
Model", ICS 2015 (multicore scaling).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tierscope.arrays import Floats
from tierscope.models import models
from tierscope.models.model import Prediction, Span, clean

NEAR = 0.05  # a roof less than this share below the slope at the most threads may be noise
FEWEST = 3  # one thread count on the slope, one on the roof, and one that could disagree


@dataclass(frozen=True, slots=True)
class Saturation:
    """Fitted to one tier, one kernel."""

    name: ClassVar[str] = "saturation"
    b1: float  # one thread, bytes/s
    b_max: float  # the full tier, bytes/s
    residual: float  # RMS error over mean bandwidth, dimensionless
    best: float  # highest bandwidth measured, bytes/s
    valid: Span
    knee_seen: bool

    @classmethod
    def fit(cls, threads: Floats, bandwidth: Floats, /) -> "Saturation":
        """Return the least-squares fit over every place the knee can be; raise FitError under three thread counts.

        threads, bandwidth: shape (points,), bandwidth in bytes/s.
        """
        n, b = clean("saturation", threads, bandwidth, FEWEST)
        order = np.argsort(n, kind="stable")
        candidates = (_knee_at(k, n[order], b[order]) for k in range(1, n.size + 1))
        return min(candidates, key=lambda fit: fit.residual)

    def predict(self, threads: float) -> Prediction:
        """Return bytes/s; UsageError for threads that are not above 0."""
        value = min(threads * self.b1, self.b_max)
        half = 2 * self.residual * self.best
        low, high = max(value - half, 0.0), value + half
        warnings = self.valid.warnings(threads)
        if warnings and (threads < self.valid.low or not self.knee_seen):
            low, high = min(low, self.best), max(high, threads * self.b1)
        elif warnings:
            low /= self.valid.distance(threads)
        if not self.knee_seen:
            warnings += ("the knee was not seen: measure more threads, or the roof is unknown",)
        return Prediction(value, low, high, "B/s", warnings)


def _knee_at(k: int, n: Floats, b: Floats) -> Saturation:
    """Return the fit with the first k points on the slope, the others on the roof."""
    b1 = float((n[:k] * b[:k]).sum() / (n[:k] ** 2).sum())
    b_max = float(b[k:].mean()) if k < n.size else float(n[-1] * b1)
    seen = b_max < (1 - NEAR) * float(n[-1] * b1)
    errors = np.minimum(n * b1, b_max) - b
    residual = float(np.sqrt((errors**2).mean()) / b.mean())
    return Saturation(b1, b_max, residual, float(b.max()), Span("threads", float(n[0]), float(n[-1])), seen)


models.add(Saturation)
