"""The visits of all points of a run, put together: what each point is, by its own visits and by those of its kind.

Points of one kind drift alike: the same table, operation, location, page size, number of threads, groups at the same
time, and the same cache that the footprint of a thread fits into. A kind with too few points takes all of its table
and operation.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence

from tierscope.record.machine import Cache
from tierscope.record.result import GroupFacts, Record, Run
from tierscope.stats.drift import FEWEST, Drift, Spread, drift_of
from tierscope.stats.judged import Judged
from tierscope.stats.point import Point
from tierscope.stats.takes import takes_of
from tierscope.stats.visited import spreads, visited

Kind = tuple[object, ...]
Judge = Callable[[Record], Judged]


def is_visited(record: Record) -> bool:
    """Whether the plan asked for visits of this point; not so in runs of versions that knew none."""
    return record.experiment.schedule.visits > 0


def visited_points(run: Run, judge: Judge) -> dict[int, Judged]:
    """Return each point that the plan wants visited, by the number of its record. judge: of one visit alone."""
    visits = {record.number: [record] for record in run.result.records if is_visited(record)}
    for visit in run.result.visits:
        visits[visit.number].append(visit)
    points = {number: _by_take([judge(one) for one in own]) for number, own in visits.items()}
    drifts = _Drifts(run.result.machine.identity.caches)
    for number, takes in points.items():
        drifts.add(visits[number][0], takes)
    return {number: _judged(visits[number], takes, drifts) for number, takes in points.items()}


def _by_take(found: Sequence[Judged]) -> list[list[Point]]:
    return [list(points) for points in zip(*(one.points for one in found), strict=True)]


def _judged(visits: Sequence[Record], takes: Sequence[Sequence[Point]], drifts: "_Drifts") -> Judged:
    record, more = visits[0], sum(visit.blocks for visit in visits[1:])
    schedule = record.experiment.schedule
    points = tuple(
        visited(points, drifts.of(record, take), schedule, more)
        for points, take in zip(takes, takes_of(record.experiment), strict=True)
    )
    return Judged(points, ())


class _Drifts:
    """The drift of each kind of a run."""

    def __init__(self, caches: Sequence[Cache]) -> None:
        self._caches = caches
        self._spreads: dict[Kind, list[Spread]] = defaultdict(list)
        self._known: dict[Kind, Drift | None] = {}

    def add(self, record: Record, takes: Sequence[Sequence[Point]]) -> None:
        """Add the visits of one point; all are added before the first is asked for."""
        for points, take in zip(takes, takes_of(record.experiment), strict=True):
            own = spreads(points, record.experiment.schedule)
            for group, found in zip(take, own, strict=True):
                if found is not None:
                    for kind in kinds(record, take, group, self._caches):
                        self._spreads[kind].append(found)

    def of(self, record: Record, take: Sequence[int]) -> list[Drift | None]:
        """Return the drift for each group of a take."""
        return [self._of(kinds(record, take, group, self._caches)) for group in take]

    def _of(self, known: Sequence[Kind]) -> Drift | None:
        kind = next((one for one in known if len(self._spreads[one]) >= FEWEST), known[-1])
        if kind not in self._known:
            self._known[kind] = drift_of(self._spreads[kind])
        return self._known[kind]


def kinds(record: Record, take: Sequence[int], group: int, caches: Sequence[Cache]) -> tuple[Kind, Kind]:
    """Return the kind of a group, and the larger one that stands in for it."""
    facts, asked = record.groups[group], record.experiment.groups[group]
    coarse = (record.experiment.table, facts.operation)
    place = (facts.target, facts.source, asked.target.pages, len(facts.cpus), len(take))
    return (*coarse, *place, level_of(facts, caches)), coarse


def level_of(facts: GroupFacts, caches: Sequence[Cache]) -> int:
    """Return the first level of cache that the footprint of a thread fits into; 0: it is in memory."""
    share = facts.footprint_bytes / max(len(facts.cpus), 1)
    fitting = [one.level for one in caches if one.kind != "Instruction" and share <= one.size_bytes]
    return min(fitting, default=0)
