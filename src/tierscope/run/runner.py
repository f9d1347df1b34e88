"""Experiment -> Record: the only loop. Prepare, calibrate, batches until precise or the budget ends, check, write."""

import math
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from tierscope.plans import Answer, Plan
from tierscope.record.experiment import Experiment
from tierscope.record.machine import Cache
from tierscope.record.origin import joined, strongest
from tierscope.record.program import bins_of
from tierscope.record.result import (
    Blocks,
    GroupFacts,
    Record,
    Result,
    Run,
    Warn,
    bins_of_record,
    blocks_of,
    inside,
    save_result,
    write_blocks,
)
from tierscope.run import second_mapping
from tierscope.run.background import Watch
from tierscope.run.batches import BATCH_S, batch_seconds, is_due, least_batch_seconds, long_enough, one_visit
from tierscope.run.counters import Counters
from tierscope.run.deadline import Deadline
from tierscope.run.expected import expected_seconds, further_seconds, further_visits, imagine
from tierscope.run.levered import Levered
from tierscope.run.load import over_the_run
from tierscope.run.measurer import Measurer
from tierscope.run.observer import Observer
from tierscope.run.taken import Place, Taken, record_of
from tierscope.run.verdict import refuse_wrong
from tierscope.run.visits import Visits
from tierscope.run.walks import Choice, Walks
from tierscope.stats.contrast import least_rounds
from tierscope.stats.judged import Judged, judge_record
from tierscope.stats.takes import takes_of
from tierscope.tables.measured import remember


class Prepared(NamedTuple):
    """A point whose memory and variant the session has."""

    experiment: Experiment
    facts: tuple[GroupFacts, ...]
    choice: Choice
    mapped_s: float  # to map and fill its memory
    searched_s: float = 0.0  # for its variant


