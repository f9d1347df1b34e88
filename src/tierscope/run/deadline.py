"""How long each point and each search may last, so that a run with a limit goes through its plan twice.

A point that was visited once has no interval, unless points of its kind that were visited twice show how much the
machine drifts. So the first tour has only FIRST of the limit, where the plan has further visits. How long points last
on this machine is learned from those before, table by table: page faults and large caches can make their set-up
several times as long as `run.expected` states. The searches for loop variants share the time that the measurements of
the first tour leave.

Next to other programs, most moments of a visit are not clean. Then it lasts longer, since another visit would map its
memory again.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from statistics import median

from tierscope.record.experiment import Experiment
from tierscope.run.batches import least_seconds, one_visit
from tierscope.run.climb import LEAST_S, LIMITED_S, LONGEST_S
from tierscope.run.expected import expected_seconds, further_seconds, shortest_seconds
from tierscope.stats.takes import takes_of

FIRST = 0.6  # of the limit
LATER = 0.2  # of the limit, for further visits of a few points of each kind, where others disturb the first tour


class Deadline:
    """The limit of one run, and how long its points took so far. clock: seconds."""

    def __init__(self, limit_s: float, imagined: Sequence[Experiment], clock: Callable[[], float]) -> None:
        self._limit_s, self._clock, self._began = limit_s, clock, clock()
        self._imagined = imagined
        self._further = sum(map(further_seconds, imagined))
        self.alone: dict[int, float] = {}  # seconds of each point that was measured, without its search
        self.mapped: dict[int, float] = {}  # of these, to map and fill its memory
        self._pace: dict[str, list[float]] = defaultdict(list)  # measured over expected, of each point of a table
        self._extra: dict[int, float] = {}  # of a first visit, in seconds: beyond its budget

    @property
    def left_s(self) -> float:
        """Return the seconds until the limit."""
        return self._limit_s - (self._clock() - self._began)

    def took(self, experiment: Experiment, number: int, seconds: float, mapped_s: float) -> None:
        """Learn how long a point lasts, without its search, and others of its table; mapped_s: until it was filled."""
        self.alone[number], self.mapped[number] = seconds, mapped_s
        usual = seconds - self._extra.get(number, 0.0)
        self._pace[experiment.table].append(usual / shortest_seconds(experiment))

    def measured(self, experiment: Experiment, number: int, seconds: float, budget_s: float) -> None:
        """Learn how long the blocks of a first visit took. budget_s: that of each take."""
        self._extra[number] = max(seconds - budget_s * len(takes_of(experiment)), 0.0)

    def budget_s(self, experiment: Experiment, number: int, *, first: bool) -> float:
        """Return the time of each take of a visit: what the rest of the plan leaves, its schedule at most."""
        schedule = one_visit(experiment)
        rest = self._further + sum(map(expected_seconds, self._imagined[number + 1 :])) if first else 0.0
        return max(least_seconds(schedule), min(schedule.budget_s, (self.left_s - rest) / len(takes_of(experiment))))

    def longest_s(self, experiment: Experiment, number: int, *, first: bool) -> float:
        """Return the time of each take of a visit that has too few clean blocks.

        With a limit, the rest of the first tour shares what the limit leaves, but for LATER of it. A visit has the
        budget of all visits of its point at most. Later visits last as long as the first one, so that a tour takes the
        time that is planned for it. Without a limit, the next visits have time.
        """
        budget, takes = self.budget_s(experiment, number, first=first), len(takes_of(experiment))
        if math.isinf(self._limit_s) or experiment.schedule.repeats:
            return budget
        if not first:
            return min(budget + self._extra.get(number, 0.0) / takes, max(budget, self.left_s / takes))
        rest = self._imagined[number + 1 :]
        left = self.left_s - self._shortest_s(rest) - (LATER * self._limit_s if self._further else 0.0)
        return max(budget, min(experiment.schedule.budget_s, budget + left / (1 + len(rest)) / takes))

    def search_s(self, number: int, searches: int) -> float:
        """Return the time of this search. searches: how many there still are, with this one."""
        first = self._limit_s * (FIRST if self._further else 1.0)
        if math.isinf(first):
            return LONGEST_S
        left = first - (self._clock() - self._began) - self._shortest_s(self._imagined[number:])
        return min(max(left / max(searches, 1), LEAST_S), LIMITED_S)

    def _shortest_s(self, experiments: Sequence[Experiment]) -> float:
        """Return the time of first visits that are as short as they may be, on this machine."""
        return sum(shortest_seconds(one) * self._slower(one) for one in experiments)

    def _slower(self, experiment: Experiment) -> float:
        """Return by how much points of this table last longer than expected; 1 where none was measured.

        The median does not contain the page faults of the one point that maps the memory of all.
        """
        return max(median(self._pace[experiment.table] or [1.0]), 1.0)
