"""Bandwidth of n equal threads from one thread and curves of the device; beyond N cores on second hardware threads.

    B(n) w = line n m / L(B(n) w),  m = B(1) w L(B(1) w) / line,  for n <= N                          [bytes/s]
    B(n) = n / (N / B(N) + q / B(q)),  q = n - N,  for N < n <= 2 N                                [bytes/s]
    L(U) = n / U(n)                    of another kernel's traffic U over its threads              [s/byte]

w: bytes on the bus for a byte that the program requests; m: lines in flight of a thread. Only ratios of L count, so the
threads of another kernel give a curve of the device: L is what each of its threads waits for a byte. Below the traffic
of its one thread L is constant. Above its most traffic L is infinite, unless the most threads still reach more than
KNEE n U(1): then that kernel does not show the roof. The latency of a chaser under load is such a curve, too.

Bounds: for every curve up to three readings. The first is that above. In the second, nothing waits before the roof:
B(n) w = min(n B(1) w, (1 + OVER) roof), since the most traffic that was seen may be below the roof. In the third, of
kernels alone, threads wait for something else than memory, and B(n) / B(1) is that of the other kernel. Beyond N also
B(N), as if second threads changed nothing. The bounds are widened by the noise of one measurement, times the root of 2.
Where no curve shows a roof, they extend to n B(1).

Limits: other shares of writes have other roofs, so that curves whose share of reads on the bus differs by more than
ALIKE are not used. Other kinds of stores have other roofs, too; it is the caller who gives none of these. Source: of L,
Little's law: J. Little, "A Proof for the Queuing Formula L = lambda W", Operations Research, 1961; of the second line,
`scaling`.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tierscope.arrays import Floats
from tierscope.models import models
from tierscope.models.model import FitError, Prediction, Span, clean
from tierscope.models.scaling import KNEE, by_curve, doubled
from tierscope.models.sharing import SPREAD

FEWEST = 3  # points of a curve
ALIKE = 0.1  # of shares of reads on the bus: a copy has 2/3, a triad 3/4
OVER = 0.03  # of the roof
FULL = 1.5  # latency at the most traffic over that of the least, from which on the most is the roof


@dataclass(frozen=True, slots=True)
class DeviceCurve:
    """Traffic in bytes/s and L, both rising; shape (points,). roof: the most traffic, infinity where it was not seen.

    reads: share of reads on the bus.
    threads, ratios: of the kernel that it is from, traffic over that of one thread; none of a curve of latency.
    """

    traffic: tuple[float, ...]
    waits: tuple[float, ...]
    roof: float
    reads: float
    threads: tuple[float, ...] = ()
    ratios: tuple[float, ...] = ()

    @classmethod
    def of(cls, threads: Floats, traffic: Floats, reads: float, /) -> "DeviceCurve":
        """Return the curve of another kernel, of arrays of shape (points,).

        FitError under FEWEST numbers of threads, without one thread, and for traffic that is not above 0.
        """
        n, u = clean("threads", threads, traffic, FEWEST)
        order = np.argsort(n, kind="stable")
        n, u = n[order], u[order]
        if n[0] != 1 or (u <= 0).any():
            raise FitError("a curve of the device begins with one thread, and its traffic is above 0")
        roof = math.inf if u[-1] > KNEE * n[-1] * u[0] else float(u.max())
        return cls(*_rising(u, n / u), roof, reads, tuple(n.tolist()), tuple((u / u[0]).tolist()))

    @classmethod
    def under_load(cls, traffic: Floats, latency: Floats, reads: float, /) -> "DeviceCurve":
        """Return the curve of a chaser's latency under a load of this traffic; FitError under FEWEST loads."""
        u, time = clean("threads", traffic, latency, FEWEST)
        order = np.argsort(u, kind="stable")
        roof = float(u.max()) if time[order[-1]] > FULL * time[order[0]] else math.inf
        return cls(*_rising(u[order], time[order]), roof, reads)

    def latency(self, traffic: float) -> float:
        """Return L; infinity above the roof."""
        return math.inf if traffic > self.roof else float(np.interp(traffic, self.traffic, self.waits))

    def times(self, threads: float) -> float:
        """Return how many times the traffic of one thread that number has; in proportion beyond the most threads."""
        most = max(threads / self.threads[-1], 1.0) if math.isinf(self.roof) else 1.0
        return most * float(np.interp(threads, self.threads, self.ratios))


def _rising(traffic: Floats, waits: Floats) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the points at which the traffic is higher than at all before, with waits that never fall."""
    higher = traffic > np.concatenate([[0.0], np.maximum.accumulate(traffic)[:-1]])
    return tuple(traffic[higher].tolist()), tuple(np.maximum.accumulate(waits[higher]).tolist())


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
        cls, one: float, traffic: float, reads: float, curves: Sequence[DeviceCurve], /, cores: float,
        noise: float = 0.0,
    ) -> "Threads":  # fmt: skip
        """Return the model from one thread and a curve that is alike.

        reads: share of reads of the kernel on the bus; curves: the first one that is alike is reported.

        FitError without a curve that is alike, for curves with more threads than cores, and for rates not above 0.
        """
        alike = tuple(curve for curve in curves if abs(curve.reads - reads) <= ALIKE)
        if not (one > 0 and traffic > 0):
            raise FitError("the bandwidth of one thread and its traffic must be above 0")
        if not alike:
            raise FitError(f"no curve has a share of reads within {ALIKE:g} of {reads:.2f}")
        if any(max(curve.threads, default=0) > cores for curve in alike):
            raise FitError(f"a curve has threads beyond {cores:g} cores; give it those up to {cores:g}")
        return cls(one, traffic, alike, float(cores), noise, Span("threads", 1.0, 2.0 * cores))

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
        for full, rest in zip(self._up_to(curve, threads - beyond), self._up_to(curve, beyond), strict=False):
            yield doubled(threads, self.cores, full, rest) if beyond else full
            if beyond:
                yield full

    def _up_to(self, curve: DeviceCurve, threads: float) -> tuple[float, ...]:
        """Return B(n) of up to N threads in all readings."""
        if not threads:
            return (0.0, 0.0, 0.0)
        flat = min(threads * self.one, (1 + OVER) * curve.roof / self.traffic)
        alike = (self.one * curve.times(threads),) if curve.threads else ()
        return by_curve(self.one, threads, curve.latency, self.traffic), flat, *alike


models.add(Threads)