class Runner:
    """Runs plans into one directory. `limit_s`: seconds after which points get their minimum only."""

    def __init__(
        self,
        directory: Path,
        result: Result,
        session: Callable[[], Measurer],
        walks: Walks,
        observer: Observer | None = None,
        limit_s: float = math.inf,
        counters: Counters | None = None,
        watch: Watch | None = None,
    ) -> None:
        self.directory = directory
        self.result = result
        self._start_session = session
        self._session: Measurer | None = None
        self._walks = walks
        self._observer = observer or Observer()
        self._limit_s = limit_s
        self._deadline = Deadline(limit_s, (), time.monotonic)
        self._counters = counters or Counters()
        self._watch = watch
        self._levered = Levered()
        self.ending: Callable[[], tuple[Warn, ...]] = tuple  # doubts about the whole run, asked for at its end
        self._imagined: list[Experiment] = []

    def execute(self, plan: Callable[[], Plan]) -> Result:
        """Return all experiments of a plan; those that the result already contains are replayed, not run."""
        imagined = self._imagined = imagine(plan())
        self._deadline = Deadline(self._limit_s, imagined, time.monotonic)
        seconds = sum(expected_seconds(one) + further_seconds(one) for one in imagined)
        self._observer.planned(len(imagined) + sum(map(further_visits, imagined)), seconds)
        if self._watch:
            self._watch.expect(seconds)
        try:
            self._walk_through(plan())
            self._visit_again()
        finally:
            self._end_session()
            self._counters.close()
            if self._watch:
                self._watch.close()
        found, doubts_of_all = over_the_run(self.result), (*self.result.warnings, *self.ending())
        self.result = msgspec.structs.replace(self.result, complete=True, findings=found, warnings=doubts_of_all)
        save_result(self.directory, self.result)
        return self.result

    def _walk_through(self, plan: Plan) -> None:
        known = list(self.result.records)
        number = 0
        try:
            experiment = next(plan)
            while True:
                resumed = number < len(known) and is_of(known[number], experiment)
                if not resumed and number < len(known):
                    del known[number:]  # the plan goes another way from here on
                    self._keep(tuple(known))
                record, found = self._replay(known[number]) if resumed else self._run(experiment, Place(number))
                self._observer.finished(record, found, resumed)
                number += 1
                experiment = plan.send(Answer(experiment, record, found.points[0]))
        except StopIteration:
            if number < len(known):
                self._keep(tuple(known[:number]))

    def _visit_again(self) -> None:
        """Run the further visits of all points, each tour in a new process and mappings, while the limit allows."""
        for visit in self.result.visits:
            self._observer.finished(visit, self._replay(visit)[1], True)
        while True:
            run = Run(path=self.directory, result=self.result)
            known = Visits(run, self._deadline.alone, self._deadline.mapped)
            due = known.next_tour(self._deadline.left_s) or known.second_look(self._deadline.left_s)
            self._end_session()
            done = 0
            for record in known.within(due, lambda: self._deadline.left_s):
                visit, found = self._run(record.experiment, Place(record.number, known.number(record), known.tour))
                self._observer.finished(visit, found, False)
                done += 1
                self._repeat(visit)
            if not done:
                return

    def _repeat(self, visit: Record) -> None:
        """Run a visit again in new memory if its kind lacks such pairs. A limit leaves no time for it."""
        if math.isfinite(self._limit_s) or not second_mapping.is_due(visit, self.result.repeated, self._caches):
            return
        self._end_session()
        self._run(visit.experiment, Place(visit.number, visit.visit, visit.moment, again=True))

    def _end_session(self) -> None:
        if self._session is not None:
            self._session.close()
        self._session = None

    def _keep(self, records: tuple[Record, ...], visits: tuple[Record, ...] = ()) -> None:
        groups = [group for record in records for group in record.groups]
        origin, by = strongest(g.origin for g in groups), joined(g.origin_by for g in groups)
        repeated = self.result.repeated if visits else ()
        self.result = msgspec.structs.replace(
            self.result, records=records, visits=visits, repeated=repeated, origin=origin, origin_by=by
        )
        save_result(self.directory, self.result)

    def _keep_one(self, record: Record, place: Place) -> None:
        records, visits = self.result.records, self.result.visits
        if place.again:
            self.result = msgspec.structs.replace(self.result, repeated=(*self.result.repeated, record))
            save_result(self.directory, self.result)
        elif place.visit:
            self._keep(records, (*visits, record))
        else:
            self._keep((*records, record), visits)

    def _replay(self, record: Record) -> tuple[Record, Judged]:
        self._walks.remember(record)
        blocks = blocks_of(self.directory, record)
        bins_of_record(self.directory, record)
        found = self._judge(blocks, record.clock.hz, record.experiment, record.groups, record.takes)
        remember(self.directory, record, found)
        return record, found

    def _judge(
        self, blocks: Blocks, hz: float, experiment: Experiment, facts: Sequence[GroupFacts], ran: Sequence[int]
    ) -> Judged:
        return judge_record(blocks, hz, experiment, facts, ran, self._caches)

    @property
    def _caches(self) -> tuple[Cache, ...]:
        return self.result.machine.identity.caches

    def _run(self, experiment: Experiment, place: Place) -> tuple[Record, Judged]:
        """Return one visit of a point, and keep it."""
        self._observer.started(experiment, place.number)
        began, started = datetime.now(UTC), time.monotonic()
        taken = self._taken(experiment, place)
        seconds, background = time.monotonic() - started, self._watch.after(experiment) if self._watch else None
        record = record_of(taken, experiment, place, self.result.machine, began, seconds, background)
        if taken.bins is not None:
            write_blocks(inside(self.directory, bins_of(record.samples)), taken.bins)
        write_blocks(inside(self.directory, record.samples), taken.blocks)
        self._keep_one(record, place)
        remember(self.directory, record, taken.found)
        if place.visit == 0:
            alone_s = time.monotonic() - started - taken.searched_s
            self._deadline.took(experiment, place.number, alone_s, taken.mapped_s)
        return record, taken.found

    def _taken(self, experiment: Experiment, place: Place) -> Taken:
        """Measure one visit of a point; only the first one counts events."""
        if self._session is None:
            self._session = self._start_session()
        session = self._session
        if self._watch:
            self._watch.before(experiment)
        prepared = self._prepared(session, experiment, place.number)
        ready, facts = prepared.experiment, prepared.facts
        counters_of = self._counters if place.visit == 0 else Counters()
        counters_of.begin(session, facts)
        with self._levered.during():
            first = place.visit == 0
            budget = self._deadline.budget_s(experiment, place.number, first=first)
            longest = self._deadline.longest_s(experiment, place.number, first=first)
            started = time.monotonic()
            blocks, ran, found = self._measure(session, ready, facts, (budget, longest), counters_of)
            if first:
                self._deadline.measured(experiment, place.number, time.monotonic() - started, budget)
        keyed = any(one.operation == "key" for one in facts)
        timings = session.timings() if keyed else ()
        error, details, counters = session.check()
        counted = counters_of.end(session, ready, facts, blocks, counters)
        if keyed:
            session.drop()
        refuse_wrong(error, ready, keyed=keyed)
        program, bins = session.told() or (None, None)
        return Taken(
            facts, prepared.choice, session.clock, blocks, ran, found, error, details, counters, counted, timings,
            program, bins, prepared.mapped_s, prepared.searched_s,
        )  # fmt: skip

    def _prepared(self, session: Measurer, experiment: Experiment, number: int) -> Prepared:
        """Return the point as the session has it, with its fastest variant."""
        started = time.monotonic()
        ready, source = self._walks.on(experiment)
        facts = session.prepare(ready.groups)
        mapped_s = time.monotonic() - started
        if not (ready.calibrate and ready == experiment):
            return Prepared(ready, facts, Choice(source=source), mapped_s)
        longest_s = self._deadline.search_s(number, self._walks.searches(self._imagined[number:]))
        choice = self._walks.choose(session, experiment, time.monotonic, longest_s)
        if choice is None:
            return Prepared(ready, facts, Choice(), mapped_s)
        self._warn(self._walks.refused)
        ready, _ = self._walks.on(experiment)
        facts = (*facts[:-1], session.set(len(facts) - 1, ready.groups[-1]))
        return Prepared(ready, facts, choice, mapped_s, time.monotonic() - started - mapped_s)

    def _warn(self, refused: Warn | None) -> None:
        """Add a doubt about the whole run, once."""
        if refused is not None and refused not in self.result.warnings:
            self.result = msgspec.structs.replace(self.result, warnings=(*self.result.warnings, refused))

    def _measure(
        self,
        session: Measurer,
        experiment: Experiment,
        facts: tuple[GroupFacts, ...],
        times: tuple[float, float],
        counters: Counters,
    ) -> tuple[Blocks, tuple[int, ...], Judged]:
        """Return the blocks of rounds until all takes are conclusive, the take of each batch, and the judgement.

        Each take has at least minimum_s. times: the seconds that each has at most, and those if it has too few clean
        blocks then, but may have enough until these.

        A take that is conclusive rests while the others continue, unless takes are compared. Rounds that are shorter
        than BATCH_S are looked at together until a comparison has enough of them. Judged is at times that grow.
        """
        schedule, takes = one_visit(experiment), takes_of(experiment)
        paced = msgspec.structs.replace(experiment, schedule=schedule)
        batches: list[Blocks] = []
        ran: list[int] = []
        timed, looked, open_takes = 0.0, 0.0, set(range(len(takes)))
        budget, longest = times
        block_s = long_enough(schedule.block_s, session.clock)
        for turn in count():
            seconds = batch_seconds(paced, timed, budget, first=turn == 0)
            parts = counters.parts(experiment, seconds, block_s)
            for take in (take for take in order(len(takes), turn) if take in open_takes for _ in range(parts)):
                self._levered.take(experiment, take)
                batch = session.measure(seconds / parts, block_s, takes[take] if experiment.takes else ())
                batches.append(numbered(batch, len(batches)))
                counters.batch(session, experiment, take)
                ran.append(take)
            timed += max(map(lasted, batches[-len(takes) :])) / session.clock.hz if experiment.against else seconds
            enough = not experiment.against or turn + 1 >= least_rounds(schedule)
            ends = enough and timed >= budget - least_batch_seconds(paced)
            due = is_due(timed, looked) and (enough or timed - looked >= BATCH_S / 2)
            if not (ends or due):
                continue
            looked, blocks, noted = timed, np.concatenate(batches), tuple(ran) if experiment.takes else ()
            found = self._judge(blocks, session.clock.hz, experiment, facts, noted)
            self._observer.measured(experiment, found)
            share = found.share_of_blocks(schedule)
            if ends and budget < longest and share < 1 <= share * longest / timed:
                budget = longest
            elif enough and (found.conclusive or ends or (budget > times[0] and share >= 1)):
                return blocks, noted, found
            if not experiment.against:
                open_takes = {take for take, point in enumerate(found.points) if not point.conclusive}
        raise AssertionError("count() ends never")


def is_of(record: Record, experiment: Experiment) -> bool:
    """Return whether a record is of an experiment, or of the same one as versions planned it that knew no visits.

    Its note is a text, which a later version may word in another way.
    """
    asked = msgspec.structs.replace(experiment, note=record.experiment.note)
    once = msgspec.structs.replace(asked.schedule, visits=0, piece_s=0.0)
    return record.experiment in (asked, msgspec.structs.replace(asked, schedule=once))


def numbered(batch: Blocks, number: int) -> Blocks:
    """Return the blocks of a batch with its place in the record: the core also counts those of a calibration."""
    blocks = batch.copy()
    blocks["batch"] = number
    return blocks


def lasted(batch: Blocks) -> int:
    """Return the ticks from the first start to the last stop: tasks take as long as they take."""
    return int(batch["stop_ticks"].max()) - int(batch["start_ticks"].min()) if batch.size else 0


def order(takes: int, turn: int) -> Iterable[int]:
    """Return the order of takes in a round: forth and back alternately, so that a drift affects all of them alike."""
    return range(takes) if turn % 2 == 0 else reversed(range(takes))
