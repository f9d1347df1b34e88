"""The setting that all points of one run of `policy` share, and the experiments that it makes."""

from dataclasses import dataclass, field

import msgspec

from tierscope.errors import UsageError
from tierscope.plans.cpus import near_cpus
from tierscope.plans.simulation import NAME as SIMULATED
from tierscope.plans.simulation import SHORTER
from tierscope.plans.sizes import LARGEST, MEMORY_SHARE, free_bytes
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.labels import Labels
from tierscope.record.machine import Machine
from tierscope.record.work.block import BlockWork
from tierscope.stats.strides import Stride, StrideLabels
from tierscope.suites.policy.options import COMBINING, INTERLEAVE, MIGRATION, PolicyOptions
from tierscope.tables.policy_found import WRITE_BYTES
from tierscope.tables.regions import RegionLabels
from tierscope.units import LINE_BYTES, GiB, KiB, MiB, word_bytes

LINES = 4096  # at one stride: more than queues contain
FEWER_LINES = 2048  # where memory is short
SIMULATED_BYTES = 64 * GiB  # a simulation does not store them
THREADS = 24  # at most: they must ask for more than one of the memories gives
LEAST_BLOCK_S = 1e-6  # that the core takes; it keeps several times as many blocks as fit
ASKING = Schedule(precision=0.2, minimum_s=0.02, budget_s=0.02)
WRITTEN_BYTES = 256 * MiB
BLOCK_BYTES = 128 * KiB
ENOUGH = 80  # blocks of a region: a verdict needs 50 clean ones

Layout = tuple[int, int]  # memories side by side, bytes of each before the next
ALONE: Layout = (1, 0)


@dataclass(frozen=True)
class Field:
    """The values that all points of one run share.

    `known`: lines/s by stride and threads; `strides`: the same with intervals.
    """

    target: Target
    cpus: tuple[int, ...]
    cpu: int
    memory_bytes: int
    schedule: Schedule
    known: dict[tuple[int, int], float] = field(default_factory=dict)
    strides: list[Stride] = field(default_factory=list)

    @property
    def lines(self) -> int:
        return LINES if self.memory_bytes // LINES >= MiB else FEWER_LINES

    @property
    def shorter(self) -> float:
        """Return the factor by which a simulation shortens what is asked for."""
        return SHORTER if self.target.name == SIMULATED else 1.0

    def stored(self, stride: int, control: bool, cpus: tuple[int, ...]) -> Experiment:
        """Return the experiment that stores lines at random among those of a stride."""
        work = Workload(
            kernel="flush_nt",
            footprint_bytes=self.lines * stride,
            work=BlockWork(element_bytes=stride, access_bytes=LINE_BYTES, fence="never", order="random"),
        )
        labels = StrideLabels(stride_bytes=stride, control=control)
        return self._experiment(INTERLEAVE, work, labels, cpus, self.schedule)

    def overwritten(self, place: int, writes: int, each_s: float, layout: Layout = ALONE) -> Experiment:
        """Return single writes, one after the other, repeatedly; only the expected number of blocks is kept.

        layout: one of its memories is written; the place has this number of bytes in it.
        """
        ways, grain = layout if place > layout[1] else ALONE
        element = grain * ways if ways > 1 else WRITE_BYTES
        work = Workload(
            kernel="flush_nt",
            footprint_bytes=place * ways,
            work=BlockWork(element_bytes=element, access_bytes=WRITE_BYTES, fence="chunk", order="sequential"),
            per_block=1,
        )
        label = RegionLabels(region_bytes=place)
        if not writes:
            return self._experiment("sizing", work, label, (self.cpu,), ASKING)
        seconds = writes * each_s
        lasting = Schedule(
            precision=0.02, minimum_s=seconds, budget_s=seconds, block_s=max(each_s, self.shorter * LEAST_BLOCK_S)
        )
        return self._experiment(MIGRATION, work, label, (self.cpu,), lasting)

    def joined(self, region: int, line_s: float) -> Experiment:
        """Return each line of a region once, in random order; for `ENOUGH` blocks if a line takes `line_s`."""
        most = min(self.memory_bytes, WRITTEN_BYTES)
        whole = -(-BLOCK_BYTES // region) * region
        work = Workload(
            kernel="flush_nt",
            footprint_bytes=max(most // region, 2) * region,
            work=BlockWork(element_bytes=LINE_BYTES, locality_bytes=region, order="once", fence="region"),
            per_block=whole // LINE_BYTES,
        )
        seconds = ENOUGH * whole / LINE_BYTES * line_s * self.shorter
        asked = self.schedule
        shortest, longest = max(seconds, asked.minimum_s), max(seconds, asked.budget_s)
        lasting = msgspec.structs.replace(asked, minimum_s=shortest, budget_s=longest, piece_s=shortest)
        return self._experiment(COMBINING, work, RegionLabels(region_bytes=region), (self.cpu,), lasting)

    def _experiment(
        self, table: str, work: Workload, labels: Labels, cpus: tuple[int, ...], schedule: Schedule
    ) -> Experiment:
        group = Group(workload=work, target=self.target, team=Team(cpus=cpus), role="writer")
        return Experiment(table=table, groups=(group,), schedule=schedule, labels=labels.stored())


def field_of(machine: Machine, chosen: PolicyOptions) -> Field:
    """Return the setting; UsageError for CPUs that may not be used, or less memory than the smallest strides need."""
    target = chosen.target.on(chosen.pages)
    near = near_cpus(machine, target)
    cpu = near[0] if chosen.cpu is None else chosen.cpu
    threads = min(len(near), THREADS) if chosen.threads is None else chosen.threads
    if cpu not in machine.cpus() or threads > len(near):
        raise UsageError(
            f"cpu={cpu} threads={threads}: usable CPUs are {','.join(map(str, near))}; try threads={len(near)}"
        )
    usual = SIMULATED_BYTES if target.name == SIMULATED else LARGEST
    free = int(free_bytes(machine, target) * MEMORY_SHARE)
    memory = min(usual, free) if chosen.memory is None else chosen.memory
    if memory < 64 * MiB:
        raise UsageError(f"memory={word_bytes(memory)} is too little for lines far apart; try memory=64MiB or more")
    schedule = Schedule(precision=chosen.precision, minimum_s=0.1, budget_s=chosen.budget, visits=chosen.visits)
    return Field(target, near[:threads], cpu, memory, schedule)
