"""One series in a few numbers, and whether they can be believed.

The median and its interval are the result. Three more numbers are comparable with STREAM. The series is cut into nine
slices of consecutive points, as STREAM keeps nine of its ten iterations, and each slice is one iteration. `best` and
`worst` are the highest and the lowest mean rate of a slice, `average` is the mean rate of all. So STREAM's best is not
a "fastest millisecond", and neither is this one.

A summary is conclusive if the interval is within the requested precision and rests on enough clean points, and the
series is steady. Repeating this check until it passes (the stop rule) costs the interval some of its coverage;
`minimum_s` of the schedule keeps that small.

Source: J. D. McCalpin, "STREAM: Sustainable Memory Bandwidth in High Performance Computers", 1995.
"""

import math
from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats
from tierscope.record.experiment import Schedule
from tierscope.stats.lost import NONE, Lost
from tierscope.stats.median import Interval, beyond, median
from tierscope.stats.steady import Steady, settle

SLICES = 9  # iterations for STREAM's best, average and worst
UNDISTURBED = 0.2  # share of the moments of each thread, at least: with two busy neighbours on two CPUs, points that
# kept less were wrong by up to 15 % (benchmarks/busy.py), since a thread that comes back finds its caches and TLB cold
ENOUGH = 50  # points: below, the warm-up rule is silent and intervals of autocorrelated noise (0.7) contain
# the truth under 84 % of the time instead of 95 % (see `median`)
LONG_S = 0.01  # of a block: it contains ten usual ones, so that neighbours resemble each other less
FEW = 12  # points of such blocks: with the same noise their interval contains the truth 98 % of the time
WIDE = "interval"  # the begin of a reason that is only about the width of an interval
LONGER = "measure longer"  # the end of a reason that more time removes


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of one group: `interval`, `best`, `average` and `worst` in the unit of the series."""

    interval: Interval
    best: float
    average: float
    worst: float
    start: int  # points cut as warm-up
    total: int  # points that there would be if all were clean
    steady: bool
    reasons: tuple[str, ...]  # why it is inconclusive; () is conclusive

    @property
    def conclusive(self) -> bool:
        return not self.reasons


def verdict(series: Floats, schedule: Schedule, total: int | None = None, lost: Lost = NONE) -> Summary:
    """Cut the warm-up of `series`, shape (points,), and judge the rest.

    total: points before those that were not clean were left out; None when none were. lost: what they were.
    """
    return summarise(series, settle(series, schedule.precision), schedule, total, lost=lost)


def summarise(
    series: Floats,
    settled: Steady,
    schedule: Schedule,
    total: int | None = None,
    error: float = 0.0,
    lost: Lost = NONE,
) -> Summary:
    """Judge `series` after a warm-up that was found elsewhere, for example if several groups share one.

    error: a relative standard error that all points have in common, which the interval includes. lost: why points are
    missing.
    """
    rest = series[settled.start :]
    total = series.size if total is None else total
    interval = median(rest, schedule.confidence).widened(error, schedule.confidence)
    slices = [float(part.mean()) for part in np.array_split(rest, min(SLICES, rest.size))] if rest.size else [math.nan]
    return Summary(
        interval=interval,
        best=max(slices),
        average=float(rest.mean()) if rest.size else math.nan,
        worst=min(slices),
        start=settled.start,
        total=total,
        steady=settled.steady,
        reasons=tuple(_reasons(interval, settled, schedule, total, lost)),
    )


def enough(block_s: float) -> int:
    """Return how many clean points a summary needs. block_s: seconds that a block was to take."""
    return FEW if block_s >= LONG_S else ENOUGH


def too_wide(interval: Interval, precision: float) -> str:
    """Return why an interval is not precise enough; "" if it is."""
    return "" if interval.relative <= precision else f"{WIDE} {beyond(interval, precision)}"


def _reasons(interval: Interval, settled: Steady, schedule: Schedule, total: int, lost: Lost) -> list[str]:
    if not interval.count:
        return [f"no moment at which all threads worked undisturbed for long enough{lost.busy(total)}"]
    reasons = []
    kept, needed = interval.count + settled.start, enough(schedule.block_s)
    if interval.count < needed:
        why = lost.why(kept, total) or f": {needed} are needed, {LONGER}"
        reasons.append(f"only {interval.count} clean blocks of {total}{why}")
    elif (share := lost.share_of_a_thread(kept, total)) < UNDISTURBED:
        of = "of the thread that is disturbed most " if share > kept / total else ""
        reasons.append(f"only {100 * share:.0f} % of the moments {of}are clean{lost.why(kept, total)}")
    if wide := too_wide(interval, schedule.precision):
        reasons.append(wide)
    if not settled.steady:
        way = {1: "still rising", -1: "still falling"}.get(settled.trend, "it changes")
        reasons.append(f"not steady: {way}")
    return reasons
