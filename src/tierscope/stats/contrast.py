"""A victim beside others against the same victim without them, round by round.

In each round every take runs once, in an order that turns round from one round to the next (0 1 2, 2 1 0, ...), so
that a machine that drifts slows all takes alike. A round gives one ratio of each take,

    x = ln(seconds per operation in the take / seconds per operation in the take that it is compared with)

and the slowdown is exp of the Hodges-Lehmann estimate: the median of the means of all pairs of x, each with itself
too. Its interval runs between the order statistics of these means that Wilcoxon's signed-rank test does not reject:
it asks for rounds that are independent and for x spread evenly to both sides, not for a normal distribution, so one
spoilt round moves it little.

Blind to a machine that changes within a round, and to what differs between the takes besides the others' work
(a warmer package, a lower clock): that is part of what neighbours do.
Sources: J. L. Hodges and E. L. Lehmann, "Estimates of Location Based on Rank Tests", Annals of Mathematical
Statistics 34, 1963; F. Wilcoxon, "Individual Comparisons by Ranking Methods", Biometrics Bulletin 1, 1945.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tierscope.experiment import Experiment, Schedule
from tierscope.result import SIZING, Blocks, GroupFacts
from tierscope.stats.median import Interval
from tierscope.stats.takes import batches_of, blocks_of
from tierscope.stats.together import together

Floats = npt.NDArray[np.float64]

VICTIM = "victim"  # the role of the groups whose time is compared
ROUNDS = 8  # least: with five or fewer, no interval of signed ranks holds 95 %


@dataclass(frozen=True, slots=True)
class Contrast:
    """One take. `ratio` of a take that is compared with itself is exactly 1."""

    seconds: Interval  # of one operation of a victim, the mean over the victims of the take
    ratio: Interval  # of seconds, to the take it is compared with; `count` is the number of rounds
    reasons: tuple[str, ...]  # why it is inconclusive; () is conclusive

    @property
    def conclusive(self) -> bool:
        return not self.reasons


def contrasts(
    blocks: Blocks, hz: float, experiment: Experiment, facts: Sequence[GroupFacts], ran: Sequence[int]
) -> tuple[Contrast, ...]:
    """One for each take. blocks: all of the record so far; ran: the take of each batch.

    `seconds` counts one whole task of victims that run tasks, one operation of other kernels.
    """
    times = [_seconds(blocks_of(blocks, experiment, ran, take), hz, experiment, facts, ran, take)
             for take in range(len(experiment.takes))]  # fmt: skip
    return tuple(
        _contrast(times[base], times[take], base == take, experiment.schedule)
        for take, base in enumerate(experiment.against)
    )


def _contrast(base: Floats, own: Floats, same: bool, schedule: Schedule) -> Contrast:
    rounds = min(base.size, own.size)
    known = np.flatnonzero(np.isfinite(base[:rounds]) & np.isfinite(own[:rounds]))
    logs = np.log(own[known] / base[known])
    own_logs = np.log(own[np.isfinite(own)])
    ratio = Interval(1.0, 1.0, 1.0, int(known.size)) if same else _exp(signed_rank(logs, schedule.confidence))
    return Contrast(_exp(signed_rank(own_logs, schedule.confidence)), ratio, tuple(_reasons(ratio, schedule)))


def _reasons(ratio: Interval, schedule: Schedule) -> list[str]:
    if ratio.count < ROUNDS:
        return [f"only {ratio.count} rounds of {ROUNDS}"]
    if not ratio.relative <= schedule.precision:
        return [f"slowdown +-{ratio.relative * 100:.1f} % over {schedule.precision * 100:g} %"]
    return []


def _exp(logs: Interval) -> Interval:
    return Interval(math.exp(logs.low), math.exp(logs.middle), math.exp(logs.high), logs.count)


def _seconds(
    blocks: Blocks,
    hz: float,
    experiment: Experiment,
    facts: Sequence[GroupFacts],
    ran: Sequence[int],
    take: int,
) -> Floats:
    """Seconds per operation in each round, mean over the victims; NaN where no victim worked undisturbed."""
    groups = experiment.takes[take]
    watched = [place for place, group in enumerate(groups) if experiment.groups[group].role == VICTIM]
    tasks = all(facts[groups[place]].operation == "task" for place in watched)
    values = []
    for batch in batches_of(ran, take):
        part = blocks[blocks["batch"] == batch]
        each = _task_seconds(part, hz, watched) if tasks else _hop_seconds(part, hz, len(groups), watched)
        values.append(float(np.mean(each)))
    return np.array(values)


def _task_seconds(part: Blocks, hz: float, watched: list[int]) -> list[float]:
    """A task is far longer than a time slice: it is taken as it was, interruptions and all."""
    own = [part[(part["group"] == place) & ((part["flags"] & SIZING) == 0)] for place in watched]
    return [
        float(np.sum(one["stop_ticks"] - one["start_ticks"]) / hz / np.sum(one["operations"])) if one.size else math.nan
        for one in own
    ]


def _hop_seconds(part: Blocks, hz: float, groups: int, watched: list[int]) -> list[float]:
    rates = together(part, hz, groups).rates
    return [1 / float(np.median(rates[place])) if rates.shape[1] else math.nan for place in watched]


def signed_rank(series: Floats, confidence: float) -> Interval:
    """Hodges-Lehmann estimate with its interval; series of shape (points,). All there is where points are too few."""
    count = series.size
    if count == 0:
        return Interval(math.nan, math.nan, math.nan, 0)
    first, second = np.triu_indices(count)
    means = np.sort((series[first] + series[second]) / 2)
    cut = _rejected(count, (1 - confidence) / 2)
    return Interval(float(means[cut]), float(np.median(means)), float(means[means.size - 1 - cut]), count)


def _rejected(count: int, share: float) -> int:
    """How many of the smallest means lie below the interval: the largest k with P(W <= k) <= share, 0 if none."""
    ways = np.ones(1)
    for rank in range(1, count + 1):  # of each sum of ranks, the share of signs that give it
        longer = np.zeros(ways.size + rank)
        longer[: ways.size] += ways / 2
        longer[rank:] += ways / 2
        ways = longer
    below = np.cumsum(ways)  # below[k] = P(W <= k)
    return max(int(np.searchsorted(below, share, side="right")) - 1, 0)
