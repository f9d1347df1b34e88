"""How much memory traffic others cause: a curve of latency over known load, read in the opposite direction.

    ratio = latency now / latency while nothing else was loaded       one dependent access at a time
    traffic = the load of ours that makes an access slower by this ratio

The mix of the others' reads and writes is not known. So there is one curve for each mix that was measured, and the
answer covers all of them. Others may come in bursts of many threads or in steady streams of few. So a curve has a
branch for each number of threads, and its bounds contain all of them. Its interval contains

- the curves' own: the largest traffic follows from the lower bounds of the ratios at the upper bounds of the loads, the
  least traffic from the other ends;
- their shape between two loads: at most a chord, at least a parabola that begins flat, since latency rises ever faster;
- how much readings without load differ from each other (Student's t, a new reading compared with n old ones);
- the scatter of each reading now.

Readings are taken over pieces of 50 ms, and traffic is averaged, not latency: the curve bends, and the mean latency of
bursts is not the latency of their mean. Bursts within a piece widen the interval: its median and its mean then differ.
Beyond the largest load nothing is known: the upper bound is infinite. It is also infinite where the largest load of
ours adds no more latency than readings differ: any traffic may then be there.
Blind to a pattern of accesses that adds less latency than those of our loads; to traffic that was there while the curve
was measured, which is its zero.
Source of the family of curves: P. Esmaili-Dokht et al., "A Mess of Memory System Benchmarking, Simulation and
Application Profiling", MICRO 2024.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, median

import numpy as np

from tierscope.arrays import Floats
from tierscope.stats.median import Interval
from tierscope.stats.special import student

CONFIDENCE = 0.95
FEWEST = 5  # readings without load: fewer show little about how much they differ
ROUNDING = 1e-9
SEEN = 0.1  # of the pieces must show traffic: one reading in forty is above its bound by chance


@dataclass(frozen=True, slots=True)
class Knot:
    """One load of ours. load: bytes/s on the bus; ratio: latency with it over latency without."""

    load: Interval
    ratio: Interval


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes/s of others on the bus. high: infinite where the curve ends before; low: 0 where there may be none."""

    low: float
    middle: float
    high: float


@dataclass(frozen=True, slots=True)
class Zero:
    """Latency without load, s; error: half of the interval of the logarithm of one more such reading."""

    latency_s: float
    error: float


@dataclass(frozen=True, slots=True)
class Piece:
    """One reading now. latency_s: median of its blocks; mean_s: their mean; error: as in `Zero`, of the median."""

    latency_s: float
    mean_s: float
    error: float


class Curve:
    """Latency over load for one mix. branches: one for each number of threads, from the least load to the most.

    Where more is asked for and less is moved, the memory is full: latency rises at the most that it moved. Latency need
    not rise with load: a memory may serve a stream in order with less delay to others than some bursts. So both bounds
    are of all loads that may explain a latency.
    """

    def __init__(self, *branches: Sequence[Knot]) -> None:
        loads, ratios = _merged(branches, lambda one: (one.load.high, one.ratio.low))
        self._low = loads, _falling(ratios)
        loads, ratios = _merged(branches, lambda one: (one.load.low, one.ratio.high))
        self._high = loads, _rising(ratios)
        loads, ratios = _merged(branches, lambda one: (one.load.middle, one.ratio.middle))
        self._middle = loads, (_rising(ratios) + _falling(ratios)) / 2

    @property
    def end(self) -> float:
        """The largest load, bytes/s."""
        return float(self._middle[0][-1])

    def most(self, ratios: Floats) -> Floats:
        """Return the largest traffic at which latency may still be this low; infinite beyond the curve."""
        loads, known = self._low
        above = np.searchsorted(known, ratios, side="right")
        first, last = np.maximum(above - 1, 0), np.minimum(above, known.size - 1)
        step = np.where(known[last] > known[first], known[last] - known[first], 1.0)
        share = np.sqrt(np.maximum(ratios - known[first], 0) / step)
        found = loads[first] + (loads[last] - loads[first]) * share
        return np.asarray(np.where(above == known.size, np.inf, found))

    def least(self, ratios: Floats) -> Floats:
        """Return the least traffic at which latency may be this high already; the largest load beyond the curve."""
        return _chord(self._high, ratios)

    def middle(self, ratios: Floats) -> Floats:
        """Return the traffic in between; the largest load beyond the curve."""
        return _chord(self._middle, ratios)


