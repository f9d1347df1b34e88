"""Experiment -> Record: the only loop. Prepare, calibrate, batches until precise or the budget ends, check, write."""

import math
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import numpy as np

from tierscope.core import Catalogue, Session
from tierscope.errors import WrongAnswerError
from tierscope.experiment import PAGES, Experiment, Group, Workload
from tierscope.result import Blocks, GroupFacts, Record, Result, Trial, Warn, read_blocks, save_result, write_blocks
from tierscope.run.calibrate import calibrate, walks_of
from tierscope.run.observer import Observer
from tierscope.stats.point import Point, judge
from tierscope.stats.walks import walks
from tierscope.suites import Answer, Plan
from tierscope.tables.measured import remember
from tierscope.units import show_bytes

TOLERANCE = 1e-15  # relative: a fused multiply-add rounds once, scalar code twice
BATCH_S = 0.1  # between two looks at the interval: a hundred blocks
THP_SHARE = 0.99  # of the bytes that must lie on large pages before a warning


class Runner:
    """Runs plans into one directory. `limit_s`: seconds after which points get their minimum only."""

    def __init__(
        self,
        directory: Path,
        result: Result,
        session: Callable[[], Session],
        catalogue: Catalogue,
        observer: Observer | None = None,
        limit_s: float = math.inf,
    ) -> None:
        self.directory = directory
        self.result = result
        self._start_session = session
        self._session: Session | None = None
        self._catalogue = catalogue
        self._observer = observer or Observer()
        self._limit_s = limit_s
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
                record, point = self._replay(known[number]) if resumed else self._run(experiment, number)
                self._observer.finished(record, point, resumed)
                number += 1
                experiment = plan.send(Answer(experiment, record, point))
        except StopIteration:
            if number < len(known):
                self._keep(tuple(known[:number]))

    def _keep(self, records: tuple[Record, ...]) -> None:
        origin = next((g.origin for r in records for g in r.groups if g.origin != "real"), "real")
        self.result = msgspec.structs.replace(self.result, records=records, origin=origin)
        save_result(self.directory, self.result)

    def _replay(self, record: Record) -> tuple[Record, Point]:
        self._remember(record.experiment, record.calibration)
        blocks = read_blocks(self.directory / record.samples)
        needed = walks(record.groups, self.result.machine.identity.caches)
        return record, judge(blocks, record.clock.hz, len(record.groups), record.experiment.schedule, needed)

    def _run(self, experiment: Experiment, number: int) -> tuple[Record, Point]:
        self._observer.started(experiment, number)
        began, started = datetime.now(UTC), time.monotonic()
        if self._session is None:
            self._session = self._start_session()
        session = self._session
        ready = self._with_walk(experiment)
        facts = session.prepare(ready.groups)
        trials: tuple[Trial, ...] = ()
        if ready.calibrate and ready == experiment and len(walks := self._candidates(experiment.groups[-1])) > 1:
            trials = calibrate(session, experiment, walks)
            self._remember(experiment, trials)
            ready = self._with_walk(experiment)
            facts = (*facts[:-1], session.set(len(facts) - 1, ready.groups[-1]))
        blocks, point = self._measure(session, ready, facts, number)
        error = session.check()
        if not error <= TOLERANCE:
            kernels = ", ".join(group.workload.kernel for group in ready.groups)
            raise WrongAnswerError(
                f"{kernels}: memory differs from scalar code by {error:g} after the blocks; the result is void. "
                "Run `tierscope-core check`; if it fails too, this is a fault of the build or of the machine"
            )
        record = Record(
            number=number,
            experiment=experiment,
            groups=facts,
            clock=session.clock,
            samples=f"samples/{number:04}.parquet",
            blocks=len(blocks),
            started=began.isoformat(timespec="seconds"),
            seconds=time.monotonic() - started,
            largest_relative_error=error,
            warnings=tuple(doubts(experiment, facts, point)),
            calibration=trials,
        )
        write_blocks(self.directory / record.samples, blocks)
        self._keep((*self.result.records, record))
        remember(self.directory, record, point)
        return record, point

    def _measure(
        self, session: Session, experiment: Experiment, facts: tuple[GroupFacts, ...], number: int
    ) -> tuple[Blocks, Point]:
        """Batches until all groups are conclusive, at least minimum_s, at most the budget."""
        schedule = experiment.schedule
        budget = self._budget(experiment, number)
        needed = walks(facts, self.result.machine.identity.caches)
        batches: list[Blocks] = []
        timed = 0.0
        while True:
            seconds = max(min(BATCH_S if batches else schedule.minimum_s, budget - timed), BATCH_S / 2)
            batches.append(session.measure(seconds, schedule.block_s))
            timed += seconds
            blocks = np.concatenate(batches)
            point = judge(blocks, session.clock.hz, len(facts), schedule, needed)
            self._observer.measured(experiment, point)
            if point.conclusive or timed >= budget - BATCH_S / 2:
                return blocks, point

    def _budget(self, experiment: Experiment, number: int) -> float:
        """The schedule's budget, less when the rest of the plan would not fit under the limit any more."""
        schedule = experiment.schedule
        left = self._limit_s - (time.monotonic() - self._started) - sum(self._expected[number + 1 :])
        return max(schedule.minimum_s, min(schedule.budget_s, left))

    def _candidates(self, group: Group) -> list[Workload]:
        return walks_of(group, self._catalogue.variants(group.workload.kernel))

    def _key(self, experiment: Experiment) -> tuple[object, ...]:
        """What the choice of a walk rests on: kernel, place and team of the last group, and whether others run."""
        last = experiment.groups[-1]
        return (last.workload.kernel, last.workload.isa, last.target, last.team, last.role, len(experiment.groups))

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
    return 0.05 + setup + 0.15 * experiment.calibrate + (2 * schedule.minimum_s + schedule.budget_s) / 3


def doubts(experiment: Experiment, facts: tuple[GroupFacts, ...], point: Point) -> list[Warn]:
    """What an expert would ask about this record."""
    found = []
    if experiment.note:
        found.append(Warn(code="smaller", message=experiment.note, next_step="free memory, or name the size yourself"))
    for group, fact in zip(experiment.groups, facts, strict=True):
        wanted = PAGES[group.target.pages]
        mapped = sum(fact.pages.values())
        large = fact.pages.get(str(wanted), 0)
        if mapped and fact.footprint_bytes >= wanted and large < THP_SHARE * mapped:
            some = f"{show_bytes(large)} of {show_bytes(mapped)}"
            message = f"{fact.kernel}: {some} lie on {group.target.pages} pages"
            step = "use pages=4k, or let the system give large pages (doctor: thp)"
            found.append(Warn(code="pages", message=message, next_step=step))
    if point.together.left_out_share > 0.5:
        share = f"{point.together.left_out_share:.0%} of the moments left out: the machine was busy"
        found.append(Warn(code="busy", message=share, next_step="repeat on a quiet machine, or give a longer budget"))
    return found
