"""One experiment's blocks, judged: a summary of the rate of each group at their common clean instants.

After a switch a thread finds its caches filled by others. A working set of 1.4 MiB in a cache of 2 MiB took 3 to
8 ms to come back on a test machine, longer than a busy machine leaves a thread alone: every block was clean, and 20
times too slow. So groups that fit in such a cache must first walk their footprint once (`walks`). What is left is
put in the order of its age (`together`), and the rule that finds a warm-up (`steady`) finds the age from which age
no longer matters; younger instants are left out. If the rate still changes at the highest ages seen, or that of
the oldest twentieth differs from the rest, the point is not conclusive.

Before and after that the warm-up in the order of time is cut, the same for all groups, the longest of any, since a
point is about what they did at the same time. The runner asks all this again and again (the stop rule), tables ask it
of the stored samples.
Blind to a shared cache that neighbours hold all the time.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tierscope.record.experiment import Schedule
from tierscope.record.result import Blocks
from tierscope.stats.steady import Steady, change, settle
from tierscope.stats.summary import Summary, summarise
from tierscope.stats.together import UNCLEAN, Together, together

Floats = npt.NDArray[np.float64]

OLDEST = 20  # points at least: the 99 % interval of their median lies between the fourth and the seventeenth
COLD = "not steady: the rate still changes with the time since the last interruption"


@dataclass(frozen=True, slots=True)
class Seen:
    """How often a point was visited, and what its intervals are made of."""

    visits: int  # that the numbers are made of
    between_share: float | None  # of the squared half-width, what is between visits; None where nothing says so
    degrees: float | None  # of freedom, the fewest of its groups; likewise
    left_out_share: float  # mean of all visits
    more_blocks: int  # of all visits but the first


@dataclass(frozen=True, slots=True)
class Point:
    """Summaries are of rates in operations/s, in the order of the groups."""

    together: Together  # without the instants that were too young; of the first visit that counts
    groups: tuple[Summary, ...]
    seen: Seen | None = None  # where the plan asked for visits; None of one visit

    @property
    def conclusive(self) -> bool:
        return all(group.conclusive for group in self.groups)

    @property
    def left_out_share(self) -> float:
        """Of the moments, those that are left out because a thread was disturbed, in all visits."""
        return self.seen.left_out_share if self.seen else self.together.left_out_share

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why not, of all groups, each reason once, in the order of the groups."""
        return tuple(dict.fromkeys(reason for group in self.groups for reason in group.reasons))


def judge(
    blocks: Blocks,
    hz: float,
    groups: int,
    schedule: Schedule,
    walks: tuple[float, ...] = (),
    unclean: int = UNCLEAN,
) -> Point:
    """blocks: all of one take so far, dtype BLOCK; hz: ticks per second; groups: how many the take has.

    walks, unclean: as `together`; walks are those of `stats.walks` for hardware, () where there is no cache to warm.
    """
    common = together(blocks, hz, groups, walks, unclean)
    settled = [settle(series, schedule.precision) for series in common.rates]
    rest, warm = _warm(_kept(common, slice(_longest(settled), None)), schedule.precision)
    if rest.instants_s.size < common.instants_s.size:
        common, settled = rest, [settle(series, schedule.precision) for series in rest.rates]
    start = _longest(settled)
    summaries = [
        summarise(series, Steady(start, one.steady, one.trend), schedule, common.total, error)
        for series, one, error in zip(common.rates, settled, common.filled_errors, strict=True)
    ]
    return Point(
        together=common,
        groups=tuple(
            one if steady else replace(one, steady=False, reasons=(*one.reasons, COLD))
            for one, steady in zip(summaries, warm, strict=True)
        ),
    )


def _warm(common: Together, precision: float) -> tuple[Together, list[bool]]:
    """Without the instants too young for any group; and for each group whether its rate has settled by age."""
    order = np.argsort(common.ages_s, kind="stable")
    series = common.rates[:, order]
    settled = [settle(one, precision) for one in series]
    start = _longest(settled)
    steady = [
        found.steady and not _differs_at_last(one[start:], precision)
        for one, found in zip(series, settled, strict=True)
    ]
    return _kept(common, np.sort(order[start:])), steady


def _differs_at_last(series: Floats, precision: float) -> bool:
    """Whether the oldest twentieth has a rate of its own."""
    last = max(OLDEST, series.size // 20)
    return series.size >= 2 * last and change(series[:-last], series[-last:], precision) != 0


def _longest(settled: Sequence[Steady]) -> int:
    """Points to cut from all groups."""
    return max((one.start for one in settled), default=0)


def _kept(common: Together, which: slice | npt.NDArray[np.intp]) -> Together:
    return replace(
        common,
        instants_s=common.instants_s[which],
        ages_s=common.ages_s[which],
        rates=common.rates[:, which],
    )


def steady_from(point: Point) -> float:
    """End of the warm-up in s since the first block of the record; infinite where nothing counts."""
    start = max((group.start for group in point.groups), default=0)
    instants = point.together.instants_s
    return float(instants[start]) if start < instants.size else math.inf
