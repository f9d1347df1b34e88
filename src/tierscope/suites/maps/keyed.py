"""Operations on a structure, from the core's counts of each batch: means, percentiles and the time between operations.

    latency    = ticks of the operations / operations              [s], rehash and waits for a lock left out
    percentile = that of each batch's histogram                    [s]
    rehash     = ticks of rehashes / rounds                        [s]
    share      = ticks of rehashes / (ticks of operations + of rehashes + of waits for a lock), of one batch   [1]

Each has one value for a batch. The value of all batches is their Hodges-Lehmann estimate with its interval, which
`stats.contrast` also uses for rounds. So one disturbed batch moves none of them far. Numerator and denominator of the
share are from the same rounds, so it is in 0..1. If a batch has too few operations for a percentile, the percentile is
that of all batches together, without an interval.
Each operation contains one read of the clock (`clock_s`), which is not subtracted.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tierscope.record.timing import Timing
from tierscope.stats.contrast import estimate
from tierscope.stats.median import Interval
from tierscope.stats.percentiles import rounded
from tierscope.suites.maps.histogram import merged, read

NONE = Interval(math.nan, math.nan, math.nan, 0)


@dataclass(frozen=True, slots=True)
class Lines:
    """The work of one operation on average, in lines of the caches; rehashes left out."""

    read: float  # distinct
    written: float  # distinct
    flushed: float  # each time that 64 bytes are written back, by an instruction or a store past the caches
    fences: float

    @property
    def flushed_per_written(self) -> float | None:
        """None where nothing is written or flushed: volatile structures flush nothing."""
        return self.flushed / self.written if self.written and self.flushed else None


@dataclass(frozen=True, slots=True)
class Keyed:
    """The numbers of one group. `percentiles`: by the shares asked for; NaN if too few operations support one."""

    latency: Interval  # s, of one operation alone
    percentiles: tuple[Interval, ...]  # s
    least_s: float
    most_s: float
    init_s: float | None  # of one structure, made and filled; mean; None where that took no time: not simulated
    rehashes: float  # per round of all threads
    moved: float  # entries, per round
    rehash_s: float  # per round
    rehash_share: Interval  # of the time of the same rounds; NaN where no time was taken
    lock_s: float  # per operation
    clock_s: float  # per operation
    done_share: float
    lines: Lines | None  # None where accesses were not recorded
    delayed_loads: float | None  # per operation; None where none was delayed


def keyed(timings: Sequence[Timing], hz: float, shares: Sequence[float]) -> Keyed:
    """Return the numbers of one group.

    timings: of its batches, at least one; hz: ticks per second.
    """
    operations = max(sum(one.operations for one in timings), 1)
    rounds = max(sum(one.rounds for one in timings), 1)
    return Keyed(
        latency=_estimate([one.ticks / one.operations for one in timings if one.operations], hz),
        percentiles=_percentiles(timings, hz, shares),
        least_s=min(one.least_ticks for one in timings) / hz,
        most_s=max(one.most_ticks for one in timings) / hz,
        init_s=_fill(timings, hz),
        rehashes=sum(one.rehashes for one in timings) / rounds,
        moved=sum(one.moved for one in timings) / rounds,
        rehash_s=_middle([one.rehash_ticks / one.rounds for one in timings if one.rounds]) / hz,
        rehash_share=_share(timings),
        lock_s=_middle([one.lock_ticks / one.operations for one in timings if one.operations]) / hz,
        clock_s=max(one.clock_ticks for one in timings) / hz,
        done_share=sum(one.done for one in timings) / operations,
        lines=_lines(timings, operations),
        delayed_loads=sum(one.delayed_loads for one in timings) / operations or None,
    )


def _middle(values: Sequence[float], confidence: float = 0.95) -> float:
    """Return the estimate of the middle; 0 without a batch."""
    return estimate(np.array(values), confidence).middle if values else 0.0


def _share(timings: Sequence[Timing], confidence: float = 0.95) -> Interval:
    """Return the share of a batch's time that rehashes take; the interval is limited to valid shares."""
    wholes = [one.ticks + one.rehash_ticks + one.lock_ticks for one in timings]
    shares = [one.rehash_ticks / all_of_it for one, all_of_it in zip(timings, wholes, strict=True) if all_of_it]
    if not shares:
        return NONE
    found = estimate(np.array(shares), confidence)
    return Interval(max(found.low, 0.0), found.middle, min(found.high, 1.0), found.count)


def _fill(timings: Sequence[Timing], hz: float) -> float | None:
    ticks, fills = sum(one.fill_ticks for one in timings), sum(one.fills for one in timings)
    return ticks / fills / hz if ticks and fills else None


def _lines(timings: Sequence[Timing], operations: int) -> Lines | None:
    if not any(one.lines_read + one.lines_written for one in timings):
        return None
    return Lines(
        read=sum(one.lines_read for one in timings) / operations,
        written=sum(one.lines_written for one in timings) / operations,
        flushed=sum(one.lines_flushed for one in timings) / operations,
        fences=sum(one.fences for one in timings) / operations,
    )


def _estimate(ticks: Sequence[float], hz: float, confidence: float = 0.95) -> Interval:
    if not ticks or min(ticks) <= 0:
        return NONE
    found = estimate(np.log(np.array(ticks)), confidence)
    return Interval(math.exp(found.low), math.exp(found.middle), math.exp(found.high), found.count).times(1 / hz)


def _percentiles(timings: Sequence[Timing], hz: float, shares: Sequence[float]) -> tuple[Interval, ...]:
    histograms = [read(one.histogram) for one in timings]
    whole = merged(histograms)
    found = []
    for share in shares:
        each = [one.percentile(share) for one in histograms]
        known = [value for value in each if value is not None]
        if len(known) == len(each):
            found.append(rounded(_estimate(known, hz), 1 / hz))
            continue
        value = whole.percentile(share)
        found.append(NONE if value is None else Interval(math.nan, value / hz, math.nan, len(each)))
    return tuple(found)
