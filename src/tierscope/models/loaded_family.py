"""Latency of a memory under any load: curves over the bandwidth, one for each share of reads, from at most 12 points.

    u = b / C(r)                       part of the most bandwidth, at the share of reads r                 [1]
    z = u / (1 + SLACK - u)            waits of a queue whose server is not quite full at u = 1            [1]
    L(b, r)                            straight in z between the loads of a share, straight in r between shares  [s]
    1 / C(r)                           a straight line through two shares, a parabola through three        [s/byte]

Shares and bandwidths are those of the program, and all loads of a family store in the same way: what a plain store
costs on the bus differs between CPUs. The points are at most four loads of at most three shares: the lowest one, the
highest one, and that nearest to their middle. `chosen` selects them by share and bandwidth, and never sees a latency. C
of these shares is the bandwidth of their largest load.

Bounds: all readings that these points allow. Between two loads a curve that never bends down is below the chord. It is
above the lines through the loads next to both, continued. Between shares 1 / C is straight, too. u is off by OFF, and
by twice that between shares. The bounds are widened by the error at the middle share of a family without it. This error
counts fully halfway between two shares, and not at all at a share. The noise of one measurement, times the root of 2,
widens them, too: both a point and what it is compared with were measured.

Limits: not known are shares beyond those given, shares between only two, and bandwidths above (1 + OFF) C(r). Once a
memory is full, latency rises at the same bandwidth, and the model knows only the largest load that it was given.
Points whose latency falls where bandwidth rises are refused: they show no load. Source: the form is that of the curves
of P. Esmaili-Dokht and others, "A Mess of Memory System Benchmarking, Simulation and Application Profiling", MICRO
2024; of z, L. Kleinrock, "Queueing Systems", volume 1, 1975, chapter 3.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import ClassVar

import numpy as np

from tierscope.arrays import Floats
from tierscope.models import models
from tierscope.models.model import FitError, Prediction, Span, clean
from tierscope.models.sharing import SPREAD
from tierscope.units import show_rate

MOST = 12  # points
SHARES = 3
LOADS = (0.05, 0.6, 0.9, 1.0)  # of the most bandwidth of a share: the nearest loads that were measured
FEWEST = 3  # loads of a share: two make a line, and one could disagree
SLACK = 0.1
OFF = 0.03  # of u
LEAST = 0.75  # of 1 / C of both shares next to one: a parabola through three may fall further, even below 0
WIDEST = 1.5  # least factor between the smallest and the largest bandwidth of a share
NO_LOAD = -0.9  # correlation of bandwidth and latency


@dataclass(frozen=True, slots=True)
class Curve:
    """One share: loads in parts of `peak`, rising, and their latencies; shape (loads,)."""

    share: float
    peak: float  # bytes/s
    parts: tuple[float, ...]
    latency_s: tuple[float, ...]

    def at(self, part: float) -> float:
        """Return the latency; below the smallest load and above the peak, that of these."""
        z = [u / (1 + SLACK - u) for u in (min(part, 1.0), *self.parts)]
        return float(np.interp(z[0], z[1:], self.latency_s))

    def chord(self, part: float) -> float:
        """Return the most that a curve which never bends down has there."""
        return float(np.interp(part, self.parts, self.latency_s))

    def extended(self, part: float) -> float:
        """Return the least that such a curve has there: the lines through the loads next to these, continued."""
        at = int(np.searchsorted(self.parts, min(part, 1.0)))
        pairs = [(i, i + 1) for i in (at - 2, at) if 0 <= i < len(self.parts) - 1]
        least = self.latency_s[0] / 2 if at == 0 else self.latency_s[at - 1]
        return min(max(least, *(self._line(pair, min(part, 1.0)) for pair in pairs), 0.0), self.chord(part))

    def _line(self, pair: tuple[int, int], part: float) -> float:
        (u, v), (first, second) = ([of[i] for i in pair] for of in (self.parts, self.latency_s))
        return first + (second - first) * (part - u) / (v - u)


READINGS: tuple[Callable[[Curve, float], float], ...] = (Curve.at, Curve.chord, Curve.extended)
"""The first one is reported."""


@dataclass(frozen=True, slots=True)
class LoadedFamily:
    """Up to three curves, by share. noise: relative standard deviation of one measured latency."""

    name: ClassVar[str] = "loaded_family"
    curves: tuple[Curve, ...]
    noise: float
    valid: Span
    misses: tuple[float, ...] = ()  # errors at the loads of the middle share, of a family without it

    @classmethod
    def fit(cls, shares: Floats, bandwidth: Floats, latency: Floats, /, noise: float = 0.0) -> "LoadedFamily":
        """Return the family that passes through these points.

        shares: of reads, 0 to 1; bandwidth in bytes/s; latency in seconds; all of shape (points,), points <= MOST.

        FitError for more points, if no share has FEWEST loads, and for points that show no load.
        """
        _, times = clean("loaded_family", bandwidth, latency, 1)
        if times.size > MOST or (times <= 0).any():
            raise FitError(f"loaded_family: {times.size} points; give at most {MOST}, with latencies above 0")
        own = {share: shares == share for share in _known(shares, bandwidth)}
        known = tuple(_curve(share, bandwidth[mine], times[mine]) for share, mine in own.items())
        if all(_rises(curve) < NO_LOAD for curve in known):
            raise FitError("latency falls where bandwidth rises: these points show no load")
        made = cls(known, noise, Span("share of reads", max(known[0].share, 1e-9), max(known[-1].share, 1e-9)))
        return replace(made, misses=tuple(made._misses()))

    def _misses(self) -> Iterator[float]:
        if len(self.curves) == SHARES:
            first, middle, last = self.curves
            outer = replace(self, curves=(first, last))
            for part, latency in zip(middle.parts, middle.latency_s, strict=True):
                yield abs(outer.between(middle.share, part) / latency - 1)

    def predict(self, share: float, bandwidth: float) -> Prediction:
        """Return the latency. FitError where it is not known, with the reason."""
        self._check(share)
        part = bandwidth * self._per_byte(share, straight=False)
        if not 0 < part <= 1 + OFF:
            peak = 1 / self._per_byte(share, straight=False)
            raise FitError(f"{show_rate(bandwidth)} is none of the loads up to {show_rate(peak)} of this family")
        middling = self._middling(share)
        shifts = [shift * (1 + middling) for shift in (0.0, -OFF, OFF)]
        places = [bandwidth * self._per_byte(share, straight=straight) for straight in (False, True)]
        found = [
            self.between(share, place * (1 + shift), reading)
            for reading, place, shift in product(READINGS, places, shifts)
        ]
        missed = middling * float(np.interp(part, self.curves[1].parts, self.misses)) if self.misses else 0.0
        wide = SPREAD * self.noise + missed
        return Prediction(found[0], min(found) * max(1 - wide, 0.0), max(found) * (1 + wide), "s")

    def _check(self, share: float) -> None:
        shares = [curve.share for curve in self.curves]
        if not shares[0] <= share <= shares[-1]:
            raise FitError(f"a share of reads of {share:.2f} is outside {shares[0]:.2f} to {shares[-1]:.2f}")
        if len(shares) == SHARES - 1 and share not in shares:
            raise FitError(f"a share of reads of {share:.2f} is between two that were given; a third one is needed")

    def _middling(self, share: float) -> float:
        """Return 0 at a share that was given, 1 halfway between two of them."""
        _, _, weight = self._around(share)
        return 4 * weight * (1 - weight)

    def _around(self, share: float) -> tuple[Curve, Curve, float]:
        """Return the curves next to a share, and the weight of the second."""
        above = next(i for i, curve in enumerate(self.curves) if curve.share >= share)
        first, second = self.curves[max(above - 1, 0)], self.curves[above]
        return first, second, 1.0 if first is second else (share - first.share) / (second.share - first.share)

    def _per_byte(self, share: float, *, straight: bool) -> float:
        """Return 1 / C(r)."""
        x, y = [curve.share for curve in self.curves], [1 / curve.peak for curve in self.curves]
        if straight:
            return float(np.interp(share, x, y))
        first, second, _ = self._around(share)
        least = LEAST * min(1 / first.peak, 1 / second.peak)
        return max(float(np.polyval(np.polyfit(x, y, len(x) - 1), share)), least)

    def between(self, share: float, part: float, reading: Callable[[Curve, float], float] = Curve.at) -> float:
        """Return the latency at a part of the peak."""
        first, second, weight = self._around(share)
        return (1 - weight) * reading(first, part) + weight * reading(second, part)


def chosen(shares: Floats, bandwidth: Floats) -> list[int]:
    """Return the places of at most MOST points; both arrays of shape (points,). FitError if no share has enough."""
    known = _known(shares, bandwidth)
    middle = min(known, key=lambda share: abs(share - (known[0] + known[-1]) / 2))
    places: set[int] = set()
    for share in {known[0], middle, known[-1]}:
        own = np.flatnonzero(shares == share)
        parts = bandwidth[own] / bandwidth[own].max()
        places |= {int(own[np.abs(parts - load).argmin()]) for load in LOADS}
    return sorted(places)


def _known(shares: Floats, bandwidth: Floats) -> list[float]:
    """Return the shares with enough loads."""
    found = [float(share) for share in np.unique(shares) if _spread(bandwidth[shares == share])]
    if found:
        return found
    raise FitError(f"no mix has {FEWEST} loads whose bandwidths differ by a factor of {WIDEST:g} or more")


def _spread(bandwidth: Floats) -> bool:
    return np.unique(bandwidth).size >= FEWEST and bool(bandwidth.max() >= WIDEST * bandwidth.min() > 0)


def _curve(share: float, bandwidth: Floats, latency: Floats) -> Curve:
    order = np.argsort(bandwidth, kind="stable")
    peak = float(bandwidth.max())
    return Curve(float(share), peak, tuple((bandwidth[order] / peak).tolist()), tuple(latency[order].tolist()))


def _rises(curve: Curve) -> float:
    """Return the correlation of the logarithms of bandwidth and latency; 0 where one is constant."""
    x, y = np.log(curve.parts), np.log(curve.latency_s)
    return float(np.corrcoef(x, y)[0, 1]) if np.ptp(x) > 0 and np.ptp(y) > 0 else 0.0


models.add(LoadedFamily)
