"""Experiment -> Record: the only loop. Prepare, calibrate, batches until precise or the budget ends, check, write."""

import math
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import msgspec
import numpy as np

from tierscope.errors import WrongAnswerError
from tierscope.plans import Answer, Plan
from tierscope.record.catalogue import Catalogue
from tierscope.record.experiment import Experiment, Group, Workload
from tierscope.record.origin import joined, strongest
from tierscope.record.program import bins_of
from tierscope.record.result import (
    Blocks,
    GroupFacts,
    Record,
    Result,
    Trial,
    bins_of_record,
    blocks_of,
    digest,
    inside,
    save_result,
    write_blocks,
)
from tierscope.run.batches import batch_seconds, least_batch_seconds, least_seconds
from tierscope.run.calibrate import calibrate, walks_of
from tierscope.run.counters import Counters
from tierscope.run.doubts import doubts
from tierscope.run.measurer import Measurer
from tierscope.run.observer import Observer
from tierscope.stats.contrast import ROUNDS
from tierscope.stats.judged import Judged, judge_record
from tierscope.stats.takes import takes_of
from tierscope.tables.measured import remember

TOLERANCE = 1e-15  # relative: a fused multiply-add rounds once, scalar code twice
START_S = 0.8  # of a program that measures by itself, with its ramp: seen with fio on a busy guest


