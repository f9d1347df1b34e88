"""Percentiles of the times of single operations, and how sure each is.

For the share p of n independent times, the number of them below the true percentile is binomial, whatever their
distribution. So the true percentile is between the order statistics x_(r) and x_(s) with

    P(B(n, p) <= r - 1) <= a / 2,    P(B(n, p) >= s) <= a / 2,    a = 1 - confidence

Consecutive times resemble each other. So r and s are moved away from n p by the square root of the factor by which the
count's variance exceeds that of independent times. That variance is estimated from means of BATCHES stretches of the
series. Because it is an estimate, r and s are also moved by Student's quantile over the normal one. If r or s would be
outside the series, there are too few times for this percentile, and the answer is None.

Coverage of the 95 % interval in simulation (tests/unit/test_stats_percentiles.py): at least 95 % for independent times,
91 % for autoregressive ones with 0.7 from time to time.
Blind to what comes less often than once in the whole series.
Sources: H. A. David and H. N. Nagaraja, "Order Statistics", 2003, 7.1; B. Schmeiser, "Batch Size Effects in the
Analysis of Simulation Output", Operations Research 30, 1982 (10 to 30 batches).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from tierscope.arrays import Floats, Truths
from tierscope.record.result import SIZING, Blocks
from tierscope.stats.median import Interval, student
from tierscope.stats.together import SHARED, UNCLEAN, batches

BATCHES = 20
FINE = 1 / 128  # of a time: the largest error of the middle of a step of the histograms of structures
WIDTH = 12  # standard deviations on either side over which the binomial distribution is summed


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds per operation of each clean timed block, thread after thread, each in the order of time."""

    seconds: Floats  # shape (blocks,)
    left_out: int  # timed blocks within the common time that were not clean


def operation_times(blocks: Blocks, hz: float, cost_s: float, unclean: int = UNCLEAN) -> Times:
    """Return the times of the timed blocks of one group that began while every thread was at work, in each batch.

    hz: ticks per second. cost_s: of two clock reads, subtracted from each block before the division by its operations.
    unclean: flags of the blocks that are left out. With SHARED, threads share CPUs and never all work at the same time,
    so that all blocks count.
    """
    timed = blocks[((blocks["flags"] & SIZING) == 0) & (blocks["operations"] > 0)]
    timed = timed[np.lexsort((timed["start_ticks"], timed["thread"]))]
    if unclean != SHARED:
        timed = timed[_within(timed, np.unique(blocks["thread"]).size)]
    clean = (timed["flags"] & unclean) == 0
    kept = timed[clean]
    seconds = (kept["stop_ticks"] - kept["start_ticks"]) / hz - cost_s
    return Times(np.maximum(seconds, 0.0) / kept["operations"], int(timed.size - kept.size))


def _within(timed: Blocks, threads: int) -> Truths:
    """Return the blocks that start after the last thread's first block, and before the end of the first thread's last
    block.
    """
    inside = np.zeros(timed.size, dtype=bool)
    for rows in batches(timed) if timed.size else ():
        own = timed[rows]
        parts = [own[own["thread"] == thread] for thread in np.unique(own["thread"])]
        if len(parts) == threads:
            begin = max(int(one["start_ticks"][0]) for one in parts)
            end = min(int(one["stop_ticks"][-1]) for one in parts)
            inside[rows] = (own["start_ticks"] >= begin) & (own["start_ticks"] < end)
    return inside


def percentiles(series: Floats, shares: Sequence[float], confidence: float = 0.95) -> list[Interval | None]:
    """Return the percentiles of a series in the order of time, shape (points,); None for each share with too few
    points.
    """
    ordered = np.sort(series)
    return [_percentile(series, ordered, share, confidence) for share in shares]


def rounded(found: Interval, step_s: float) -> Interval:
    """Return the interval, wider by the step of the clock on either side if that is not small. Both in seconds.

    Each time may be off by a step, all of them alike, so that their spread does not show it. More visits do not make
    that less, so this is for the interval of all of them. A counter of 24 MHz steps by 42 ns, which is as long as many
    operations. No end is below 0.
    """
    more = 0.0 if step_s <= FINE * found.middle else step_s
    return replace(found, low=_positive(found.low - more), high=found.high + more)


def _positive(low: float) -> float:
    return low if math.isnan(low) else max(low, 0.0)


def _percentile(series: Floats, ordered: Floats, share: float, confidence: float) -> Interval | None:
    count = series.size
    if count < 3:
        return None
    ranks = _ranks(count, share, (1 - confidence) / 2)
    middle = float(np.quantile(ordered, share))
    wider = _wider(series <= middle, share, confidence)
    low, high = (count * share + (rank - count * share) * wider for rank in ranks)
    first, last = math.floor(low), math.ceil(high)
    if not 1 <= first <= last <= count:
        return None
    return Interval(float(ordered[first - 1]), middle, float(ordered[last - 1]), count)


def _ranks(count: int, share: float, error: float) -> tuple[int, int]:
    """Return r and s of the module's text, from 0 (there is none) to count + 1 (there is none)."""
    mean, spread = count * share, math.sqrt(count * share * (1 - share))
    least = max(0, math.floor(mean - WIDTH * spread) - WIDTH)
    most = min(count, math.ceil(mean + WIDTH * spread) + WIDTH)
    step = np.arange(least, most)
    logs = np.concatenate([[0.0], np.cumsum(np.log((count - step) / (step + 1) * share / (1 - share)))])
    chance = np.exp(logs - logs.max())
    below = np.cumsum(chance) / chance.sum()  # P(B <= least), P(B <= least + 1), ...
    first = least + int(np.searchsorted(below, error, side="right"))
    last = least + int(np.searchsorted(below, 1 - error, side="left")) + 1
    return first, last


def _wider(below: Truths, share: float, confidence: float) -> float:
    """Return the factor by which neighbours that resemble each other widen the interval; 1 for few points."""
    length = below.size // BATCHES
    if length < 2:
        return 1.0
    means = below[: length * BATCHES].reshape(BATCHES, length).mean(axis=1)
    inflation = float(means.var(ddof=1)) * length / (share * (1 - share))
    if inflation <= 1.0:
        return 1.0
    tail = (1 + confidence) / 2
    return math.sqrt(inflation) * student(tail, BATCHES - 1) / NormalDist().inv_cdf(tail)
