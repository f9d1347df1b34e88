"""Policy: how a memory spreads addresses, when it moves data, and how it joins writes.

It has three parts. Each may find nothing.

    interleave  bandwidth of scattered lines over the stride between them, against strides close to it that meet all
                memories alike. Lines are stored past the caches, because few of them are at a large stride, and
                loads would find them in the processor. Strides are odd numbers times powers of two. Odd numbers
                above 1 are measured at the largest strides, and at all strides only if bandwidth falls there.
    migration   one place of 256 bytes is overwritten, each write timed by itself. Then places of twice the size follow,
                up to one without migration: a stall there too is the machine's.
                If memories are side by side, places above their grain are 256 bytes of each grain of one memory.
                The next addresses are on another memory.
    combining   fresh regions, each line stored once in random order, with a fence behind each region.

Blind to: interleaving by a hash of the address; grains above a hundredth of the memory that may be used. Also blind to
places of one memory that do not fit into a page, since the next page may begin in another memory.
Source: Z. Wang et al., "Characterizing and Modeling Non-Volatile Memory Systems", MICRO 2020 (LENS, policy prober);
inference: `stats.interleave`, `stats.migration`, `stats.combining`.
"""

import math
from collections.abc import Generator, Iterable
from dataclasses import dataclass, field

import msgspec
import numpy as np

from tierscope.errors import UsageError
from tierscope.plans import Plan, Suite, suites
from tierscope.plans.answer import Answer
from tierscope.plans.cpus import near_cpus
from tierscope.plans.fresh import sizes
from tierscope.plans.simulation import NAME as SIMULATED
from tierscope.plans.simulation import SHORTER
from tierscope.plans.sizes import LARGEST, MEMORY_SHARE, free_bytes
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.labels import Labels
from tierscope.record.machine import Machine
from tierscope.record.work.block import BlockWork
from tierscope.stats.migration import FAR
from tierscope.stats.strides import Stride, StrideLabels, spread_of, stride_of
from tierscope.suites.policy.options import COMBINING, INTERLEAVE, MIGRATION, PolicyOptions
from tierscope.tables.regions import RegionLabels
from tierscope.units import LINE_BYTES, GiB, KiB, MiB, show_bytes, word_bytes

LINES = 4096  # at one stride: more than queues contain
FEWER_LINES = 2048  # where memory is short
SIMULATED_BYTES = 64 * GiB  # a simulation does not store them
THREADS = 24  # at most: they must ask for more than one of the memories gives
LEAST_STRIDE = 128
MOST_STRIDE = 4 * MiB  # resonates with 12 memories of 256 KiB each
ODDS = (3, 5, 7, 9, 11)
FALLS = 0.85  # of the bandwidth at the power of two below: then all strides of this odd number are taken
TRIED = 2  # largest strides of an odd number
PRIMES = (2, 3, 5, 7, 11, 13)  # that a control has none of
WRITE_BYTES = 256
PLACES = tuple(1 << power for power in range(11, 20))  # bytes, that are overwritten after the first
FAR_BYTES = 16 * MiB  # a place that is larger than any unit
LEAST_BLOCK_S = 1e-6  # that the core takes; it keeps several times as many blocks as fit
RATE = 2e6  # writes/s, where nothing is known
ASKING = Schedule(precision=0.2, minimum_s=0.02, budget_s=0.02)
REGIONS_TO = 512 * KiB
WRITTEN_BYTES = 256 * MiB
BLOCK_BYTES = 128 * KiB
LINE_S = 120e-9  # of a written line, where nothing is known yet
GROWS = 1.25  # most that the time of a line grows from one region to the next
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


def control_of(stride: int) -> int:
    """Return a stride close to it that meets memories of any grain and number up to 13 alike."""
    lines = stride // LINE_BYTES + 1
    while any(lines % prime == 0 for prime in PRIMES):
        lines += 1
    return lines * LINE_BYTES


def most_stride(setting: Field, asked: int | None) -> int:
    """Return a power of two. Its odd multiples up to `MOST_STRIDE` fit into the memory."""
    room = setting.memory_bytes // setting.lines
    most = min(MOST_STRIDE, room) if asked is None else asked
    if most < 2 * LEAST_STRIDE:
        raise UsageError(f"to={word_bytes(most)}: strides begin at {LEAST_STRIDE} B; try to=4MiB")
    if most > room:
        raise UsageError(
            f"to={word_bytes(most)}: {setting.lines} lines at this stride need {show_bytes(most * setting.lines)}, and "
            f"{show_bytes(setting.memory_bytes)} may be taken; try to={word_bytes(1 << (room.bit_length() - 1))}"
        )
    return 1 << (most.bit_length() - 1)


