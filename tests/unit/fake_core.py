"""A core without hardware and without time: it answers as `tierscope-core` does, by stated laws, the same each time."""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import msgspec
import numpy as np
import pytest

from made import made_facts, made_latency_s
from made_counters import answered, counts_of, machine_counts_of
from made_machine import FLUSHES, LINES, WALKS, made_machine
from made_maps import COUNT, timing
from made_work import task_for
from tierscope import core
from tierscope.core import Session
from tierscope.errors import CoreError
from tierscope.record.catalogue import Catalogue, HeldIn, Kernel, Operand, Shape, StructureKind, TargetKind, VictimKind
from tierscope.record.counting import Counting, Counts
from tierscope.record.experiment import Group
from tierscope.record.machine import Machine
from tierscope.record.result import BLOCK, PREEMPTED, SIZING, Blocks, Clock, GroupFacts
from tierscope.record.timing import Timing
from tierscope.record.work.line import LineWork
from tierscope.run import climb, runner, start
from tierscope.run.candidates import (
    LOADS_ONLY,
    PLAIN_STORES,
    PLAIN_STORES_ONLY,
    STREAMED_STORES,
    STREAMED_STORES_ONLY,
)

HZ = 2.0e9
SHAPES = tuple(
    dict.fromkeys(
        Shape(streams, unroll, interleave, prefetch > 0, prefetchw > 0)
        for table in (LOADS_ONLY, PLAIN_STORES_ONLY, PLAIN_STORES, STREAMED_STORES_ONLY, STREAMED_STORES)
        for streams, unroll, interleave, prefetch, prefetchw in table
    )
)
Law = Callable[[Group], float]
Beside = Callable[[Group, Sequence[Group]], float]
TASKS = ("flow", "command", "made_map")
VICTIMS = ("flow", "command")
HELD_IN: dict[str, HeldIn] = {
    "node": "memory", "file": "page cache", "null": "nothing", "emu": "memory", "sim": "memory", "pool": "pool",
    "fsdax": "file system", "devdax": "device", "interleave": "memory",
}  # fmt: skip
"""The targets as the real core states them, which tests/catalogue checks."""
OTHERS = ("chase", "probe", "sleep", "busy", "noop", "handover", "transfer_clean", "transfer_modified")
"""Kernels that walk no lines."""
TASK_S = 0.25  # of a victim that runs tasks, alone


def speed(group: Group) -> float:
    """Operations/s: hops by the made staircase, lines by kernel, streams and threads; slower when paced."""
    work = group.workload
    if work.kernel in ("chase", "probe"):
        return 1 / made_latency_s(work.footprint_bytes, group.target.pages)
    lines = work.work if isinstance(work.work, LineWork) else LineWork()
    alone = 1e8 * (1 + 0.1 * lines.streams) * (1.05 if lines.prefetch_bytes == 512 else 1.0)
    return float(alone * len(group.team.cpus) ** 0.9 / (1 + work.pace_cycles / 300))


@dataclass
class FakeCore:
    """Its state outlives a session, as a machine does. `log` contains every step, `now` the seconds gone by."""

    speed: Law = speed
    noise: Law = lambda group: 0.01
    slow: Beside = lambda group, ran: 1.0  # how many times longer an operation takes next to all that run
    task: Law = lambda group: TASK_S
    error: Law = lambda group: 0.0  # against scalar code
    preempted: float = 0.0  # share of the blocks
    disturbed: Law = lambda group: 0.0  # the same of one group; the larger one counts
    events: frozenset[str] = frozenset()  # that this system counts
    unread: frozenset[str] = frozenset()  # of these those that cannot be read
    dies_at: int = -1  # which `measure` it does not come back from
    fill_s: Law = lambda group: 0.0  # to prepare a group
    map_s: Law = lambda group: 0.0  # to map its memory, unless the process has it from the point before
    ask_s: float = 0.0  # of each measurement, beyond its own time
    pages: str = ""  # bytes of page that are found, whatever was asked
    log: list[str] = field(default_factory=list)
    now: float = 0.0
    measured: int = 0
    open: int = 0

    def session(self) -> Session:
        """For `Runner`."""
        self.log.append("start")
        self.open += 1
        return cast("Session", FakeSession(self))

    def pace(self, group: Group, ran: Sequence[Group]) -> float:
        """Operations/s of a group while `ran` run, itself among them."""
        return self.speed(group) / self.slow(group, ran)

    def task_s(self, group: Group, ran: Sequence[Group]) -> float:
        """Seconds of one task."""
        return self.task(group) * self.slow(group, ran)

    def monotonic(self) -> float:
        """For what takes the time."""
        return self.now


