"""Latency under load: one CPU chases pointers while the others read and write the same tier at a set pace.

The pace is a delay in core cycles after each burst of about 1 KiB. Without a delay, the CPUs do all that they can, in
the loop variant that a calibration finds, as for `stream`. A longer delay lowers the load, and the curve of latency
over bandwidth goes back from saturation to the idle machine. The chaser alone and the chaser with the load are two
takes of one experiment. They alternate in short batches, so that a machine that drifts cannot make either look better.
The other hardware threads of the chaser's core stay idle, since they would share its first caches. The load may run on
other CPUs and on other memory than the chaser. Both may leave out lines between two accesses, in sequence or at random
(`loads.py`). Blind, on few cores, to saturation: the load is at most what these CPUs can request.
Source: Intel, "Memory Latency Checker" user guide; P. Esmaili-Dokht et al., "A Mess of Memory System Benchmarking,
Simulation and Application Profiling", MICRO 2024.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Annotated

import msgspec

from tierscope.errors import UsageError
from tierscope.plans import Plan, Suite, SuiteOptions, loaded, suites
from tierscope.plans.answer import Answer
from tierscope.plans.cpus import near_cpus
from tierscope.plans.kernels import LOADS
from tierscope.plans.kinds import (
    ALL,
    Help,
    Lines,
    LineSize,
    Names,
    Number,
    Numbers,
    Size,
    Visits,
    one_of,
    one_size,
    several,
    several_sizes,
)
from tierscope.plans.sizes import Memory, all_together, chosen_array
from tierscope.plans.usual import Budget, PageSize, Precision, Where
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team
from tierscope.record.machine import Machine
from tierscope.suites.loaded_latency.loads import ORDERS, RANDOM, SEQUENTIAL, Place, Steps, chase_of, load_of, place_of
from tierscope.suites.loaded_latency.tails import tail
from tierscope.units import LINE_BYTES, KiB

MIXES = tuple(name + form for name in LOADS for form in (("",) if name == "read" else ("", "_nt")))
DELAYS = (0, 25, 50, 100, 150, 200, 300, 500, 1000, 2000, 5000, 20000)
Stride = Annotated[
    int, msgspec.Meta(ge=LINE_BYTES, multiple_of=LINE_BYTES), one_size("whole lines are skipped; try load_stride=256B")
]
Strides = Annotated[Lines, several_sizes("stride", "whole lines of 64 bytes are skipped; try 64B,256B")]


class LoadedLatencyOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run loaded-latency`."""

    target: Where = Target()
    pages: PageSize = "thp"
    mixes: Annotated[
        Names,
        several("mix", MIXES, whole=ALL),
        Help(
            "load kernels: `read`, `write`, `mix_3r1w`, `mix_2r1w`, `mix_1r1w`, `mix_1r2w`; "
            "all but `read` also with `_nt`"
        ),
    ] = MIXES
    delays: Annotated[Numbers, Help("core cycles of delay after each burst")] = DELAYS
    load_threads: Annotated[Numbers | None, Help("numbers of loading threads; auto: all CPUs but the chaser's")] = None
    cpus: Annotated[
        Numbers | None,
        Help("CPUs to use, the chaser's first; auto: those of the target's node, one of each core first"),
    ] = None
    load_cpus: Annotated[Numbers | None, Help("CPUs that load; auto: those of `load_node`, or the rest of `cpus`")] = (
        None
    )
    load_node: Annotated[
        Number | None, Help("node whose CPUs load; auto: that of the target, with the chaser's own CPU left out")
    ] = None
    load_target: Annotated[Target | None, Help("where the bytes of the load live; auto: those of `target`")] = None
    strides: Annotated[
        Strides, Help("bytes from one access of the chaser to the next, multiples of 64; a table row for each")
    ] = (LINE_BYTES,)
    order: Annotated[
        Names, several("order", ORDERS), Help("of the chaser's accesses: `random`, `sequential`, or both")
    ] = (RANDOM,)
    load_stride: Annotated[Stride | None, Help("the same of the load; auto: as the chaser's")] = None
    load_order: Annotated[str, one_of("order", ORDERS), Help("of the load's accesses: `sequential`, `random`")] = (
        SEQUENTIAL
    )
    tail: Annotated[
        Numbers | None, Help("delays at which the percentiles of single accesses are measured, too; auto: none")
    ] = None
    tail_hops: Annotated[
        Annotated[int, msgspec.Meta(ge=1, le=1000)],
        Help("accesses between two reads of the clock: 1 is a single access, more are their mean"),
    ] = 1
    burst: Annotated[
        LineSize,
        Help("bytes of the load between two delays; more where one step of all streams of the loop variant is"),
    ] = KiB
    array: Annotated[Size | None, Help("bytes of each array, as for `stream`")] = None
    precision: Precision = 0.02
    budget: Budget = 1.0
    visits: Visits = 3


