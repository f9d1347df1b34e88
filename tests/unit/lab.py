"""A runner on a core that is made up, for the tests of `run`: what it did, and the means to stop it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from fake_core import FakeCore, made_catalogue
from made_machine import made_machine
from made_work import plain_work
from tierscope.plans import Plan
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.result import SCHEMA, Record, Result, Software, load
from tierscope.run import runner
from tierscope.run.counters import Counters
from tierscope.run.observer import Observer
from tierscope.run.runner import Runner
from tierscope.run.walks import Walks
from tierscope.run.winners import Winners
from tierscope.stats.judged import Judged
from tierscope.units import GiB

EMPTY = Result(
    schema=SCHEMA, suite="made", options={}, origin="real", machine=made_machine(4), findings=(), complete=False,
    started="2026-01-02T03:04:05Z", software=Software(tierscope="0", core="0", compiler="made", python="3"),
)  # fmt: skip


def group(kernel: str = "triad", cpus: tuple[int, ...] = (0,), size: int = GiB, role: str = "", pace: int = 0) -> Group:
    work = Workload(kernel=kernel, footprint_bytes=size, work=plain_work(kernel), pace_cycles=pace)
    return Group(workload=work, target=Target(), team=Team(cpus=cpus), role=role)


def point(*groups: Group, calibrate: bool = False, note: str = "", **schedule: float) -> Experiment:
    times = Schedule(**schedule)
    return Experiment(table="stream", groups=groups or (group(),), schedule=times, calibrate=calibrate, note=note)


def plan_of(*experiments: Experiment) -> Callable[[], Plan]:
    def plan() -> Plan:
        for experiment in experiments:  # noqa: UP028 (`yield from` would send the answers to the tuple)
            yield experiment

    return plan


class Lab:
    """A runner on a fake core below one directory; every call continues with the files that are there."""

    def __init__(self, directory: Path, core: FakeCore) -> None:
        self.directory, self.core = directory, core
        self.winners = Winners()

    def __call__(
        self, plan: Callable[[], Plan], observer: Observer | None = None, limit: float = 1e9,
        counters: Counters | None = None,
    ) -> Result:  # fmt: skip
        there = (self.directory / "result.json").exists()
        result = load(self.directory).result if there else EMPTY
        walks = Walks(made_catalogue(), self.winners)
        run = Runner(self.directory, result, self.core.session, walks, observer, limit, counters)
        return run.execute(plan)

    @property
    def records(self) -> tuple[Record, ...]:
        return load(self.directory).result.records


class Watch(Observer):
    """Remembers the points, and interrupts after some records."""

    def __init__(self, stop_after: int = -1) -> None:
        self.stop_after = stop_after
        self.looks: list[Judged] = []
        self.resumed: list[bool] = []
        self.plan: tuple[int, float] = (0, 0.0)

    def planned(self, experiments: int, seconds: float) -> None:
        self.plan = (experiments, seconds)

    def measured(self, experiment: Experiment, found: Judged) -> None:
        self.looks.append(found)

    def finished(self, record: Record, found: Judged, resumed: bool) -> None:
        self.resumed.append(resumed)
        if record.number == self.stop_after and not resumed:
            raise KeyboardInterrupt


def lab_in(directory: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A lab on its own core, whose clock is everybody's."""
    directory.mkdir(exist_ok=True)
    core = FakeCore()
    monkeypatch.setattr(runner, "time", core)
    return Lab(directory, core)
