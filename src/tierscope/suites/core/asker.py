"""Asks for the points of one core, and keeps the answers."""

from collections.abc import Generator
from dataclasses import dataclass, field

from msgspec.structs import replace

from tierscope.plans.answer import Answer
from tierscope.plans.simulation import NAME as SIMULATED
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.work.code import CodeWork
from tierscope.record.work.loop import LoopWork
from tierscope.suites.core.ask import page_lines
from tierscope.suites.core.labels import ProbeLabels
from tierscope.units import KiB

SMALL = 64 * KiB  # of loops without chains, which do not touch it
HOPS, FEW_HOPS = 1024, 128  # of a block of windows, about: 0.1 ms; on a simulated machine, whose time is exact
VISITS = 5  # of loops without chains: they take little time, and show whether another thread takes part of the core
SHORT = {"block_s": 1e-5, "minimum_s": 2e-4, "budget_s": 2e-3}  # of code there, whose instructions take long


@dataclass
class Asker:
    """The values that all points share, and the answers so far: seconds of an iteration, and half of its interval."""

    cpu: int
    team: tuple[int, ...]
    target: Target
    schedule: Schedule
    memory: int
    fetched: int  # bytes of windows
    line: int  # bytes
    known: dict[tuple[str, str, LoopWork], tuple[float, float]] = field(default_factory=dict)
    code: dict[tuple[CodeWork, int], tuple[float, float]] = field(default_factory=dict)  # with bytes of code

    def ask(
        self, probe: str, work: LoopWork, level: str = "memory", size: int = 0, cpus: tuple[int, ...] = (),
        element: int = 0, pages: str = "",
    ) -> Generator[Experiment, Answer, None]:  # fmt: skip
        """Yield a loop. element: bytes between two places of a chain, 0: a line; pages: "": those of the target."""
        if (probe, level, work) in self.known:
            return
        bytes_ = size or (SMALL if not work.chains else self.fetched if work.train else self.memory)
        workload = Workload(
            kernel="loop", footprint_bytes=bytes_, work=replace(work, element_bytes=element or self.line),
            per_block=self.whole(work),
        )  # fmt: skip
        target = self.target.on(pages) if pages else self.target
        group = Group(workload=workload, target=target, team=Team(cpus=cpus or (self.cpu,)), role="prober")
        answer = yield Experiment(
            table="core_points",
            groups=(group,),
            schedule=self.schedule if work.chains else replace(self.schedule, visits=VISITS),
            labels=ProbeLabels(probe=probe, level=level if work.chains else "").stored(),
        )
        if (rate := answer.rate()) and answer.point:
            interval = answer.point.groups[0].interval
            self.known[probe, level, work] = 1 / rate, interval.relative / rate

    def ask_code(self, work: CodeWork, bytes_: int, level: str = "") -> Generator[Experiment, Answer, None]:
        """Yield a loop of this much code."""
        if (work, bytes_) in self.code:
            return
        workload = Workload(kernel="code", footprint_bytes=bytes_, work=work)
        group = Group(workload=workload, target=self.target, team=Team(cpus=(self.cpu,)), role="prober")
        exact = self.target.name == SIMULATED
        answer = yield Experiment(
            table="core_code",
            groups=(group,),
            schedule=replace(self.schedule, **SHORT) if exact else self.schedule,
            labels=ProbeLabels(probe="code", level=level).stored(),
        )
        if (rate := answer.rate()) and answer.point:
            interval = answer.point.groups[0].interval
            self.code[work, bytes_] = 1 / rate, interval.relative / rate

    def times(self, probe: str) -> dict[LoopWork, tuple[float, float]]:
        return {work: time for (its, _, work), time in self.known.items() if its == probe}

    def whole(self, work: LoopWork) -> int:
        """Return the hops of a block: whole groups of windows, whose first visits miss and whose last ones hit."""
        group = max(work.windows, 1) * (work.train + 1)
        hops = FEW_HOPS if self.target.name == SIMULATED else HOPS
        return max(hops // group, 1) * group if work.train else 0

    def fits(self, work: LoopWork) -> bool:
        """Return whether a window fits a page."""
        return (work.train - 1) * work.stride + work.ahead < page_lines(self.line)
