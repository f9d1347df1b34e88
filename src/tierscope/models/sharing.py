"""Bandwidth of two tiers at any split of T threads over them, from each tier alone and at most two measured splits.

    A(k) = (T - k) b(N(k)),  B(k) = k r(k)                                                   [bytes/s]
    N(k) = T - k + w(k) k                                                                    [threads]

k: threads of the second tier, whose rate is r each. b(n): rate of one of n threads of the first tier alone. Its threads
cannot distinguish who slows them: k threads of the second tier slow them as much as w k of their own. Both r and w are
straight lines through two measured splits, or constants of one. Without a split, r is what each thread reaches when all
are on the second tier. That tier then loads what both share c = (1 + R) / 2 times as much as it moves, where R is the
ratio of both tiers' bandwidths with all threads. No c above R is possible, or that tier alone would exceed it.

Bounds of 90 %: all readings that these data allow (of two splits w constant by each; of one c constant; of none c
between 1 and R). They are widened by the noise of one measurement, which the caller names, times the root of 2: both a
split and the value that it is compared with were measured.

Limits: it needs the second tier alone or a split, and equal pinned threads whose demand does not change with time;
splits beyond the measured ones are extrapolated. Source: of threads that slow each other as a closed network does, E.
Lazowska and others, "Quantitative System Performance", 1984, chapter 6.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from tierscope.arrays import Floats
from tierscope.models import models
from tierscope.models.model import FitError, Prediction, Span, clean

SPREAD = 1.645 * 2**0.5  # deviations that contain 90 % of a normal distribution, of a difference of two
CROWDED = 64  # times all threads: the most that the first tier may seem to have
STEPS = 4096
Line = tuple[float, float]  # slope, offset


class Split(NamedTuple):
    """One that was measured: threads of the second tier, then bandwidth of the first and of the second in bytes/s."""

    threads: float
    first: float
    second: float


class Reading(NamedTuple):
    """One way to continue from the measurements. `of` is w, or c where it `loads`."""

    of: Line
    rate: Line
    loads: bool = False


@dataclass(frozen=True, slots=True)
class Sharing:
    """The model of two tiers. noise: relative standard deviation of one measured bandwidth of each tier."""

    name: ClassVar[str] = "sharing"
    threads: float
    crowd: tuple[float, ...]  # threads of the first tier alone
    each: tuple[float, ...]  # bandwidth of each of them, bytes/s
    readings: tuple[Reading, ...]  # the first is reported
    valid: Span
    noise: tuple[float, float] = (0.0, 0.0)

    @classmethod
    def fit(
        cls, threads: Floats, bandwidth: Floats, /, splits: Sequence[Split] = (), second: float = 0.0,
        noise: tuple[float, float] = (0.0, 0.0),
    ) -> "Sharing":  # fmt: skip
        """Return the model fitted to these bandwidths.

        threads, bandwidth: of the first tier alone, shape (points,), up to all threads; second: of the second tier
        alone with all threads, 0 where it was not measured.

        FitError without both a split and `second`, and for splits that are none.
        """
        n, b = clean("sharing", threads, bandwidth, 2)
        order = np.argsort(n, kind="stable")
        every = float(n.max())
        if any(not 0 < one.threads < every or one.first <= 0 or one.second <= 0 for one in splits):
            raise FitError(f"sharing: a split has threads on both tiers, of {every:g} in all, and bandwidths above 0")
        crowd = np.unique(np.concatenate([np.linspace(1, every, STEPS), np.geomspace(every, CROWDED * every, STEPS)]))
        each = np.minimum.accumulate(np.interp(crowd, n[order], b[order]) / crowd)
        made = cls(every, tuple(crowd), tuple(each), (), Span("threads of the second tier", 1, every - 1), noise)
        return cls(every, made.crowd, made.each, tuple(made._readings(sorted(splits), second)), made.valid, noise)

    def _readings(self, splits: Sequence[Split], second: float) -> list[Reading]:
        if not splits:
            return self._from_ends(second)
        places = [one.threads for one in splits]
        rate = _line(places, [one.second / one.threads for one in splits])
        crowds = [self._crowd_of(one) for one in splits]
        weights = [(n - self.threads) / one.threads + 1 for n, one in zip(crowds, splits, strict=True)]
        loads = [(self._moved(n) - one.first) / one.second for n, one in zip(crowds, splits, strict=True)]
        constant = [Reading((0.0, weight), rate) for weight in weights]
        if len(splits) > 1:
            return [Reading(_line(places, weights), rate), *constant]
        return [*constant, *(Reading((0.0, load), rate, loads=True) for load in loads)]

    def _from_ends(self, second: float) -> list[Reading]:
        if not second > 0:
            raise FitError("sharing: neither a split nor the second tier alone was measured; measure one of them")
        ratio = max(self.each[-1] * self.crowd[-1] / second, 1.0)
        rate = (0.0, second / self.threads)
        return [Reading((0.0, c), rate, loads=True) for c in ((1 + ratio) / 2, 1.0, ratio)]

    def _crowd_of(self, split: Split) -> float:
        """Return how many threads of its own the first tier would have to be as slow as in this split."""
        return float(np.interp(-split.first / (self.threads - split.threads), -np.array(self.each), self.crowd))

    def _moved(self, crowd: float) -> float:
        """Return what this number of threads of the first tier alone move."""
        return crowd * float(np.interp(crowd, self.crowd, self.each))

    def predict(self, threads: float) -> tuple[Prediction, Prediction]:
        """Return the bandwidth of the first and of the second tier with `threads` threads on the second."""
        if not 0 < threads < self.threads:
            raise FitError(f"sharing: {threads:g} of {self.threads:g} threads on the second tier is not a split")
        found = np.array([self._both(threads, reading) for reading in self.readings])
        warnings = self.valid.warnings(threads)
        return tuple(
            Prediction(
                values[0], values.min() * (1 - SPREAD * noise), values.max() * (1 + SPREAD * noise), "B/s", warnings
            )
            for values, noise in zip(found.T, self.noise, strict=True)
        )  # type: ignore[return-value]

    def _both(self, k: float, reading: Reading) -> tuple[float, float]:
        rate, of = max(_at(reading.rate, k), 0.0), max(_at(reading.of, k), 0.0)
        crowd, each = np.array(self.crowd), np.array(self.each)
        if reading.loads:  # the crowd at which both loads are what the first tier alone moves with it
            free = each * crowd - (self.threads - k) * each
            seen = float(np.interp(of * k * rate, np.maximum.accumulate(free), crowd))
        else:
            seen = max(self.threads - k + of * k, 1.0)
        return (self.threads - k) * float(np.interp(seen, crowd, each)), k * rate


def _line(places: Sequence[float], values: Sequence[float]) -> Line:
    """Return the least-squares line; a constant of one."""
    if len(places) == 1:
        return 0.0, values[0]
    slope, offset = np.polyfit(places, values, 1)
    return float(slope), float(offset)


def _at(line: Line, place: float) -> float:
    return line[0] * place + line[1]


models.add(Sharing)