def load_counts(asked: Numbers | None, cpus: tuple[int, ...]) -> Numbers:
    """Return the numbers of loading threads, of the CPUs that may load; UsageError for more than there are."""
    counts = asked or (len(cpus),)
    for count in counts:
        if not 1 <= count <= len(cpus):
            beside = ",".join(map(str, cpus))
            raise UsageError(f"load_threads={count} does not fit the CPUs other than the chaser's, {beside}")
    return counts


@dataclass(frozen=True)
class Field:
    """The values that all points of one run share."""

    machine: Machine
    chosen: LoadedLatencyOptions
    place: Place
    memory: Memory

    @property
    def schedule(self) -> Schedule:
        """Return the schedule that was asked for."""
        chosen = self.chosen
        return Schedule(precision=chosen.precision, budget_s=chosen.budget, visits=chosen.visits)

    def chase(self, steps: Steps) -> tuple[Group, str]:
        """Return the chaser with its steps, and why it is smaller than asked."""
        target = self.chosen.target.on(self.chosen.pages)
        work, note = chase_of(self.machine, self.memory.array_bytes, steps, target)
        return Group(workload=work, target=target, team=Team(cpus=(self.place.chaser,)), role="chaser"), note

    def load(self, mix: str, delay: int, count: int, steps: Steps) -> tuple[Group, str]:
        """Return a load with its steps, and why it is smaller than asked."""
        place, pace = self.place, (delay, self.chosen.burst)
        work, note = load_of(self.machine, mix, self.memory, steps, place.target, pace)
        return Group(workload=work, target=place.target, team=Team(cpus=place.cpus[:count]), role="load"), note

    def noted(self, *notes: str) -> str:
        """Return all notes as one, each once."""
        return "; ".join(dict.fromkeys(part for part in (self.memory.note, self.place.note, *notes) if part))


def idle(field: Field, steps: Steps) -> Experiment:
    """Return the chaser alone."""
    chase, note = field.chase(steps)
    return loaded.idle(chase, field.schedule, field.noted(note))


def beside(field: Field, chase: tuple[Group, str], load: tuple[Group, str], mix: str) -> Experiment:
    """Return the chaser with a load, in alternation with the chaser alone."""
    return loaded.beside(field.machine, chase[0], load[0], field.schedule, field.noted(chase[1], load[1]), mix)


def steps_of(chosen: LoadedLatencyOptions) -> Iterator[tuple[Steps, Steps]]:
    """Yield the steps of the chaser with those of the load."""
    for order in dict.fromkeys(chosen.order):
        for stride in dict.fromkeys(chosen.strides):
            yield Steps(stride, order), Steps(chosen.load_stride or stride, chosen.load_order)


def measure(
    machine: Machine, chosen: LoadedLatencyOptions, cache_bytes: int | None = None, together: str = ""
) -> Generator[Experiment, Answer, None]:
    """Yield the idle machine first, then every mix from the heaviest load down.

    together: why all arrays of a load have the size of one, if they do.
    """
    target = chosen.target.on(chosen.pages)
    place = place_of(machine, target, chosen.cpus, chosen.load_cpus, chosen.load_node, chosen.load_target)
    counts = load_counts(chosen.load_threads, place.cpus)
    near = near_cpus(machine, target)[0]
    used = (place.chaser, *place.cpus)
    memory = yield from chosen_array(machine, chosen.array, cache_bytes, used, near, target)
    field = Field(machine, chosen, place, all_together(memory, together))
    for steps, load_steps in steps_of(chosen):
        yield idle(field, steps)
        for count in counts:
            for mix in chosen.mixes:
                for delay in sorted(chosen.delays):
                    yield beside(field, field.chase(steps), field.load(mix, delay, count, load_steps), mix)
                for delay in dict.fromkeys(chosen.tail or ()):
                    point = beside(field, field.chase(steps), field.load(mix, delay, count, load_steps), mix)
                    yield tail(point, chosen.tail_hops, mix)


def plan(machine: Machine, chosen: LoadedLatencyOptions) -> Plan:
    yield from measure(machine, chosen)


suites.add(
    Suite(
        "loaded-latency",
        "latency over bandwidth, for mixes of reads and writes",
        LoadedLatencyOptions,
        plan,
        kernels=True,
        details="Measures the latency of one chaser while a load of reads and writes runs; a delay sets the "
        "pace of the load. Each load alternates with the chaser alone. Needs two CPUs. "
        "See [how to load from other nodes](../how-to/loaded-latency.md).",
    )
)