def zero_of(readings: Sequence[float], others: Sequence[float] = ()) -> Zero | None:
    """Return the latency without load of these readings, s; None where they are too few.

    readings: with the memory that is probed now; others: with other mappings or at other times of the same run, which
    only show how much a reading may differ.
    """
    if len(readings) < FEWEST:
        return None
    logs = [math.log(one) for one in readings]
    middle = median(logs)
    squares = [(one - middle) ** 2 for one in (*logs, *map(math.log, others))]
    return Zero(math.exp(middle), _one_more(math.sqrt(sum(squares) / (len(squares) - 1)), len(squares)))


def zero_of_visits(visits: Sequence[Sequence[float]]) -> Zero | None:
    """Return the same of readings of another run, those of each visit together; None for fewer than three visits.

    A new mapping of the memory, at another time, differs from theirs as they differ from each other.
    """
    means = [mean(map(math.log, one)) for one in visits if one]
    if len(means) < 3:
        return None
    spread = float(np.std(means, ddof=1))
    within = float(np.mean([np.var(np.log(one)) for one in visits if one]))
    return Zero(math.exp(median(means)), _one_more(math.sqrt(spread**2 + within), len(means)))


def traffic(pieces: Sequence[Piece], zero: Zero, curves: Sequence[Curve], slower: float = 1.0) -> Traffic:
    """Return the mean traffic over some pieces; at least one piece and one curve.

    slower: how much longer work within the core takes now than at its fastest. A core that is slower, because the host
    takes time from it or because its clock is lower, may explain as much of the latency, so the lower bound leaves it
    out.
    """
    ratios, every = _over(zero, [one.latency_s for one in pieces]), _over(zero, [mean(one.mean_s for one in pieces)])
    errors = np.hypot(zero.error, [one.error for one in pieces])
    core = max(slower, 1.0)
    lows = np.min([curve.least(ratios * np.exp(-errors) / core) for curve in curves], axis=0)
    low = min(curve.least(every * math.exp(-zero.error) / core)[0] for curve in curves)
    highs = np.max([curve.most(ratios * np.exp(errors)) for curve in curves], axis=0)
    high = max(curve.most(every * math.exp(zero.error))[0] for curve in curves)
    low, high = min(float(lows.mean()), low) if np.mean(lows > 0) > SEEN else 0.0, max(float(highs.mean()), high)
    low, high = min(low, high), max(low, high)
    middle = float(np.median([curve.middle(ratios) for curve in curves], axis=0).mean())
    return Traffic(float(low), min(max(middle, float(low)), float(high)), float(high))


def smallest(zero: Zero, curves: Sequence[Curve]) -> float:
    """Return the least traffic that is always detected, bytes/s; infinite where no load of ours is detectable."""
    return max(float(curve.most(np.array([math.exp(2 * zero.error)]))[0]) for curve in curves)


def _over(zero: Zero, latencies: Sequence[float]) -> Floats:
    return np.array(latencies) / zero.latency_s


def _one_more(deviation: float, count: int) -> float:
    return student(CONFIDENCE, count - 1) * deviation * math.sqrt(1 + 1 / count)


def _merged(
    branches: Sequence[Sequence[Knot]], of: Callable[[Knot], tuple[float, float]]
) -> tuple[Floats, list[float]]:
    """Return 0 and the loads of all branches, none below an earlier one of its branch; and the ratios."""
    points: list[tuple[float, float]] = []
    for branch in branches:
        most = 0.0
        for load, ratio in map(of, branch):
            most = max(most, load)
            points.append((most, ratio))
    points.sort(key=lambda point: point[0])
    return np.array([0.0, *(load for load, _ in points)]), [ratio for _, ratio in points]


def _rising(ratios: Iterable[float]) -> Floats:
    """Return 1, then the highest ratio of all smaller loads: as little may explain a latency."""
    return np.maximum.accumulate([1.0, *ratios])


def _falling(ratios: Iterable[float]) -> Floats:
    """Return 1, then the lowest ratio of all larger loads: as much may hide behind a latency."""
    lowest = np.minimum.accumulate([1.0, *ratios][:0:-1])[::-1]
    return np.concatenate([[1.0], np.maximum(lowest, 1.0)])


def _chord(curve: tuple[Floats, Floats], ratios: Floats) -> Floats:
    """Return the least load whose ratio on straight lines between the loads is this one; 0 for a ratio of 1 and
    rounding.
    """
    loads, known = curve
    above = np.searchsorted(known, ratios, side="left")
    first, last = np.maximum(above - 1, 0), np.minimum(above, known.size - 1)
    step = np.where(known[last] > known[first], known[last] - known[first], 1.0)
    share = np.clip((ratios - known[first]) / step, 0, 1)
    found = np.where(above == known.size, loads[-1], loads[first] + (loads[last] - loads[first]) * share)
    return np.asarray(np.where(ratios <= 1 + ROUNDING, 0.0, found))