class FakeSession:
    """One core process."""

    clock = Clock(source="tsc", hz=HZ, resolution_s=1 / HZ, read_cost_s=2e-8)

    def __init__(self, core: FakeCore) -> None:
        self._core = core
        self._groups: list[Group] = []
        self._ran: list[int] = []  # batches of each group
        self._batch = 0

    def prepare(self, groups: Sequence[Group]) -> tuple[GroupFacts, ...]:
        self._core.log.append("prepare " + "+".join(group.workload.kernel for group in groups))
        self._core.now += 0.01 + sum(map(self._core.fill_s, groups))
        self._core.now += sum(self._core.map_s(group) for n, group in enumerate(groups) if not self._keeps(n, group))
        self._groups, self._batch = list(groups), 0
        self._ran = [0] * len(groups)
        return tuple(self._facts(group) for group in groups)

    def _keeps(self, number: int, group: Group) -> bool:
        """Return whether this group of the last point has the same memory, and enough of it."""
        if number >= len(self._groups):
            return False
        last = self._groups[number]
        return last.targets == group.targets and last.workload.footprint_bytes >= group.workload.footprint_bytes

    def set(self, number: int, group: Group) -> GroupFacts:
        self._core.log.append("set")
        self._groups[number] = group
        return self._facts(group)

    def measure(self, seconds: float, block_s: float, groups: Sequence[int] = ()) -> Blocks:
        """The same blocks for the same groups and batch, whatever went before."""
        self._core.log.append(f"measure {seconds:.3f}")
        numbers = list(groups) or list(range(len(self._groups)))
        ran = [self._groups[g] for g in numbers]
        seconds = max([seconds, *(self._core.task_s(group, ran) for group in ran if group.workload.kernel in TASKS)])
        self._core.now += seconds + self._core.ask_s
        if self._core.measured == self._core.dies_at:
            raise CoreError("tierscope-core ended with signal Segmentation fault: no message; report this")
        self._core.measured += 1
        words = [sorted(core.group_words(group).items()) for group in self._groups]  # a new word changes no draw
        seed = zlib.crc32(repr((words, self._batch + 1)).encode())
        rng = np.random.default_rng(seed)
        threads = [(g, t) for g in numbers for t in range(len(self._groups[g].team.cpus))]
        blocks = np.concatenate([self._thread(rng, g, t, seconds, block_s, ran) for g, t in threads])
        self._batch += 1
        self._ran = [ran + (g in numbers) for g, ran in enumerate(self._ran)]
        return blocks

    def count(self, events: str) -> Counting:
        self._core.log.append(f"count {events}")
        self._counting = answered(events, self._core.events)
        return self._counting

    def counts(self) -> tuple[Counts, ...]:
        self._core.log.append("counts")
        return tuple(counts_of(self._counting, self._core.unread, ran) for ran in self._ran)

    def machine_counts(self) -> Counts:
        self._core.log.append("machine counts")
        return machine_counts_of(self._counting, self._batch)

    def check(self) -> tuple[float, tuple[str, ...], dict[str, int]]:
        self._core.log.append("check")
        return max(self._core.error(group) for group in self._groups), ("",) * len(self._groups), {}

    def timings(self) -> tuple[tuple[Timing, ...], ...]:
        """One for each batch, of groups that run a structure."""
        self._core.log.append("timings")
        batches = tuple(timing("quick_map", "get", 1, 1.0, [batch], COUNT)[0] for batch in range(self._batch))
        return tuple(batches if group.workload.kernel == "made_map" else () for group in self._groups)

    def drop(self) -> None:
        self._core.log.append("drop")

    def told(self) -> None: ...

    def close(self) -> None:
        self._core.log.append("close")
        self._core.open -= 1

    def _facts(self, group: Group) -> GroupFacts:
        facts = made_facts(group, isa=group.workload.isa or "avx512")
        if not self._core.pages:
            return facts
        return msgspec.structs.replace(facts, pages={self._core.pages: facts.footprint_bytes})

    def _thread(
        self, rng: np.random.Generator, number: int, thread: int, seconds: float, block_s: float, ran: list[Group]
    ) -> Blocks:
        group = self._groups[number]
        task = group.workload.kernel in TASKS
        pace = 1 / self._core.task_s(group, ran) if task else self._core.pace(group, ran) / len(group.team.cpus)
        block_s = 1 / pace if task else block_s
        count = max(1, int(seconds / block_s + 1e-9)) if task else round(seconds / block_s)
        rates = pace * np.exp(rng.normal(0, self._core.noise(group), count + 1))
        operations = np.maximum(1, round(pace * block_s)) * np.ones(count + 1)
        lasts = operations / rates
        ends = 2.0 + self._batch + np.cumsum(lasts) - lasts[0]  # sized before all start together
        blocks = np.zeros(count + 1, dtype=BLOCK)
        blocks["group"], blocks["thread"], blocks["batch"] = number, thread, self._batch
        blocks["cpu"] = group.team.cpus[thread]
        blocks["stop_ticks"] = np.round(ends * HZ)
        blocks["start_ticks"] = np.round((ends - lasts) * HZ)
        blocks["operations"] = operations
        shares = self._core.preempted, self._core.disturbed(group)
        disturbed = 1.0 if group.workload.kernel == "sleep" else max(shares)
        blocks["flags"] = np.where(rng.random(count + 1) < disturbed, PREEMPTED, 0)
        blocks["flags"][0] = SIZING
        return blocks[1:] if task else blocks


