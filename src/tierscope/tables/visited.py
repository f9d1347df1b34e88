"""The visits of all points of a run, put together: what each point is, by its own visits and by those of its kind.

A point has the rates of its groups; a comparison of takes, their times and ratios; and a table may make a number of
its own of each visit, as a percentile. Each of them is pooled over the visits, with the drift that the same quantity
shows in the points of its kind.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from tierscope.record.earlier import Between
from tierscope.record.result import Record, Run
from tierscope.stats.background import shares_memory, slowed
from tierscope.stats.between_runs import until_known
from tierscope.stats.contrast import Contrast
from tierscope.stats.judged import Judged
from tierscope.stats.mappings import Pair, between_mappings
from tierscope.stats.median import Interval
from tierscope.stats.point import Point
from tierscope.stats.takes import takes_of
from tierscope.stats.visited import Changes, spreads, used, visited
from tierscope.stats.visited_contrast import counted, visited_contrast
from tierscope.stats.visits import pool, spread
from tierscope.tables.drifts import Drifts, Kind, kinds, own_word, word_of

Judge = Callable[[Record], Judged]
Measure = Callable[[Record], Interval | None]


def is_visited(record: Record) -> bool:
    """Return whether the plan has visits of this point, which runs of older versions do not have."""
    return record.experiment.schedule.visits > 0


class Visited:
    """Each point that the plan wants visited, as all its visits. judge: one visit alone."""

    def __init__(self, run: Run, judge: Judge) -> None:
        self._visits = {record.number: [record] for record in run.result.records if is_visited(record)}
        for visit in run.result.visits:
            self._visits[visit.number].append(visit)
        self._alone = {number: [judge(one) for one in visits] for number, visits in self._visits.items()}
        self._caches, self._cpus = run.result.machine.identity.caches, run.result.machine.identity.cpus
        earlier = run.result.earlier
        self._between = None if earlier is None else {one.kind: one for one in earlier.kinds}
        self._assumed = None if earlier is None else earlier.assumed
        self._pairs = self._repeated(run, judge)
        self._measured: dict[tuple[str, str], dict[int, Interval]] = {}
        self._judged = self._together()

    def __contains__(self, record: Record) -> bool:
        return record.number in self._judged

    def judged(self, record: Record) -> Judged:
        """Return a point as all its visits show it."""
        return self._judged[record.number]

    def visits(self, record: Record) -> list[Record]:
        """Return the visits that the numbers of a point are made of."""
        own = self._visits[record.number]
        return [own[number] for number in self._used(record.number)]

    def measured(self, record: Record, what: str, of: Measure) -> Interval | None:
        """Return a number that its table makes of each visit, of all visits; None where no visit has it.

        what: names it among the numbers of its table; of: makes it of one visit.
        """
        table = record.experiment.table
        if (table, what) not in self._measured:
            self._measured[table, what] = self._pooled(table, of)
        return self._measured[table, what].get(record.number)

    def _together(self) -> dict[int, Judged]:
        rates, times, ratios = (Drifts(self._caches) for _ in range(3))
        for number, alone in self._alone.items():
            first, tours = self._visits[number][0], self._tours(number)
            for take, points in zip(takes_of(first.experiment), _by_take(alone), strict=True):
                for group, found in zip(take, spreads(points, first.experiment.schedule, tours), strict=True):
                    rates.add(first, take, group, found)
            for take, contrasts in zip(first.experiment.takes, _contrasts(alone), strict=False):
                _add(times, first, take, contrasts, tours, lambda one: one.seconds)
                _add(ratios, first, take, contrasts, tours, lambda one: one.ratio)
        return {
            number: replace(
                alone[0], points=self._points(number, rates), contrasts=self._compared(number, times, ratios)
            )
            for number, alone in self._alone.items()
        }

    def _tours(self, number: int) -> list[int]:
        return [visit.moment for visit in self._visits[number]]

    def _points(self, number: int, rates: Drifts) -> tuple[Point, ...]:
        record, *others = self._visits[number]
        schedule, more = record.experiment.schedule, sum(visit.blocks for visit in others)
        return tuple(
            visited(
                points,
                schedule,
                more,
                [
                    Changes(
                        drift=rates.of(record, take, group),
                        between=self._between_runs(record, place, take, group),
                        mapping=self._between_mappings(record, take, group),
                        slowed=self._slowed(record, group),
                    )
                    for group in take
                ],
            )
            for place, (take, points) in enumerate(
                zip(takes_of(record.experiment), _by_take(self._alone[number]), strict=True)
            )
        )

    def _between_runs(self, record: Record, place: int, take: Sequence[int], group: int) -> Between | None:
        """Return what earlier runs show of a group; None where the run did not look for them. place: of the take.

        The larger kind mixes memory and caches, and states nothing about a core's own caches.
        """
        if self._between is None:
            return None
        shared = shares_memory(record.groups[group], self._caches, self._cpus)
        kind, larger = map(word_of, kinds(record, take, group, self._caches))
        words = own_word(record.experiment, place, group), kind, *((larger,) if shared else ())
        known = next((self._between[word] for word in words if word in self._between), Between())
        return until_known(known, self._assumed if shared else None)

    def _slowed(self, record: Record, group: int) -> list[float]:
        """Return by how much others may have slowed each visit of a group, as logarithms."""
        visits = self._visits[record.number]
        if not shares_memory(record.groups[group], self._caches, self._cpus):
            return [0.0] * len(visits)
        return [slowed(visit.background, len(self._cpus)) for visit in visits]

    def _repeated(self, run: Run, judge: Judge) -> dict[Kind, list[Pair]]:
        """Return the visits that were repeated in memory that was mapped again, of each kind."""
        pairs: dict[Kind, list[Pair]] = defaultdict(list)
        for again in run.result.repeated:
            own, takes = self._visits.get(again.number, []), takes_of(again.experiment)
            if not 0 < again.visit < len(own):
                continue
            both = [self._alone[again.number][again.visit].points, judge(again).points]
            for take, first, second in zip(takes, *both, strict=True):
                for place, group in enumerate(take):
                    kind, _ = kinds(again, take, group, self._caches)
                    pairs[kind].append((first.groups[place].interval, second.groups[place].interval))
        return pairs

    def _between_mappings(self, record: Record, take: Sequence[int], group: int) -> float | None:
        """Return the variance from mapping to mapping of the points of this kind; None where it is not known."""
        kind, _ = kinds(record, take, group, self._caches)
        return between_mappings(self._pairs.get(kind, []), record.experiment.schedule.confidence)

    def _compared(self, number: int, times: Drifts, ratios: Drifts) -> tuple[Contrast, ...]:
        record = self._visits[number][0]
        return tuple(
            visited_contrast(
                contrasts,
                (times.of(record, take, take[0]), ratios.of(record, take, take[0])),
                record.experiment.schedule,
            )
            for take, contrasts in zip(record.experiment.takes, _contrasts(self._alone[number]), strict=False)
        )

    def _used(self, number: int) -> list[int]:
        alone, schedule = self._alone[number], self._visits[number][0].experiment.schedule
        if alone[0].contrasts:
            return counted([one.contrasts[-1] for one in alone], schedule)
        return used([one.points[0] for one in alone], schedule.precision)

    def _pooled(self, table: str, of: Measure) -> dict[int, Interval]:
        drifts, known = Drifts(self._caches), {}
        for number, visits in self._visits.items():
            first = visits[0]
            if first.experiment.table != table:
                continue
            found = {
                visits[used].moment: one
                for used in self._used(number)
                if (one := of(visits[used])) is not None and one.count
            }
            if found:
                known[number] = list(found.values())
                own = spread(known[number], first.experiment.schedule.confidence, list(found))
                drifts.add(first, takes_of(first.experiment)[0], 0, own)
        return {number: self._number(self._visits[number][0], own, drifts) for number, own in known.items()}

    def _number(self, record: Record, visits: Sequence[Interval], drifts: Drifts) -> Interval:
        """Return the interval of all visits, as if there were no earlier runs: they keep the rates of points.

        One visit alone keeps its interval where no drift is known, as its point does.
        """
        drift = drifts.of(record, takes_of(record.experiment)[0], 0)
        found = pool(visits, drift, record.experiment.schedule.confidence, None if self._between is None else Between())
        return found.interval if found else visits[0]


def _by_take(found: Sequence[Judged]) -> list[list[Point]]:
    return [list(points) for points in zip(*(one.points for one in found), strict=True)]


def _contrasts(found: Sequence[Judged]) -> list[list[Contrast]]:
    return [list(contrasts) for contrasts in zip(*(one.contrasts for one in found), strict=True)]


def _add(
    drifts: Drifts,
    first: Record,
    take: Sequence[int],
    visits: Sequence[Contrast],
    tours: Sequence[int],
    of: Callable[[Contrast], Interval],
) -> None:
    """Add one number of a comparison; not the 1 of a take that is compared with itself."""
    schedule = first.experiment.schedule
    chosen = counted(visits, schedule)
    own = [of(visits[used]) for used in chosen]
    if any(one.relative > 0 for one in own):
        drifts.add(first, take, take[0], spread(own, schedule.confidence, [tours[used] for used in chosen]))