class Runner:
    """Runs plans into one directory. `limit_s`: seconds after which points get their minimum only."""

    def __init__(
        self,
        directory: Path,
        result: Result,
        session: Callable[[], Measurer],
        catalogue: Catalogue,
        observer: Observer | None = None,
        limit_s: float = math.inf,
        counters: Counters | None = None,
    ) -> None:
        self.directory = directory
        self.result = result
        self._start_session = session
        self._session: Measurer | None = None
        self._catalogue = catalogue
        self._observer = observer or Observer()
        self._limit_s = limit_s
        self._counters = counters or Counters()
        self._started = time.monotonic()
        self._expected: list[float] = []
        self._walks: dict[tuple[object, ...], Workload] = {}

    def execute(self, plan: Callable[[], Plan]) -> Result:
        """All experiments of a plan; those that the result holds already are replayed, not run."""
        self._expected = [expected_seconds(e) for e in imagine(plan())]
        self._observer.planned(len(self._expected), sum(self._expected))
        try:
            self._walk_through(plan())
        finally:
            if self._session is not None:
                self._session.close()
            self._counters.close()
        self.result = msgspec.structs.replace(self.result, complete=True)
        save_result(self.directory, self.result)
        return self.result

    def _walk_through(self, plan: Plan) -> None:
        known = list(self.result.records)
        number = 0
        try:
            experiment = next(plan)
            while True:
                resumed = number < len(known) and known[number].experiment == experiment
                if not resumed and number < len(known):
                    del known[number:]  # the plan goes another way from here on
                    self._keep(tuple(known))
                record, found = self._replay(known[number]) if resumed else self._run(experiment, number)
                self._observer.finished(record, found, resumed)
                number += 1
                experiment = plan.send(Answer(experiment, record, found.points[0]))
        except StopIteration:
            if number < len(known):
                self._keep(tuple(known[:number]))

    def _keep(self, records: tuple[Record, ...]) -> None:
        groups = [group for record in records for group in record.groups]
        origin, by = strongest(g.origin for g in groups), joined(g.origin_by for g in groups)
        self.result = msgspec.structs.replace(self.result, records=records, origin=origin, origin_by=by)
        save_result(self.directory, self.result)

    def _replay(self, record: Record) -> tuple[Record, Judged]:
        self._remember(record.experiment, record.calibration)
        blocks = blocks_of(self.directory, record)
        bins_of_record(self.directory, record)
        return record, self._judge(blocks, record.clock.hz, record.experiment, record.groups, record.takes)

    def _judge(
        self, blocks: Blocks, hz: float, experiment: Experiment, facts: Sequence[GroupFacts], ran: Sequence[int]
    ) -> Judged:
        return judge_record(blocks, hz, experiment, facts, ran, self.result.machine.identity.caches)

    def _run(self, experiment: Experiment, number: int) -> tuple[Record, Judged]:
        self._observer.started(experiment, number)
        began, started = datetime.now(UTC), time.monotonic()
        if self._session is None:
            self._session = self._start_session()
        session = self._session
        ready, facts, trials = self._prepared(session, experiment)
        self._counters.begin(session, facts)
        blocks, ran, found = self._measure(session, ready, facts, number)
        keyed = any(one.operation == "key" for one in facts)
        timings = session.timings() if keyed else ()
        error, details, counters = session.check()
        counted = self._counters.end(session, ready, facts, blocks, counters)
        if keyed:
            session.drop()
        _refuse_wrong(error, ready, keyed=keyed)
        samples = f"samples/{number:04}.parquet"
        program, bins = session.told() or (None, None)
        record = Record(
            number=number,
            experiment=experiment,
            groups=tuple(msgspec.structs.replace(f, detail=d) for f, d in zip(facts, details, strict=True)),
            clock=session.clock,
            samples=samples,
            blocks=len(blocks),
            started=began.isoformat(timespec="seconds"),
            seconds=time.monotonic() - started,
            largest_relative_error=error,
            warnings=tuple(doubts(experiment, facts, found.points, program)),
            calibration=trials,
            takes=ran,
            counters=counters,
            timings=timings,
            program=program,
            counted=counted,
            samples_sha256=digest(blocks),
            bins=None if bins is None else len(bins),
            bins_sha256="" if bins is None else digest(bins),
        )
        if bins is not None:
            write_blocks(inside(self.directory, bins_of(samples)), bins)
        write_blocks(inside(self.directory, samples), blocks)
        self._keep((*self.result.records, record))
        remember(self.directory, record, found)
        return record, found

    def _prepared(
        self, session: Measurer, experiment: Experiment
    ) -> tuple[Experiment, tuple[GroupFacts, ...], tuple[Trial, ...]]:
        """The experiment with the walk that is fastest, as the session holds it, and the walks that were tried."""
        ready = self._with_walk(experiment)
        facts = session.prepare(ready.groups)
        if not (ready.calibrate and ready == experiment and len(walks := self._candidates(experiment.groups[-1])) > 1):
            return ready, facts, ()
        trials = calibrate(session, experiment, walks)
        self._remember(experiment, trials)
        ready = self._with_walk(experiment)
        return ready, (*facts[:-1], session.set(len(facts) - 1, ready.groups[-1])), trials

    def _measure(
        self, session: Measurer, experiment: Experiment, facts: tuple[GroupFacts, ...], number: int
    ) -> tuple[Blocks, tuple[int, ...], Judged]:
        """Rounds until all takes are conclusive, each at least minimum_s, at most the budget; the take of each batch.

        A take that is conclusive rests while the others go on, unless takes are compared.
        """
        schedule, takes = experiment.schedule, takes_of(experiment)
        budget = self._budget(experiment, number)
        batches: list[Blocks] = []
        ran: list[int] = []
        timed, open_takes = 0.0, set(range(len(takes)))
        for turn in count():
            seconds = batch_seconds(experiment, timed, budget, first=turn == 0)
            for take in (take for take in order(len(takes), turn) if take in open_takes):
                batches.append(session.measure(seconds, schedule.block_s, takes[take] if experiment.takes else ()))
                self._counters.batch(session, experiment, take)
                ran.append(take)
            timed += max(map(lasted, batches[-len(takes) :])) / session.clock.hz if experiment.against else seconds
            blocks, noted = np.concatenate(batches), tuple(ran) if experiment.takes else ()
            found = self._judge(blocks, session.clock.hz, experiment, facts, noted)
            self._observer.measured(experiment, found)
            enough = not experiment.against or turn + 1 >= ROUNDS
            if enough and (found.conclusive or timed >= budget - least_batch_seconds(experiment)):
                return blocks, noted, found
            if not experiment.against:
                open_takes = {take for take, point in enumerate(found.points) if not point.conclusive}
        raise AssertionError("count() ends never")

    def _budget(self, experiment: Experiment, number: int) -> float:
        """The schedule's budget, less when the rest of the plan would not fit under the limit any more."""
        schedule = experiment.schedule
        left = self._limit_s - (time.monotonic() - self._started) - sum(self._expected[number + 1 :])
        return max(least_seconds(schedule), min(schedule.budget_s, left / len(takes_of(experiment))))

    def _candidates(self, group: Group) -> list[Workload]:
        return walks_of(group, self._catalogue.variants(group.workload.kernel))

    def _key(self, experiment: Experiment) -> tuple[object, ...]:
        """What the choice of a walk rests on: kernel, place and team of the last group, and whether others run."""
        last = experiment.groups[-1]
        return (
            last.workload.kernel, last.workload.isa, last.target, last.source, last.team, last.role,
            len(experiment.groups),
        )  # fmt: skip

    def _remember(self, experiment: Experiment, trials: tuple[Trial, ...]) -> None:
        if trials:
            self._walks[self._key(experiment)] = trials[0].workload

    def _with_walk(self, experiment: Experiment) -> Experiment:
        """The walk that was found for such a group before, if any, under this experiment's size and pace."""
        walk = self._walks.get(self._key(experiment)) if experiment.calibrate else None
        if walk is None:
            return experiment
        last = experiment.groups[-1]
        own = last.workload
        work = msgspec.structs.replace(
            walk, footprint_bytes=own.footprint_bytes, pace_cycles=own.pace_cycles, burst_bytes=own.burst_bytes
        )
        groups = (*experiment.groups[:-1], msgspec.structs.replace(last, workload=work))
        return msgspec.structs.replace(experiment, groups=groups, calibrate=False)


