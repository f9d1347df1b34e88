"""An experiment whose batches are repeats: each is one point, since the program that ran it gives nothing finer.

    rate of a group in a repeat = operations / (stop - start)      [operations/s]

The median of the repeats and its interval are the result. Six repeats are the fewest whose lowest and highest hold
the median 95 times in 100 (1 - 2 / 2^6). First repeats are cut, up to half of all, as long as what is left rises or
falls: Mann's test says whether there is a trend, the median of the slopes between all pairs (Theil, Sen) whether it
is larger than the precision. Where half is not enough, the point is not steady.
Blind to drifts slower than all repeats together, and to what happens within one.
Sources: H. B. Mann, "Nonparametric Tests Against Trend", Econometrica 13, 1945; P. K. Sen, "Estimates of the
Regression Coefficient Based on Kendall's Tau", Journal of the American Statistical Association 63, 1968.
"""

import math
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from tierscope.experiment import Schedule
from tierscope.result import Blocks
from tierscope.stats.median import median
from tierscope.stats.point import Point
from tierscope.stats.summary import Summary
from tierscope.stats.together import Together

Floats = npt.NDArray[np.float64]

FEWEST = 6  # see above
SURE = 0.95  # of Mann's test, two-sided


def judge_repeats(blocks: Blocks, hz: float, groups: int, schedule: Schedule) -> Point:
    """blocks: of all batches so far, one or more for each group; hz: ticks per second. No block is ever left out."""
    numbers = np.unique(blocks["batch"])
    rates = np.array([[_rate(blocks, hz, batch, group) for batch in numbers] for group in range(groups)])
    first = int(blocks["start_ticks"].min()) if blocks.size else 0
    instants = [(int(blocks["start_ticks"][blocks["batch"] == batch].min()) - first) / hz for batch in numbers]
    found = [trend_start(series, schedule.precision) for series in rates]
    start = max((cut for cut, _ in found), default=0)
    return Point(
        together=Together(
            instants_s=np.array(instants[start:]),
            ages_s=np.zeros(max(numbers.size - start, 0)),
            rates=rates[:, start:].reshape(groups, -1),
            windows=(),
            total=int(numbers.size) - start,
            coverage=(1.0,) * groups,
        ),
        groups=tuple(_summary(series, start, trend, schedule) for series, (_, trend) in zip(rates, found, strict=True)),
    )


def _rate(blocks: Blocks, hz: float, batch: int, group: int) -> float:
    own = blocks[(blocks["batch"] == batch) & (blocks["group"] == group)]
    ticks = int(own["stop_ticks"].max()) - int(own["start_ticks"].min()) if own.size else 0
    return int(own["operations"].sum()) * hz / ticks if ticks > 0 else math.nan


def trend_start(series: Floats, tolerance: float) -> tuple[int, int]:
    """(repeats to cut from the front, 0 or the direction in which what is left still goes)."""
    for cut in range(max(series.size // 2, 0) + 1):
        rest = series[cut:]
        if rest.size < FEWEST:
            break
        if not trend(rest, tolerance):
            return cut, 0
    return 0, trend(series, tolerance) if series.size >= FEWEST else 0


def trend(series: Floats, tolerance: float) -> int:
    """+1 or -1 where Mann's test is sure and the slope over the whole series is above `tolerance` of the median."""
    count = series.size
    one, other = np.triu_indices(count, 1)
    score = int(np.sign(series[other] - series[one]).sum())
    spread = math.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    if (abs(score) - 1) / spread <= NormalDist().inv_cdf((1 + SURE) / 2):
        return 0
    slope = float(np.median((series[other] - series[one]) / (other - one)))
    large = abs(slope) * (count - 1) > tolerance * abs(float(np.median(series)))
    return int(np.sign(slope)) if large else 0


def _summary(series: Floats, start: int, direction: int, schedule: Schedule) -> Summary:
    rest = series[start:]
    interval = median(rest, schedule.confidence)
    reasons = []
    if rest.size < FEWEST:
        reasons.append(f"only {rest.size} repeats: {FEWEST} are needed, give a longer budget")
    if not interval.relative <= schedule.precision:
        reasons.append(f"interval +-{interval.relative * 100:.1f} % over {schedule.precision * 100:g} %")
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
