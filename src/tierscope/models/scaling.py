"""Bandwidth of n equal threads on N cores, those beyond N on second hardware threads.

    B(n) = ((n b1)^-p + b_max^-p)^(-1/p)   for n <= N                                         [bytes/s]
    B(n) = n / (N / B(N) + q / B(q)),  q = n - N, for N < n <= 2 N                            [bytes/s]
    B(n) w = line n m / L(B(n) w)          from one thread and a curve of latency over bandwidth

The second line is of threads with equal shares of one loop, as STREAM's: while N shares are done with all cores, those
of the q doubled cores remain. The parameters b1, b_max and p follow from three numbers of threads or more. One of these
must be beyond the knee. In the third, w is the traffic for a byte that the program requests, and m the lines in flight
of a thread: m = B(1) w L(B(1) w) / line, from one measured thread. The bytes of a line have no effect on B(n).

Bounds: knees that are sharper and softer by the root of 2, fitted to the same points; beyond N also B(N), as if second
threads changed nothing; twice the residual and twice the noise that the caller names. If the most threads reach more
than 0.85 n b1, the knee was not reached, and the bounds extend to n b1.

Limits: it does not describe the fall past the knee that writes to persistent memory show. Source: of the third line,
Little's law: J. Little, "A Proof for the Queuing Formula L = lambda W", Operations Research, 1961.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tierscope.arrays import Floats
from tierscope.models import models
from tierscope.models.model import FitError, Prediction, Span, clean

FEWEST = 3
SHARPEST = 16.0  # of p: beyond, the knee is a corner
KNEE = 0.85  # of n b1
SOFTER, SHARPER = 2**-0.5, 2**0.5  # times p, of the bounds
FINEST = 1e-9  # of the search for B(n), relative


@dataclass(frozen=True, slots=True)
class Knee:
    """b1, b_max in bytes/s; p: how sharp."""

    b1: float
    b_max: float
    p: float

    def at(self, threads: float) -> float:
        """Return bytes/s; threads up to the number of cores."""
        return float(_rate(np.array([threads]), self.b1, self.b_max, self.p)[0])


@dataclass(frozen=True, slots=True)
class Scaling:
    """One tier, one kernel. knees: the fitted one, a softer and a sharper one; spread: relative half-width of noise."""

    name: ClassVar[str] = "scaling"
    knees: tuple[Knee, ...]
    cores: float
    spread: float
    valid: Span
    knee_seen: bool

    @classmethod
    def fit(cls, threads: Floats, bandwidth: Floats, /, cores: float, noise: float = 0.0) -> "Scaling":
        """Return the model fitted to these bandwidths.

        threads: up to cores, shape (points,); bandwidth in bytes/s; noise: relative deviation of one of them.

        FitError under three numbers of threads, or for threads beyond the cores.
        """
        n, b = clean("scaling", threads, bandwidth, FEWEST)
        if n.max() > cores or (b <= 0).any():
            raise FitError(f"scaling: threads beyond {cores:g} cores, or bandwidths of 0; fit those up to {cores:g}")
        knee, residual = _fitted(n, b, 1.0, SHARPEST)
        others = [_fitted(n, b, knee.p * factor, knee.p * factor)[0] for factor in (SOFTER, SHARPER)]
        seen = bool(b[n.argmax()] < KNEE * knee.b1 * n.max())
        span = Span("threads", float(n.min()), 2.0 * cores)
        return cls((knee, *others), float(cores), 2 * (residual + noise), span, seen)

    def predict(self, threads: float) -> Prediction:
        """Return bytes/s; UsageError for threads that are not above 0."""
        warnings = self.valid.warnings(threads)
        found = [self._at(knee, threads) for knee in self.knees]
        every = found + [knee.at(self.cores) for knee in self.knees if threads > self.cores]
        high = max(every) * (1 + self.spread)
        if not self.knee_seen:
            high = max(high, threads * self.knees[0].b1)
            warnings += ("the knee was not seen: measure more threads, or the roof is unknown",)
        return Prediction(found[0], min(every) * (1 - self.spread), high, "B/s", warnings)

    def _at(self, knee: Knee, threads: float) -> float:
        beyond = threads - self.cores
        if beyond <= 0:
            return knee.at(threads)
        return doubled(threads, self.cores, knee.at(self.cores), knee.at(min(beyond, self.cores)))


def _fitted(n: Floats, b: Floats, softest: float, sharpest: float) -> tuple[Knee, float]:
    """Return the knee by least squares of logarithms, and the root mean square of what is left."""
    from scipy.optimize import least_squares

    def left(x: Floats) -> Floats:
        p = softest + (sharpest - softest) * float(x[2])
        return np.asarray(np.log(_rate(n, float(np.exp(x[0])), float(np.exp(x[1])), p) / b))

    start = np.array([np.log((b / n).max()), np.log(b.max()), 0.15])
    wide = np.array([3.0, 3.0, 0.0])
    found = least_squares(left, start, bounds=([*(start - wide)[:2], 0.0], [*(start + wide)[:2], 1.0]))
    b1, b_max = (float(value) for value in np.exp(found.x[:2]))
    return Knee(b1, b_max, softest + (sharpest - softest) * float(found.x[2])), float(np.sqrt(np.mean(found.fun**2)))


def doubled(threads: float, cores: float, full: float, rest: float) -> float:
    """Return B(n) for n > N of threads with equal shares; full: B(N), rest: B(n - N)."""
    return threads / (cores / full + (threads - cores) / rest)


def by_curve(one: float, threads: float, latency: Callable[[float], float], traffic: float = 1.0) -> float:
    """Return B(n) in bytes/s.

    one: B(1); latency: of a bandwidth of traffic in bytes/s, in seconds, rising; inf beyond its peak; traffic: bytes
    moved for a byte that the program asks for.
    """
    in_flight = one * traffic * latency(one * traffic)
    low, high = one * traffic, threads * one * traffic
    while high - low > FINEST * high:
        middle = (low + high) / 2
        low, high = (middle, high) if middle * latency(middle) < threads * in_flight else (low, middle)
    return low / traffic


def _rate(n: Floats, b1: float, b_max: float, p: float) -> Floats:
    return np.asarray(((n * b1) ** -p + b_max**-p) ** (-1 / p))


models.add(Scaling)