def _refuse_wrong(error: float, ready: Experiment, *, keyed: bool) -> None:
    if error <= TOLERANCE:
        return
    kernels = ", ".join(group.workload.kernel for group in ready.groups)
    what = (
        "the content of the structure is not what its operations should have left"
        if keyed
        else f"memory differs from scalar code by {error:g} after the blocks"
    )
    raise WrongAnswerError(
        f"{kernels}: {what}; the result is void. Run `tierscope-core check`; if it fails too, this is a fault of the "
        "build or of the machine"
    )


def lasted(batch: Blocks) -> int:
    """Ticks from the first start to the last stop: tasks take as long as they take."""
    return int(batch["stop_ticks"].max()) - int(batch["start_ticks"].min()) if batch.size else 0


def order(takes: int, turn: int) -> Iterable[int]:
    """Of the takes in a round: forth and back in turns, so that a drift falls on all of them alike."""
    return range(takes) if turn % 2 == 0 else reversed(range(takes))


def imagine(plan: Plan) -> list[Experiment]:
    """The experiments of a plan that gets no answers: how many there will be, near enough."""
    experiments = []
    try:
        experiment = next(plan)
        while True:
            experiments.append(experiment)
            experiment = plan.send(Answer(experiment))
    except StopIteration:
        return experiments


def expected_seconds(experiment: Experiment) -> float:
    """Filling and page faults as seen on a small guest, 0.15 s of calibration shared by the points, the blocks."""
    setup = sum(g.workload.footprint_bytes for g in experiment.groups if g.workload.kernel in ("chase", "probe")) / 4e9
    schedule = experiment.schedule
    rounds = (2 * schedule.minimum_s + schedule.budget_s) / 3
    if experiment.against:
        rounds = max(rounds, ROUNDS * schedule.minimum_s)
    if schedule.repeats:
        rounds = max(rounds, least_seconds(schedule)) * (1 + START_S / schedule.minimum_s)
    return 0.05 + setup + 0.15 * experiment.calibrate + rounds * len(takes_of(experiment))
