"""An experiment whose batches are repeats: each is one point, since the program that ran it reports nothing finer.

    rate of a group in a repeat = operations / (stop - start)      [operations/s]

The median of the repeats and its interval are the result. Six repeats are the fewest whose lowest and highest contain
the median 95 times in 100 (1 - 2 / 2^6). First repeats are cut, up to half of all, where their ranks differ most from
those of the rest. Mann and Whitney's test must confirm this, with its error divided by the number of places at which a
head may end. The rest is steady unless it has a trend: Mann's test shows whether there is one, the medians of the first
and the last third whether it is larger than the precision.
Blind to drifts slower than all repeats together, and to what happens within one.
Sources: H. B. Mann, "Nonparametric Tests Against Trend", Econometrica 13, 1945; H. B. Mann and D. R. Whitney, "On a
Test of Whether One of Two Random Variables is Stochastically Larger than the Other", Annals of Mathematical Statistics
18, 1947.
"""

import math
from statistics import NormalDist

import numpy as np

from tierscope.arrays import Floats
from tierscope.record.experiment import Schedule
from tierscope.record.result import Blocks
from tierscope.stats.median import beyond, median
from tierscope.stats.point import Point
from tierscope.stats.summary import Summary
from tierscope.stats.together import Together, batches

FEWEST = 6  # see above
SURE = 0.95  # of Mann's test, two-sided


def judge_repeats(blocks: Blocks, hz: float, groups: int, schedule: Schedule) -> Point:
    """Return the point of repeats. No block is ever left out.

    blocks: of all batches so far, one or more for each group; hz: ticks per second.
    """
    parts = [blocks[rows] for rows in batches(blocks)] if blocks.size else []
    rates = np.array([[_rate(part, hz, group) for part in parts] for group in range(groups)])
    first = int(blocks["start_ticks"].min()) if blocks.size else 0
    instants = [(int(part["start_ticks"].min()) - first) / hz for part in parts]
    start = max((head(series, schedule.precision) for series in rates), default=0)
    return Point(
        together=Together(
            instants_s=np.array(instants[start:]),
            ages_s=np.zeros(max(len(parts) - start, 0)),
            rates=rates[:, start:].reshape(groups, -1),
            windows=(),
            total=len(parts) - start,
            coverage=(1.0,) * groups,
            filled_errors=(0.0,) * groups,
        ),
        groups=tuple(_summary(series, start, schedule) for series in rates),
    )


def _rate(batch: Blocks, hz: float, group: int) -> float:
    own = batch[batch["group"] == group]
    ticks = int(own["stop_ticks"].max()) - int(own["start_ticks"].min()) if own.size else 0
    return int(own["operations"].sum()) * hz / ticks if ticks > 0 else math.nan


def head(series: Floats, tolerance: float) -> int:
    """Return the repeats to cut from the front, 0 to half of them; the rest has FEWEST at least."""
    most = min(series.size // 2, series.size - FEWEST)
    if most < 1:
        return 0
    scores = [_apart(series[:cut], series[cut:]) for cut in range(1, most + 1)]
    cut = int(np.argmax(scores)) + 1
    sure = scores[cut - 1] > NormalDist().inv_cdf(1 - (1 - SURE) / 2 / most)
    return cut if sure and _material(series[:cut], series[cut:], tolerance) else 0


def _apart(first: Floats, rest: Floats) -> float:
    """Return Mann and Whitney's statistic in standard deviations."""
    wins = float((first[:, None] > rest).sum() + 0.5 * (first[:, None] == rest).sum())
    middle, spread = first.size * rest.size / 2, math.sqrt(first.size * rest.size * (first.size + rest.size + 1) / 12)
    return (abs(wins - middle) - 0.5) / spread


def _material(before: Floats, after: Floats, tolerance: float) -> bool:
    return abs(float(np.median(after) - np.median(before))) > tolerance * abs(float(np.median(after)))


def trend(series: Floats, tolerance: float) -> int:
    """Return +1 or -1 where Mann's test is sure and the outer thirds differ by more than `tolerance`, else 0."""
    count = series.size
    one, other = np.triu_indices(count, 1)
    score = int(np.sign(series[other] - series[one]).sum())
    spread = math.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    if (abs(score) - 1) / spread <= NormalDist().inv_cdf((1 + SURE) / 2):
        return 0
    third = count // 3
    return int(np.sign(score)) if _material(series[:third], series[-third:], tolerance) else 0


def _summary(series: Floats, start: int, schedule: Schedule) -> Summary:
    rest = series[start:]
    direction = trend(rest, schedule.precision) if rest.size >= FEWEST else 0
    interval = median(rest, schedule.confidence)
    reasons = []
    if rest.size < FEWEST:
        reasons.append(f"only {rest.size} repeats: {FEWEST} are needed, give a longer budget")
    if not interval.relative <= schedule.precision:
        reasons.append(f"interval {beyond(interval, schedule.precision)}")
    if direction:
        reasons.append(f"not steady: {'still rising' if direction > 0 else 'still falling'}")
    return Summary(
        interval=interval,
        best=float(rest.max()) if rest.size else math.nan,
        average=float(rest.mean()) if rest.size else math.nan,
        worst=float(rest.min()) if rest.size else math.nan,
        start=start,
        total=int(series.size),
        steady=not direction,
        reasons=tuple(reasons),
    )
