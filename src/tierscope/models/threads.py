"""Bandwidth of n equal threads from one thread and curves of the device; beyond N cores on second hardware threads.

    B(n) w = 64 n m / L(B(n) w),  m = B(1) w L(B(1) w) / 64,  for n <= N                          [bytes/s]
    B(n) = n / (N / B(N) + q / B(q)),  q = n - N,  for N < n <= 2 N                                [bytes/s]
    L(U) = n / U(n)                    of another kernel's traffic U over its threads              [s/byte]

w: bytes on the bus for a byte that the program requests; m: lines in flight of a thread. Only ratios of L count, so the
threads of another kernel give a curve of the device: L is what each of its threads waits for a byte. Below the traffic
of its one thread L is constant. Above its most traffic L is infinite, unless the most threads still reach more than
KNEE n U(1): then that kernel does not show the roof.

Bounds: for every curve three readings. The first is that above. In the second, nothing waits before the roof: B(n) w =
min(n B(1) w, roof). In the third, threads wait for something else than memory, and B(n) / B(1) is that of the other
kernel. Beyond N also B(N), as if second threads changed nothing. The bounds are widened by the noise of one
measurement, times the root of 2. Where no curve shows a roof, they extend to n B(1).

Limits: kernels with other parts of writes have other roofs; give the curves of kernels that are alike first. Source: of
L, Little's law: J. Little, "A Proof for the Queuing Formula L = lambda W", Operations Research, 1961; of the second
line, `scaling`.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tierscope.models import models
from tierscope.models.model import FitError, Floats, Prediction, Span, clean
from tierscope.models.scaling import KNEE, by_curve, doubled
from tierscope.models.sharing import SPREAD

FEWEST = 3  # numbers of threads of a curve


@dataclass(frozen=True, slots=True)
class DeviceCurve:
    """Another kernel over threads: numbers of threads, rising, and traffic in bytes/s; shape (points,)."""

    threads: tuple[float, ...]
    traffic: tuple[float, ...]

    @classmethod
    def of(cls, threads: Floats, traffic: Floats) -> "DeviceCurve":
        """FitError under FEWEST numbers of threads, without one thread, and for traffic that is not above 0."""
        n, u = clean("threads", threads, traffic, FEWEST)
        order = np.argsort(n, kind="stable")
        if n[order[0]] != 1 or (u <= 0).any():
            raise FitError("a curve of the device begins with one thread, and its traffic is above 0")
        return cls(tuple(n[order].tolist()), tuple(u[order].tolist()))

    @property
    def roof(self) -> float:
        """Return the most traffic, infinity where it was not seen."""
        return math.inf if self.traffic[-1] > KNEE * self.threads[-1] * self.traffic[0] else max(self.traffic)

    def latency(self, traffic: float) -> float:
        """Return L, rising, in s/byte; infinity above the roof."""
        if traffic > self.roof:
            return math.inf
        rising = [i for i, u in enumerate(self.traffic) if u > max(self.traffic[:i], default=0.0)]
        waits = np.maximum.accumulate([self.threads[i] / self.traffic[i] for i in rising])
        return float(np.interp(traffic, [self.traffic[i] for i in rising], waits))

    def times(self, threads: float) -> float:
        """Return how many times the traffic of one thread that number has; in proportion beyond the most threads."""
        most = max(threads / self.threads[-1], 1.0) if math.isinf(self.roof) else 1.0
        return most * float(np.interp(threads, self.threads, self.traffic)) / self.traffic[0]


@dataclass(frozen=True, slots=True)
class Threads:
    """One kernel. one: bytes/s of one thread; traffic: w; the first curve is reported; noise: of one bandwidth."""

    name: ClassVar[str] = "threads"
    one: float
    traffic: float
    curves: tuple[DeviceCurve, ...]
    cores: float
    noise: float
    valid: Span

    @classmethod
    def fit(
        cls, one: float, traffic: float, curves: Sequence[DeviceCurve], /, cores: float, noise: float = 0.0
    ) -> "Threads":
        """FitError without a curve, for curves with more threads than cores, and for rates that are not above 0."""
        if not curves or not (one > 0 and traffic > 0):
            raise FitError("a curve of the device and the bandwidth of one thread, above 0, are needed")
        if any(curve.threads[-1] > cores for curve in curves):
            raise FitError(f"a curve has threads beyond {cores:g} cores; give it those up to {cores:g}")
        return cls(one, traffic, tuple(curves), float(cores), noise, Span("threads", 1.0, 2.0 * cores))

    def predict(self, threads: float) -> Prediction:
        """Return bytes/s; UsageError for threads that are not above 0."""
        warnings = self.valid.warnings(threads)
        found = [rate for curve in self.curves for rate in self._readings(curve, threads)]
        wide = SPREAD * self.noise
        high = max(found) * (1 + wide)
        if all(math.isinf(curve.roof) for curve in self.curves):
            high = max(high, threads * self.one)
            warnings += ("no curve shows a roof: measure more threads, or it is unknown",)
        return Prediction(found[0], min(found) * max(1 - wide, 0.0), high, "B/s", warnings)

    def _readings(self, curve: DeviceCurve, threads: float) -> Iterator[float]:
        """Yield B(n) in all readings, the reported one first."""
        beyond = min(max(threads - self.cores, 0.0), self.cores)
        for full, rest in zip(self._up_to(curve, threads - beyond), self._up_to(curve, beyond), strict=True):
            yield doubled(threads, self.cores, full, rest) if beyond else full
            if beyond:
                yield full

    def _up_to(self, curve: DeviceCurve, threads: float) -> tuple[float, float, float]:
        """Return B(n) of up to N threads in the three readings."""
        if not threads:
            return (0.0, 0.0, 0.0)
        flat = min(threads * self.one, curve.roof / self.traffic)
        return by_curve(self.one, threads, curve.latency, self.traffic), flat, self.one * curve.times(threads)


models.add(Threads)