def made_catalogue(*, pools: bool = True) -> Catalogue:
    """All kernels of the suites, on vectors and in scalar code."""
    names = [*WALKS, *OTHERS, *(f"flush_{name}" for name in FLUSHES)]
    return Catalogue(
        version="0.1.0",
        compiler="made 1.0",
        kernels=tuple(_kernel(name, isa, rank) for name in names for isa, rank in (("scalar", 0), ("avx512", 3))),
        targets=tuple(TargetKind(name=name, word=name, summary="", held_in=held) for name, held in HELD_IN.items()),
        victims=tuple(_victim(name) for name in VICTIMS),
        structures=(
            StructureKind(name="made_map", available=True, reason="", persistent=False, summary="", source=""),
        ),
    )


def _victim(name: str) -> VictimKind:
    return VictimKind(name=name, available=True, reason="", summary="", source="")


def _operands(name: str) -> tuple[Operand, ...]:
    """As many as it has arrays, the first of those that are stored to."""
    if name not in WALKS:
        return (Operand(1, loads=True, stores=False),)
    count, (reads, writes) = WALKS[name].arrays, LINES[name]
    if count == 1:
        return (Operand(1, loads=reads > 0, stores=writes > 0),)
    loaded = tuple(Operand(reads // (count - 1), loads=True, stores=False) for _ in range(count - 1))
    return (Operand(writes, loads=False, stores=True), *loaded)


def _kernel(name: str, isa: str, rank: int) -> Kernel:
    task = task_for(name)
    store = "nt" if name.endswith("_nt") else "none" if task != "line" or name == "read" else "plain"
    return Kernel(
        kernel=name, isa=isa, rank=rank, available=True, reason="", summary="", source="", store=store,
        operation=task, needs_memory=True, program_bytes_per_operation=64.0,
        bus_bytes_per_operation=64.0, flops_per_operation=0, operands=_operands(name),
        shapes=SHAPES if task == "line" else SHAPES[:1],
        flushes=name.startswith("flush_"), needs=FLUSHES.get(name.removeprefix("flush_"), ""),
    )  # fmt: skip


def made_topology(machine: Machine | None = None) -> dict[str, Any]:
    """The output of `tierscope-core topology` for a machine."""
    identity = (machine or made_machine()).identity
    words = ("architecture", "model", "family", "features", "hypervisor", "cpus", "nodes", "caches")
    return {word: msgspec.to_builtins(getattr(identity, word)) for word in words}


def put_in_place(fake: FakeCore, monkeypatch: pytest.MonkeyPatch) -> FakeCore:
    """The whole package uses it instead of `tierscope-core`, the clock, and the checks of this machine."""
    monkeypatch.setattr(core, "Session", fake.session)
    monkeypatch.setattr(core, "catalogue", made_catalogue)
    monkeypatch.setattr(core, "topology", made_topology)
    monkeypatch.setattr(runner, "time", fake)
    monkeypatch.setattr(climb, "MOST", 10)  # trials of a search: test_climb.py and test_winners.py have whole ones
    monkeypatch.setattr(start, "examine", lambda system: ())
    monkeypatch.setattr(start, "watch_of", lambda manifest, host: None)
    return fake