def interleave(setting: Field, most: int) -> Plan:
    """Yield powers of two with their controls, and their odd multiples if these may show something."""
    powers = [LEAST_STRIDE << step for step in range(int(math.log2(most // LEAST_STRIDE)) + 1)]
    for place, stride in enumerate(powers):
        yield from _measured(setting, stride, control=False)
        if place % 2 == 1:
            yield from _measured(setting, control_of(stride), control=True)
    half = setting.cpus[: max(len(setting.cpus) // 2, 1)]
    if half != setting.cpus:
        yield from _measured(setting, control_of(powers[-1]), control=True, cpus=half)
    for odd in ODDS:
        strides = [odd * power for power in powers if odd * power <= most]
        for stride in reversed(strides[-TRIED:]):
            yield from _measured(setting, stride, control=False)
        if any(_falls(setting, stride, odd) for stride in strides[-TRIED:]):
            for stride in strides[:-TRIED]:
                yield from _measured(setting, stride, control=False)


def _measured(
    setting: Field, stride: int, *, control: bool, cpus: tuple[int, ...] = ()
) -> Generator[Experiment, Answer, None]:
    cpus = cpus or setting.cpus
    answer = yield setting.stored(stride, control, cpus)
    if (rate := answer.rate()) and answer.point:
        setting.known[stride, len(cpus)] = rate
        setting.strides.append(stride_of(answer.experiment, answer.point.groups[0].interval))


def _falls(setting: Field, stride: int, odd: int) -> bool:
    """Return whether bandwidth is below that at the power of two, or for 9 at a third of it; False while planning."""
    count = len(setting.cpus)
    others = {stride // odd, stride // 3 if odd % 3 == 0 else stride // odd}
    found = [setting.known[other, count] for other in others if (other, count) in setting.known]
    own = setting.known.get((stride, count))
    return own is not None and bool(found) and own < FALLS * min(found)


def layout_of(setting: Field) -> Layout:
    """Return the layout, as far as the strides show it."""
    spread = spread_of(setting.strides)
    if spread is None or spread.interleave.ways == 1:
        return ALONE
    return spread.interleave.ways, spread.interleave.grain_bytes


def migration(setting: Field, writes: int, layout: Layout = ALONE) -> Plan:
    """Yield writes to places, for as long as `writes` writes take in the target's own time."""
    answer = yield setting.overwritten(WRITE_BYTES, 0, 0.0)
    each = setting.shorter / (answer.rate() or RATE)
    answer = yield setting.overwritten(WRITE_BYTES, writes, each)
    if not _stalls(answer):
        return
    for place in PLACES:
        yield setting.overwritten(place, writes // 2, each, layout)
    answer = yield setting.overwritten(FAR_BYTES, 0, 0.0)
    each = setting.shorter / (answer.rate() or RATE)
    yield setting.overwritten(FAR_BYTES, writes // 2, each)


def _stalls(answer: Answer) -> bool:
    """Return whether some write took several times as long as most; while planning, True."""
    if answer.point is None or answer.point.together.rates.size == 0:
        return True
    rates = answer.point.together.rates[0]
    return bool(rates.min() * FAR < np.median(rates))


def combining(setting: Field) -> Plan:
    regions: Iterable[int] = sizes(LINE_BYTES, REGIONS_TO, 2)
    line_s = LINE_S
    for region in regions:
        answer = yield setting.joined(region, line_s)
        if rate := answer.rate():
            line_s = GROWS / rate


def plan(machine: Machine, chosen: PolicyOptions) -> Plan:
    setting = field_of(machine, chosen)
    most = most_stride(setting, chosen.to)
    if INTERLEAVE in chosen.parts:
        yield from interleave(setting, most)
    if MIGRATION in chosen.parts:
        yield from migration(setting, chosen.writes, layout_of(setting))
    if COMBINING in chosen.parts:
        yield from combining(setting)


suites.add(
    Suite(
        "policy",
        "interleaving, migrations and the joining of writes, inferred",
        PolicyOptions,
        plan,
        details="Finds how a memory spreads addresses over memories side by side, when it moves data that was"
        " written too often, and how it joins lines on their way to the medium. **It writes.** See "
        "[how to find policies](../how-to/policy.md).",
    )
)
