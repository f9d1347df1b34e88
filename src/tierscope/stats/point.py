"""One experiment's blocks, judged: a summary of the rate of each group at their common clean instants.

After a switch a thread finds its caches filled by others. A working set of 1.4 MiB in a cache of 2 MiB took 3 to 8 ms
to come back on a test machine. A busy machine does not leave a thread undisturbed for this time: every block was clean,
and 20 times too slow. So groups that fit in such a cache must first walk their footprint once (`walks`). The remaining
instants are sorted by age (`together`), and the rule that finds a warm-up (`steady`) finds the age from which age no
longer matters; younger instants are left out. If the rate still changes at the highest ages, or that of the oldest
twentieth differs from the rest, the point is not conclusive.

Before and after that, the warm-up in the order of time is cut. The cut is the longest of any group for all groups,
since a point describes what they did at the same time. The runner repeats all this (the stop rule), and tables do it
for the stored samples.
Blind to a shared cache that neighbours fill all the time.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tierscope.arrays import Floats, Places
from tierscope.record.experiment import Schedule
from tierscope.record.result import Blocks
from tierscope.stats.between_runs import Once
from tierscope.stats.steady import Steady, change, settle
from tierscope.stats.summary import Summary, summarise
from tierscope.stats.together import UNCLEAN, Together, together

OLDEST = 20  # points at least: the 99 % interval of their median is between the fourth and the seventeenth
COLD = "not steady: the rate still changes with the time since the last interruption"


@dataclass(frozen=True, slots=True)
class Seen:
    """How often a point was visited, and the origin of its intervals."""

    visits: int  # behind the numbers
    between_share: float | None  # of the squared half-width, the part between visits; None if not known
    slow_share: float | None  # of the same, the part between runs; None if not known
    mapping_share: float | None  # the part of between_share that mappings make; None if not looked for
    degrees: float | None  # of freedom, the fewest of its groups; None if not known
    left_out_share: float  # mean of all visits
    more_blocks: int  # of all visits but the first
    own: tuple[Once, ...]  # the number of each group as this run alone shows it; () if there are doubts or none


@dataclass(frozen=True, slots=True)
class Point:
    """Summaries are of rates in operations/s, in the order of the groups."""

    together: Together  # without the instants that were too young; of the first visit that counts
    groups: tuple[Summary, ...]
    seen: Seen | None = None  # where the plan has visits; None for one visit

    @property
    def conclusive(self) -> bool:
        return all(group.conclusive for group in self.groups)

    @property
    def left_out_share(self) -> float:
        """Return the share of the moments left out because a thread was disturbed, in all visits."""
        return self.seen.left_out_share if self.seen else self.together.left_out_share

    @property
    def reasons(self) -> tuple[str, ...]:
        """Return why the point is not conclusive, for all groups, each reason once, in the order of the groups."""
        return tuple(dict.fromkeys(reason for group in self.groups for reason in group.reasons))


def judge(
    blocks: Blocks,
    hz: float,
    groups: int,
    schedule: Schedule,
    walks: tuple[float, ...] = (),
    unclean: int = UNCLEAN,
) -> Point:
    """Return the point of one take. blocks: all of it so far, dtype BLOCK; hz: ticks per second; groups: number in the
    take.

    walks, unclean: as `together`; walks are those of `stats.walks` for hardware, () where there is no cache to warm.
    """
    common = together(blocks, hz, groups, walks, unclean)
    settled = [settle(series, schedule.precision) for series in common.rates]
    rest, warm = _warm(_kept(common, slice(_longest(settled), None)), schedule.precision)
    if rest.instants_s.size < common.instants_s.size:
        common, settled = rest, [settle(series, schedule.precision) for series in rest.rates]
    start = _longest(settled)
    summaries = [
        summarise(series, Steady(start, one.steady, one.trend), schedule, common.total, error, common.lost)
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
    """Return the series without the instants too young for any group; and whether each group's rate has
    settled by age.
    """
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
    """Return whether the oldest twentieth has a rate of its own."""
    last = max(OLDEST, series.size // 20)
    return series.size >= 2 * last and change(series[:-last], series[-last:], precision) != 0


def _longest(settled: Sequence[Steady]) -> int:
    """Return the points to cut from all groups."""
    return max((one.start for one in settled), default=0)


def _kept(common: Together, which: slice | Places) -> Together:
    return replace(
        common,
        instants_s=common.instants_s[which],
        ages_s=common.ages_s[which],
        rates=common.rates[:, which],
    )


def steady_from(point: Point) -> float:
    """Return the end of the warm-up in s since the first block of the record; infinite where nothing counts."""
    start = max((group.start for group in point.groups), default=0)
    instants = point.together.instants_s
    return float(instants[start]) if start < instants.size else math.inf
