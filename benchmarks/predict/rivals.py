"""Simple models of the same cells: each of them needs less than ours.

    misses x latency    T(B) = T(A) + misses (L(B) - L(A))                   no miss overlaps another        [s]
    ratio of latencies  T(B) = T(A) L(B) / L(A)                              all of the time waits           [s]
    USL                 B(n) = n b1 / (1 + s (n - 1) + k n (n - 1))          from several numbers of threads [bytes/s]

L: latency of a load from memory. USL describes numbers of threads: for a program that keeps its own, it predicts
nothing.
Source: N. J. Gunther, "Guerrilla Capacity Planning", 2007, chapter 4 (universal scalability law).
"""

from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats


def misses_times_latency(misses: float, more_s: float, time_s: float) -> float:
    """Return T(B) / T(A). misses: of a run; more_s: L(B) - L(A); time_s: T(A)."""
    return 1 + misses * more_s / time_s


def ratio_of_latencies(here_s: float, there_s: float) -> float:
    """Return T(B) / T(A)."""
    return there_s / here_s


@dataclass(frozen=True)
class Usl:
    """Bandwidth over threads, as multiples of that of one thread."""

    contention: float
    coherence: float

    @classmethod
    def fit(cls, threads: Floats, bandwidth: Floats) -> "Usl":
        """Return the law by least squares, neither coefficient below 0; arrays of shape (points,), from one thread."""
        from scipy.optimize import nnls

        one = float(bandwidth[threads == 1][0])
        n, b = threads[threads > 1], bandwidth[threads > 1]
        (contention, coherence), _ = nnls(np.stack([n - 1, n * (n - 1)], axis=1), n * one / b - 1)
        return cls(float(contention), float(coherence))

    def predict(self, one: float, threads: float) -> float:
        """Return the bandwidth of a kernel with `one` bytes/s in one thread."""
        return threads * one / (1 + (threads - 1) * (self.contention + self.coherence * threads))
