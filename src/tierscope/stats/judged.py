"""A whole record, judged: each take by itself, and takes against one another where the experiment requests it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tierscope.record.experiment import Experiment, Schedule
from tierscope.record.machine import Cache
from tierscope.record.result import Blocks, GroupFacts
from tierscope.stats.contrast import CHASER, PROCESSES, Contrast, contrasts, least_rounds
from tierscope.stats.point import Point, judge
from tierscope.stats.repeats import judge_repeats
from tierscope.stats.summary import enough
from tierscope.stats.takes import blocks_of, takes_of
from tierscope.stats.together import SHARED, UNCLEAN
from tierscope.stats.walks import walks


@dataclass(frozen=True, slots=True)
class Judged:
    """`contrasts` is empty where no takes are compared; otherwise these must be sure.

    times: whether the points must be sure, too: a latency under load is a number of its own.
    """

    points: tuple[Point, ...]  # one of each take; groups in the order of the take
    contrasts: tuple[Contrast, ...]
    times: bool = False

    @property
    def conclusive(self) -> bool:
        return all(one.conclusive for one in self._asked)

    @property
    def relative(self) -> float:
        """Return the half-width over the number, of the widest interval that must be sure."""
        ratios = (one.asked.relative for one in self.contrasts)
        rates = (group.interval.relative for point in self._asked_points for group in point.groups)
        return max((*ratios, *rates))

    @property
    def reasons(self) -> tuple[str, ...]:
        """Return why the record is not conclusive, each reason once."""
        return tuple(dict.fromkeys(reason for one in self._asked for reason in one.reasons))

    def share_of_blocks(self, schedule: Schedule) -> float:
        """Return the clean blocks or rounds over those needed, of the number that must be sure and has the fewest.

        schedule: of the visit.
        """
        least = enough(schedule.block_s)
        blocks = (group.interval.count / least for point in self._asked_points for group in point.groups)
        rounds = (one.asked.count / least_rounds(schedule) for one in self.contrasts)
        return min((*blocks, *rounds), default=math.inf)

    @property
    def _asked(self) -> tuple[Contrast | Point, ...]:
        return (*self.contrasts, *self._asked_points)

    @property
    def _asked_points(self) -> tuple[Point, ...]:
        return self.points if self.times or not self.contrasts else ()


def judge_record(
    blocks: Blocks,
    hz: float,
    experiment: Experiment,
    facts: Sequence[GroupFacts],
    ran: Sequence[int],
    caches: Sequence[Cache],
) -> Judged:
    """Return the judgement of a record.

    blocks: all so far, dtype BLOCK; hz: ticks per second; ran: the take of each batch, () where there is one.
    """
    if experiment.schedule.repeats:
        return Judged((judge_repeats(blocks, hz, len(facts), experiment.schedule),), ())
    points = []
    for number, take in enumerate(takes_of(experiment)):
        own = [facts[group] for group in take]
        points.append(
            judge(
                blocks_of(blocks, experiment, ran, number),
                hz,
                len(take),
                experiment.schedule,
                walks(own, caches),
                SHARED if share_cpus(own) or all(one.waits_for == PROCESSES for one in own) else UNCLEAN,
            )
        )
    compared = contrasts(blocks, hz, experiment, facts, ran) if experiment.against else ()
    times = any(group.role == CHASER for group in experiment.groups)
    return Judged(tuple(points), compared, times)


def share_cpus(facts: Sequence[GroupFacts]) -> bool:
    """Return whether threads of these groups share some CPU."""
    cpus = [cpu for one in facts for cpu in one.cpus]
    return len(set(cpus)) < len(cpus)
