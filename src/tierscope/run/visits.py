"""The points that are visited next, after the first tour through the plan.

First each point gets the visits that its plan asks for, one tour through the whole plan after the other, so that the
visits of a point are spread over the run. Then points whose interval is too wide are visited more often, the widest
first, in rounds: in a run with a limit until that, else while all visits of a point fit into its budget. The limit may
leave too little time for all tours. If most points have two visits, further ones go to those whose interval is too
wide. Else a few points of each kind get all their visits first. The drift of a kind is known from a few of its points.
A third visit of them shows what all points of a tour have in common, where two may agree by chance. On a machine that
becomes faster for a minute, two visits of every point show little, and three visits of a few points do. Kinds wait, the
longest first, if the time does not suffice for all. A tour through the others follows. If it does not fit, the longest
points are left out, if most of the others fit. Points that are chosen follow each other as in the plan: neighbours
there share memory, which costs more to map than many a point lasts. Each tour maps it once more, at the first of these
points that it visits.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence

from tierscope.record.result import Record, Run
from tierscope.run.durations import Durations, Tour
from tierscope.stats.drift import FEWEST
from tierscope.tables.drifts import Kind, kinds_of
from tierscope.tables.measured import judged
from tierscope.tables.visited import is_visited

MANY = 0.7  # of the points of a tour: as many show the drift of all kinds
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
            return []
        by_kind = self._sample({own[0].number for own in missing})
        sample = [record for records in by_kind.values() for record in records]
        if sample and self._durations.tour_s(sample) * self._tours(sample) <= left_s:
            return self._fitting(sample, left_s)
        most = due if tour_s <= left_s else self._without_the_longest(due, left_s)
        if len(most) >= MANY * len(due):
            return self._complete(by_kind, left_s) or most
        return self._fitting(sample, left_s) or self._fitting(self._kind_by_kind(due), left_s)

    def _tours(self, records: Sequence[Record]) -> int:
        """Return how many tours these points still need."""
        return max((r.experiment.schedule.visits - len(self._own[r.number]) for r in records), default=0)

    def second_look(self, left_s: float) -> list[Record]:
        """Return the points that are not sure, the widest if there is no time for all; left_s: as for `next_tour`."""
        limited = math.isfinite(left_s)
        doubtful = [
            (self._width(own[0]), own[0])
            for own in self._own.values()
            if own[0].experiment.schedule.visits > 1
            and len(own) < MOST
            and (limited or self._has_time(own))
            and not judged(self._run, own[0]).conclusive
        ]
        return self._fitting([record for _, record in sorted(doubtful, key=lambda one: -one[0])], left_s)

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

    def _width(self, record: Record) -> float:
        return judged(self._run, record).relative

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

    def _without_the_longest(self, due: Sequence[Record], left_s: float) -> list[Record]:
        """Return the points of a tour that fit, if the longest ones are left out: these are large footprints."""
        kept, tour, total = set(), Tour(self._durations), 0.0
        shares = self._durations.shares_s(due)
        for record in sorted(due, key=lambda record: shares[record.number]):
            total += tour.add(record)
            if total > left_s:
                break
            kept.add(record.number)
        return [record for record in due if record.number in kept]

    def _sample(self, lacking: Container[int]) -> dict[Kind, list[Record]]:
        """Return FEWEST points of each larger kind, which replaces a kind with few points, less those with all visits.

        All their visits come before a second one of others, if there is no time for all. Without them, no point of the
        kind has an interval. A drift from two visits of many points would have few degrees of freedom.
        lacking: the numbers of the points that lack visits.
        """
        sample: dict[Kind, list[Record]] = defaultdict(list)
        for record in self._kind_by_kind([own[0] for own in self._own.values()]):
            _, larger = self._kinds(record)
            if len(sample[larger]) < FEWEST:
                sample[larger].append(record)
        return {kind: [one for one in records if one.number in lacking] for kind, records in sample.items()}

    def _complete(self, sample: Mapping[Kind, list[Record]], left_s: float) -> list[Record]:
        """Return the points of those kinds for which all visits fit, in the order of the plan; the longest kinds are
        left out first. There is then time for a second visit of these.
        """
        kinds, waiting = sorted(sample, key=lambda kind: self._durations.tour_s(sample[kind])), list[Record]()
        while kinds:
            chosen = [record for kind in kinds for record in sample[kind]]
            total_s = self._durations.tour_s(chosen) * self._tours(chosen) + self._durations.tour_s(waiting)
            if chosen and total_s <= left_s:
                return sorted(chosen, key=lambda record: record.number)
            waiting += sample[kinds.pop()]
        return []

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
