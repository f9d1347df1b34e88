"""The curve of latencies that the fit of buffers reads, and the levels that it returns, with their intervals."""

import math
from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats, Truths
from tierscope.stats.buffers_rivals import LARGEST_UNIT
from tierscope.units import LINE_BYTES, KiB

RANGE = 1.5  # largest over least capacity of a range that is an answer: no more than from a round size to the next one
UNIT_RANGE = 4.0  # the same of units, which differ by powers of two


@dataclass(frozen=True)
class Curve:
    """Latency of each line of regions that were never visited before; arrays of shape (points,)."""

    region_bytes: Floats
    latency_s: Floats
    spread: Floats  # relative standard error of each latency
    scattered: Truths  # whether regions follow one another at random, not by address
    footprint_bytes: Floats
    ways: int = 1  # memories side by side, as known
    grain_bytes: int = 4 * KiB  # in each, before the next one begins
    line_bytes: int = LINE_BYTES  # of the caches
    stride_bytes: Floats | None = None  # between the two lines of a region, if they are a pair; 0: of no pair
    passes: tuple["Pass", ...] = ()  # regions that were read in passes, by rising size

    def shown_bytes(self) -> float:
        """Return the largest region at random, or distance within a pair: a unit shows up to half of it."""
        strides = np.zeros(self.region_bytes.size) if self.stride_bytes is None else self.stride_bytes
        return float(np.where(self.scattered, np.maximum(self.region_bytes, strides), 0.0).max(initial=0.0))


@dataclass(frozen=True)
class Pass:
    """A region that was read in passes: one line of each stride, then the next line of each, in the same order.

    spread: relative standard error of the latency.
    """

    region_bytes: int
    stride_bytes: int
    latency_s: float
    spread: float


@dataclass(frozen=True)
class Estimate:
    """A value and its 95 % interval. Without an upper end, `low` is a lower bound, and `middle` the same."""

    low: float
    middle: float
    high: float

    @property
    def half(self) -> float:
        """Return half of the interval over the value."""
        return (self.high - self.low) / 2 / self.middle

    @property
    def furthest(self) -> float:
        """Return the distance of the value from the further end of its interval, over the value; infinite for 0."""
        return max(self.high - self.middle, self.middle - self.low) / self.middle if self.middle else math.inf

    @property
    def bounded(self) -> bool:
        """Return whether only a lower bound is known."""
        return math.isinf(self.high)


@dataclass(frozen=True)
class Level:
    """A buffer.

    latency_s: of a line found there, all levels before it included. line_bytes: of the caches. ranged: the capacity is
    anywhere in its interval, and its middle is not an answer.
    """

    capacity_bytes: Estimate
    unit_bytes: Estimate
    latency_s: Estimate
    round_bytes: int | None
    line_bytes: int = LINE_BYTES
    ranged: bool = False

    @property
    def vague(self) -> bool:
        """Return whether the range of the capacity is too wide for an answer."""
        return self.ranged and self.capacity_bytes.high > RANGE * self.capacity_bytes.low

    @property
    def capacity_off(self) -> float:
        """Return how far the capacity may be from the value, over it.

        A round size near the value supports it: then half of the interval counts, and otherwise its further end.
        """
        return self.capacity_bytes.half if self.round_bytes else self.capacity_bytes.furthest

    @property
    def most_amplification(self) -> float | None:
        """Bytes that come in for each byte asked for, where lines are read at random: of a buffer with data.

        One with addresses covers a unit and brings in less; latency shows which lines are near, not what moves. None if
        the unit has no upper bound.
        """
        return None if self.unit_bytes.high >= LARGEST_UNIT else self.unit_bytes.high / self.line_bytes


def vague_unit(low: float, high: float) -> bool:
    """Return whether a range of units is too wide for an answer; also one without an end, which has the largest one."""
    return high > UNIT_RANGE * low


@dataclass(frozen=True)
class Levels:
    """From the nearest on. medium_s: of a line that no level contains.

    reach_bytes: up to this capacity a buffer shows as a whole.
    entry_s: added by the first line of a region that does not follow by address: a page walk.
    misfit: root of the mean weighted square. It is 1 where the model explains all.
    """

    levels: tuple[Level, ...]
    medium_s: Estimate
    entry_s: Estimate
    misfit: float
    points: int
    curve_s: Floats  # the fit, of shape (points,)
    doubts: tuple[str, ...] = ()  # why this is not sure, as `buffers_doubts` finds it
    reach_bytes: float = math.inf

    @property
    def open(self) -> bool:
        """Return whether the last level has a lower bound only: then more may be behind it."""
        return bool(self.levels) and self.levels[-1].capacity_bytes.bounded
