"""The points that are visited next, after the first tour through the plan.

First each point gets the visits that its plan asks for, one tour through the whole plan after the other, so that the
visits of a point are spread over the run. Then points that are not sure are visited more often, in rounds: in a run
with a limit until that, else while all visits of a point fit into its budget. Points of one visit come first, then the
widest that further visits can make sure.

The limit may leave too little time for all tours. Then most points get a second visit, and a few of each kind get all
their visits: two tours may agree by chance, and a third one shows what all points of a tour have in common. If the time
does not suffice for both, the longest points are left out, then the third visits. If it does not suffice for most
points, or for a third of a kind, only the few get their visits: the drift of a kind is known from these. If it does not
suffice for the few either, whole kinds are left out. Points of one visit rest on the few alone, so that one odd point
among these widens them all. That is why most points get two visits if the time allows. The time that is left goes to
points that are not sure.

Points that are chosen follow each other as in the plan: neighbours there share memory, which costs more to map than
many a point lasts. Each tour maps it once more, at the first of these points that it visits.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from tierscope.record.result import Record, Run
from tierscope.run.durations import Durations, Tour
from tierscope.stats.drift import FEWEST
from tierscope.stats.takes import takes_of
from tierscope.stats.visited import SLOWED
from tierscope.tables.drifts import Kind, kinds, kinds_of
from tierscope.tables.measured import judged
from tierscope.tables.visited import is_visited

MANY = 0.7  # of the points of a tour: as many show the drift of all kinds
A_THIRD = 1 / 3  # of the points of each larger kind: fewer show less than a sample with all its visits
MOST = 9  # visits of a point: an interval is then 1/3 as wide as of one


class Visits:
    """The visits of a run so far.

    alone: seconds of first visits without their searches, by the number of the point; mapped: of these, until its
    memory was mapped and filled. Both may be unknown, as after an interruption.
    """

    def __init__(self, run: Run, alone: Mapping[int, float] | None = None, mapped: Mapping[int, float] | None = None):
        self._run = run
        self._durations = Durations(run.result.records, run.result.visits, alone or {}, mapped or {})
        self._own: dict[int, list[Record]] = {r.number: [r] for r in run.result.records if is_visited(r)}
        for visit in run.result.visits:
            self._own[visit.number].append(visit)

    @property
    def tour(self) -> int:
        """Return the number of the next tour: each has its own process, so an interrupted one is over."""
        return 1 + max((visit.moment for visit in self._run.result.visits), default=0)

    def next_tour(self, left_s: float) -> list[Record]:
        """Return the points that the next tour visits, in its order; () where no visit is missing or fits.

        left_s: seconds that are left for all that is to come.
        """
        missing = [own for own in self._own.values() if len(own) < own[0].experiment.schedule.visits]
        fewest = min(map(len, missing), default=0)
        due = [own[0] for own in missing if len(own) == fewest]
        tour_s = self._durations.tour_s(due)
        if tour_s * self._tours(due) <= left_s:
            return due
        if self._most_have_two():
            return self._fitting(self._sample([own[0] for own in missing if len(own) > 1]), left_s)
        few = self._sample([own[0] for own in missing])
        if most := self._most(due, left_s, sampled=True) or self._most(due, left_s):
            return most
        fitting = self._fitting(few, left_s)
        return fitting if len(fitting) == len(few) else self._most(due, left_s, fewest=0) or fitting

    def _tours(self, records: Sequence[Record]) -> int:
        """Return how many tours these points still need."""
        return max((r.experiment.schedule.visits - len(self._own[r.number]) for r in records), default=0)

    def second_look(self, left_s: float) -> list[Record]:
        """Return the points that are not sure, the urgent ones if time is short; left_s: as for `next_tour`."""
        limited = math.isfinite(left_s)
        doubtful = [
            own
            for own in self._own.values()
            if own[0].experiment.schedule.visits > 1
            and len(own) < MOST
            and (limited or self._has_time(own))
            and not judged(self._run, own[0]).conclusive
        ]
        return self._fitting([own[0] for own in sorted(doubtful, key=self._urgency)], left_s)

    def number(self, record: Record) -> int:
        """Return the number of the next visit of a point."""
        return len(self._own[record.number])

    def within(self, due: Sequence[Record], left_s: Callable[[], float]) -> Iterator[Record]:
        """Yield those of a tour for which the seconds that are left suffice, when their turn comes."""
        tour = Tour(self._durations)
        for record in due:
            if tour.cost_s(record) <= left_s():
                tour.add(record)
                yield record

    def _has_time(self, own: Sequence[Record]) -> bool:
        """Return whether all visits and another one, with their set-up, fit into the point's budget."""
        total_s = sum(visit.seconds for visit in own) + self._durations.tour_s(own[:1])
        return total_s <= own[0].experiment.schedule.budget_s

    def _urgency(self, own: Sequence[Record]) -> tuple[int, float]:
        """Return the place of a point among those that are not sure, the most urgent lowest.

        An interval becomes narrower with the root of the number of visits, and a point has MOST visits at most. Next to
        others that may have slowed the point, it does not.
        """
        found = judged(self._run, own[0])
        hopeless = found.relative * math.sqrt(len(own) / MOST) > own[0].experiment.schedule.precision
        slowed = any(reason.endswith(SLOWED) for reason in found.reasons)
        return (0 if len(own) == 1 else 2 if hopeless or slowed else 1), -found.relative

    def _fitting(self, wanted: Sequence[Record], left_s: float) -> list[Record]:
        """Return those that there is time for, the first ones before others, in the order of the plan."""
        chosen, tour = [], Tour(self._durations)
        for record in wanted:
            if tour.cost_s(record) <= left_s:
                chosen.append(record)
                left_s -= tour.add(record)
        return sorted(chosen, key=lambda record: record.number)

    def _most_have_two(self) -> bool:
        """Return whether MANY of the points that are visited again have an interval of their own."""
        counts = [len(own) for own in self._own.values() if own[0].experiment.schedule.visits > 1]
        return sum(count > 1 for count in counts) >= MANY * len(counts)

    def _most(
        self, due: Sequence[Record], left_s: float, *, sampled: bool = False, fewest: int = FEWEST
    ) -> list[Record]:
        """Return a tour without its longest points, which are large footprints; [] where less than MANY of it fit.

        sampled: whether the tour leaves time for the other visits of a sample of it; fewest: points that each larger
        kind keeps, the shortest ones, since it has no interval without them.
        """
        shares = self._durations.shares_s(due)
        kept_of: Counter[Kind] = Counter()
        places: dict[int, tuple[bool, float]] = {}
        for record in sorted(due, key=lambda record: shares[record.number]):
            larger = self._larger(record)
            places[record.number] = all(kept_of[kind] >= fewest for kind in larger), shares[record.number]
            kept_of.update(larger)
        shortest = sorted(due, key=lambda record: places[record.number])
        for count in range(len(due), math.ceil(MANY * len(due)) - 1, -1):
            kept = sorted(shortest[:count], key=lambda record: record.number)
            sample = self._sample(kept) if sampled else []
            more_s = (self._tours(sample) - 1) * self._durations.tour_s(sample) if sample else 0.0
            if self._durations.tour_s(kept) + more_s <= left_s:
                return kept if fewest == 0 or self._of_each(due, kept) else []
        return []

    def _of_each(self, due: Sequence[Record], kept: Sequence[Record]) -> bool:
        """Return whether a tour keeps A_THIRD of the points of each larger kind."""
        every, left = (Counter(kind for record in records for kind in self._larger(record)) for records in (due, kept))
        return all(left[kind] >= A_THIRD * count for kind, count in every.items())

    def _sample(self, records: Sequence[Record]) -> list[Record]:
        """Return FEWEST of these points for each larger kind, which replaces a kind with few points, one kind after the
        other; fewer where points of the kind have all their visits.

        Without them, no point of a kind has an interval. A drift from two visits has few degrees of freedom.
        """
        full: Counter[Kind] = Counter()
        for own in self._own.values():
            if len(own) >= max(own[0].experiment.schedule.visits, 2):
                full.update(self._larger(own[0]))
        sample = []
        for record in self._kind_by_kind(records):
            larger = self._larger(record)
            if any(full[kind] < FEWEST for kind in larger):
                full.update(larger)
                sample.append(record)
        return sample

    def _kind_by_kind(self, due: Sequence[Record]) -> list[Record]:
        """Return one point of each kind, then another of each, and so on, chosen independently of their durations.

        The shortest ones would be alike, as small footprints and few threads are, and would state their own drift as
        that of the kind.
        """
        own: dict[Kind, list[Record]] = defaultdict(list)
        for record in due:
            own[self._kinds(record)[0]].append(record)
        turns: dict[int, list[Record]] = defaultdict(list)
        for records in own.values():
            for turn, place in enumerate(spread_out(len(records))):
                turns[turn].append(records[place])
        return [record for turn in sorted(turns) for record in turns[turn]]

    def _larger(self, record: Record) -> set[Kind]:
        """Return the larger kinds of all groups: a chaser next to a load has a kind, and the load has another."""
        caches, takes = self._run.result.machine.identity.caches, takes_of(record.experiment)
        return {kinds(record, take, group, caches)[1] for take in takes for group in take}

    def _kinds(self, record: Record) -> tuple[Kind, Kind]:
        """Return the kind of a point, and the larger one, by the group that is measured."""
        return kinds_of(record, self._run.result.machine.identity.caches)


def spread_out(count: int) -> list[int]:
    """Return the numbers below `count` in an order in which the first ones are far apart, wherever it is cut off.

    The bits of 0, 1, 2, ... are read from the other end (J. G. van der Corput, 1935): 0, 4, 2, 6, 1, 5, 3, 7 of eight.
    """
    bits = max(count - 1, 0).bit_length()
    order = (int(f"{number:0{bits}b}"[::-1], 2) if bits else 0 for number in range(1 << bits))
    return [number for number in order if number < count]
