"""A made core: what its loops take, by stated laws, and a run of the suite `core` on it."""

import math
from dataclasses import dataclass

import numpy as np

from made import BLOCK_S, Maker, Teamwork, made_blocks, made_facts
from made_machine import made_machine
from tierscope.plans import Answer, suites
from tierscope.record.experiment import Experiment
from tierscope.record.machine import Machine
from tierscope.record.result import Clock, Record
from tierscope.record.work.code import CodeWork
from tierscope.record.work.loop import LoopWork
from tierscope.stats.median import Interval
from tierscope.suites.core.spread import STEPS, factors
from tierscope.suites.core.walks import APART, BESIDE
from tierscope.units import KiB, MiB

CLOCK = Clock(source="tsc", hz=2e9, resolution_s=5e-10, read_cost_s=2e-8)
LEAST = 1000  # iterations of a block
L2_S, L3_S = 5e-9, 15e-9  # of a line from the second cache, of 2 MiB, and from those behind it


@dataclass(frozen=True)
class MadeCore:
    """Its parameters; `depth`: strides that the prefetcher runs ahead, behind `train` visits; 0: there is none."""

    cycle_s: float = 0.25e-9
    latency_s: float = 100e-9
    width: int = 4
    reorder: int = 160
    vectors: int = 96  # of one kind of filler that fit: integers, vectors
    loads: int = 60  # places for loads, those of the two chains among them
    files: bool = False  # whether windows of one kind of registers are measured
    spread: float = 0.0  # of the latency
    stores: int = 40
    lines: int = 12
    miss: float = 18.0  # cycles
    train: int = 3
    depth: int = 4
    streams: int = 16
    next_line: bool = False
    vector_units: int = 0  # vectors per cycle; 0: as many as other instructions
    nops: int = 0  # per cycle; 0: as other instructions
    ramp: float = 1.0  # time of a cycle in the loop that shows it, over that in the other loops
    code_lines: float = 5.0  # on their way from a cache behind the nearest
    targets: int = 4096  # of jumps, that are known
    redirect: float = 8.0  # cycles of another one
    nearest: int = 32 * KiB  # of the cache of instructions
    walk_s: float = 20e-9  # of a page walk
    walkers: int = 4

    def code_s(self, work: CodeWork, bytes_: int) -> float:
        """Seconds of an iteration of a loop of code."""
        lines, far, latency = bytes_ / 64, bytes_ > self.nearest, L2_S if bytes_ <= 2 * MiB else L3_S
        if work.jumps == 1:
            near = 8 / self.width * self.cycle_s
            return lines * (max(near, latency / self.code_lines) if far else near)
        count = lines * work.jumps
        known = max(self.cycle_s, latency / self.code_lines / work.jumps if far else 0.0)
        other = (self.redirect + 1) * self.cycle_s + (latency / work.jumps if far else 0.0)
        return count * (known if count <= self.targets else other)

    def time_s(self, work: LoopWork, level: str = "memory", threads: int = 1) -> float:
        """Seconds of an iteration of all threads together."""
        if level in (APART, BESIDE):
            return self._walks_s(work.chains) if level == APART else L2_S
        latency = self.latency_s if level.startswith("memory") else L2_S if level == "L2" else L3_S
        if work.train:
            waits = min(work.train, self.train) if self.depth else work.train  # later ones of the window are fetched
            return latency * (waits + self._missed(work)) / (work.train + 1)
        if work.chains == 0:
            return self._fillers_s(work)
        lines = work.chains * (1 + work.beside)
        if not work.fillers:
            return latency * max(1.0, lines / self.lines) / threads
        if work.chains > 2:
            window = min({"result": self.vectors + 1}.get(work.filler, self.reorder), self.reorder - 1)
            loads = math.ceil(window / (work.fillers + 1))
            return work.chains * latency / loads * float(np.interp(self.spread, STEPS, factors(loads)))
        issue = work.chains * work.fillers / self.width * self.cycle_s
        return latency * (1 if self._fits(work) else work.chains) + issue

    def _walks_s(self, chains: int) -> float:
        return max(self.walk_s + L2_S, chains * self.walk_s / self.walkers)

    def _fillers_s(self, work: LoopWork) -> float:
        if work.filler == "sum":
            return work.fillers * self.cycle_s * self.ramp
        if work.filler == "guess":
            return work.fillers * self.cycle_s * (4 + work.random * self.miss / 2)
        vectors = {"vector": work.fillers, "mix": work.fillers / 2}.get(work.filler, 0)
        width = self.nops if work.filler == "nop" and self.nops else self.width
        return max(work.fillers / width, vectors / (self.vector_units or self.width)) * self.cycle_s

    def _fits(self, work: LoopWork) -> bool:
        room = {"store": self.stores, "load": self.loads - 2, "result": self.vectors, "vector": self.vectors}.get(
            work.filler, self.reorder - 2
        )
        return work.chains == 1 or work.fillers <= min(room, self.reorder - 2)

    def _missed(self, work: LoopWork) -> float:
        """1 if the last line is not fetched, else 0."""
        if work.apart:
            return 1.0
        near = self.next_line and work.ahead == 1 and not work.down and work.parity != "even"
        step = max(work.stride, 1)
        stride = work.train >= self.train and work.ahead <= self.depth * step and work.ahead % step == 0
        return 0.0 if near or (self.depth and stride and max(work.windows, 1) <= self.streams) else 1.0


