"""Whether a thread flutters: how uneven its rate is, how often it dips, how deep, and whether in a rhythm.

All values describe the clean blocks of one thread after the warm-up, with m the median of their rates:

    variation = standard deviation of the rates / their mean           (sample deviation, dimensionless)
    a dip     = a run of neighbouring clean blocks below DIP * m
    depth     = median over the dips of (median rate in the dip / m)    0.5: half as fast
    period    = median time from the start of a dip to the start of the next                [s]

DIP is 0.8. Blocks of about 1 ms of an undisturbed copy vary by 1 to 5 %, so 20 % is four deviations or more, and a dip
is a separate event, not the tail of the noise. A series that varies by 20 % all the time also has blocks below 0.8. The
variation then shows this, and no rhythm is found.

A period is reported only if there are DISTANCES distances or more, and their coefficient of variation is below REGULAR.
Dips that come by chance, at a constant rate, have distances of an exponential distribution: six of them pass in 0.4 %
of the cases (three would in 7 %, five in 1.1 %; simulation, 200 000 draws each).

Time between batches is not a dip: only blocks that follow one another without a gap are neighbours. A distance is taken
within one such stretch, so a period longer than a batch is never detected. Blocks that were not clean are skipped; they
neither end a dip nor make one.
Blind to dips shallower than DIP, to those shorter than a block, and to their cause: time that a hypervisor takes and
does not report looks like a dip of the memory.
Sources: D. R. Cox and P. A. W. Lewis, "The Statistical Analysis of Series of Events", 1966 (distances of events, the
coefficient of variation as a test against a Poisson process).
"""

from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats, Integers, Places, Truths
from tierscope.stats.threads import ThreadSeries

DIP = 0.8  # of the thread's median rate
DISTANCES = 6  # least, for a period
REGULAR = 0.3  # coefficient of variation of the distances, below which they are a rhythm
FLUTTERS = 4  # dips: fewer may be one burst of a neighbour
NOTICED = 0.01  # share of the clean blocks that are in dips: less costs under 1 % of the time


@dataclass(frozen=True, slots=True)
class Dip:
    """One dip, from the start of its first block to the stop of its last, in s since the first block of the record."""

    start_s: float
    stop_s: float
    rate: float  # median of its blocks, operations/s
    blocks: int


@dataclass(frozen=True, slots=True)
class Flutter:
    """The flutter of one thread; NaN where there are fewer than two clean blocks."""

    rate: float  # median, operations/s
    variation: float
    dips: tuple[Dip, ...]
    dip_share: float  # of the clean blocks
    depth: float | None  # None without a dip
    period_s: float | None  # None without a rhythm
    blocks: int  # clean ones

    @property
    def flutters(self) -> bool:
        """Return whether it dips often enough to matter."""
        return len(self.dips) >= FLUTTERS and self.dip_share >= NOTICED


def flutter(series: ThreadSeries, begin_s: float = 0.0) -> Flutter:
    """Return the flutter of the clean blocks that start at `begin_s` or later."""
    start = series.time_s - series.seconds / 2
    clean = np.flatnonzero((series.flags == 0) & (start >= begin_s))
    rates = series.rate[clean]
    if rates.size < 2:
        return Flutter(float(rates[0]) if rates.size else np.nan, np.nan, (), 0.0, None, None, int(rates.size))
    middle = float(np.median(rates))
    parts = _dips(rates < DIP * middle, _stretches(series)[clean])
    dips = tuple(_dip(series, clean[part]) for part in parts)
    return Flutter(
        rate=middle,
        variation=float(rates.std(ddof=1) / rates.mean()),
        dips=dips,
        dip_share=sum(dip.blocks for dip in dips) / rates.size,
        depth=float(np.median([dip.rate for dip in dips])) / middle if dips else None,
        period_s=_period(dips, _stretches(series)[clean][[part[0] for part in parts]] if parts else np.empty(0)),
        blocks=int(rates.size),
    )


def _stretches(series: ThreadSeries) -> Integers:
    """Return a number for each block; neighbours without a gap of a median block or more between them share it."""
    stop, start = series.time_s + series.seconds / 2, series.time_s - series.seconds / 2
    gaps = start[1:] - stop[:-1] > np.median(series.seconds)
    return np.concatenate([[0], np.cumsum(gaps)]).astype(np.int64)


def _dips(low: Truths, stretch: Integers) -> list[Places]:
    """Return the places of each run of `low` blocks of one stretch, in order."""
    places = np.flatnonzero(low)
    if places.size == 0:
        return []
    ends = np.flatnonzero((np.diff(places) > 1) | (np.diff(stretch[places]) > 0)) + 1
    return list(np.split(places, ends))


def _dip(series: ThreadSeries, members: Places) -> Dip:
    first, last = members[0], members[-1]
    return Dip(
        start_s=float(series.time_s[first] - series.seconds[first] / 2),
        stop_s=float(series.time_s[last] + series.seconds[last] / 2),
        rate=float(np.median(series.rate[members])),
        blocks=int(members.size),
    )


def _period(dips: tuple[Dip, ...], stretch: Integers | Floats) -> float | None:
    """Return the median distance if the distances within stretches are many and regular."""
    starts = np.array([dip.start_s for dip in dips])
    distances = np.diff(starts)[np.diff(stretch) == 0] if starts.size > 1 else starts[:0]
    if distances.size < DISTANCES or distances.std(ddof=1) >= REGULAR * distances.mean():
        return None
    return float(np.median(distances))