def asked(made: MadeCore, machine: Machine | None = None, **words: str) -> list[Experiment]:
    """Return the experiments of the plan on a machine with that core."""
    suite = suites["core"]
    plan = suite.plan(machine or made_machine(2), suite.read(words))
    found = [next(plan)]
    try:
        while True:
            found.append(plan.send(_answer(found[-1], made)))
    except StopIteration:
        return found


def seconds(experiment: Experiment, made: MadeCore) -> float:
    group = experiment.groups[0]
    if isinstance(group.workload.work, CodeWork):
        return made.code_s(group.workload.work, group.workload.footprint_bytes)
    return made.time_s(group.workload.of(LoopWork), str(experiment.labels["level"]), len(group.team.cpus))


@dataclass(frozen=True)
class _Group:
    interval: Interval


@dataclass(frozen=True)
class _Point:
    groups: tuple[_Group, ...]


def _answer(experiment: Experiment, made: MadeCore) -> Answer:
    facts = made_facts(experiment.groups[0])
    record = Record(
        number=0, experiment=experiment, groups=(facts,), clock=CLOCK, samples="samples/0000.parquet",
        blocks=1, started="", seconds=0.1, largest_relative_error=0.0,
    )  # fmt: skip
    rate = 1 / seconds(experiment, made)
    return Answer(experiment, record, _Point((_Group(Interval(rate, rate, rate, 100)),)))  # type: ignore[arg-type]


def add_core(
    maker: Maker, made: MadeCore = MadeCore(), machine: Machine | None = None, slower: CodeWork | None = None,
    **words: str,
) -> None:  # fmt: skip
    """Points that the plan asks of that core; of the two kinds of fillers that have registers, only if it has files.

    slower: loops of code that take twice as long.
    """
    for one in asked(made, machine, **({"to": "512"} | words)):
        work = one.groups[0].workload.work
        if isinstance(work, LoopWork) and work.filler in ("result", "vector") and work.chains and not made.files:
            continue
        cpus = one.groups[0].team.cpus
        rate = 1 / seconds(one, made) / len(cpus) / (2 if work == slower else 1)
        team = Teamwork((rate,) * len(cpus), noise=0.002)
        blocks = made_blocks(
            (team,), seed=maker.seed + len(maker.records), count=60, block_s=max(BLOCK_S, LEAST / rate)
        )
        maker.add_blocks(one.table, dict(one.labels), one.groups, blocks)
