"""Latency under load: one CPU chases pointers while the others read and write the same tier at a set pace.

The pace is a delay in core cycles after each burst of about 1 KiB; no delay is all they can do, in the loop variant
that a calibration finds, as for `stream`. Where the delay grows, the load falls, and the curve of latency over
bandwidth goes back from saturation to the idle machine. The chaser alone and the chaser beside the load are two takes
of one experiment, a short batch each in alternation, so that a machine that drifts cannot make either look better.
The other hardware threads of the chaser's core stay idle, since they would share its first caches. Blind, on few
cores, to saturation: what is reached is what these CPUs can ask.
Source: Intel, "Memory Latency Checker" user guide; P. Esmaili-Dokht et al., "A Mess of Memory System Benchmarking,
Simulation and Application Profiling", MICRO 2024.
"""

from collections.abc import Generator
from typing import Annotated

import msgspec

from tierscope.errors import MachineError, UsageError
from tierscope.plans import Plan, Suite, SuiteOptions, suites
from tierscope.plans.answer import Answer
from tierscope.plans.cpus import chosen_cpus, near_cpus
from tierscope.plans.kernels import LOADS, walk_of
from tierscope.plans.kinds import ALL, Help, Names, Numbers, Pages, Share, Size, Time, Visits, several
from tierscope.plans.sizes import chosen_array
from tierscope.record.experiment import Experiment, Group, Label, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.work import HopWork, LineWork
from tierscope.units import KiB

MIXES = tuple(name + form for name in LOADS for form in (("",) if name == "read" else ("", "_nt")))
ALONE_S = 0.15  # of the chaser without load, at least
BATCH_S = 0.04  # of either take in one round: three rounds of a visit have the blocks that a summary needs
TAKES, AGAINST = ((0,), (0, 1)), (0, 0)  # the chaser alone; both, compared with it
DELAYS = (0, 25, 50, 100, 150, 200, 300, 500, 1000, 2000, 5000, 20000)


class LoadedLatencyOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run loaded-latency`."""

    target: Annotated[Target, Help("where the bytes live")] = Target()
    pages: Annotated[Pages, Help("page size: `4k`, `thp`, `2m`, `1g`")] = "thp"
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
    burst: Annotated[
        Size, Help("bytes of the load between two delays; more where one step of all streams of the loop variant is")
    ] = KiB
    array: Annotated[Size | None, Help("bytes of each array, as for `stream`")] = None
    precision: Annotated[Share, Help("half of the 95 % interval over the median")] = 0.02
    budget: Annotated[Time, Help("most seconds timed for one point")] = 1.0
    visits: Visits = 3


def load_counts(asked: Numbers | None, cpus: tuple[int, ...]) -> Numbers:
    counts = asked or (len(cpus) - 1,)
    for count in counts:
        if not 1 <= count < len(cpus):
            beside = ",".join(map(str, cpus[1:]))
            raise UsageError(f"load_threads={count} does not fit the CPUs beside the chaser's, {beside}")
    return counts


def idle(chase: Group, schedule: Schedule, note: str) -> Experiment:
    """Return the chaser alone."""
    labels: dict[str, Label] = {"read_share": None, "store": "none", "delay_cycles": None, "load_threads": 0}
    schedule = msgspec.structs.replace(schedule, minimum_s=ALONE_S)
    return Experiment(table="loaded_latency", groups=(chase,), schedule=schedule, labels=labels, note=note)


def beside(machine: Machine, chase: Group, load: Group, schedule: Schedule, note: str) -> Experiment:
    """Return the chaser beside a load, in alternation with the chaser alone.

    With visits=0 it is not compared with it, as in versions that knew no visits: runs that they began are resumed.
    """
    kernel, nt = load.workload.kernel, load.workload.kernel.endswith("_nt")
    labels: dict[str, Label] = {
        "read_share": walk_of(machine, kernel).read_share,
        "store": "none" if kernel == "read" else "nt" if nt else "plain",
        "delay_cycles": load.workload.pace_cycles,
        "load_threads": len(load.team.cpus),
    }
    return Experiment(
        table="loaded_latency",
        groups=(chase, load),
        schedule=msgspec.structs.replace(schedule, minimum_s=BATCH_S if schedule.visits else ALONE_S),
        labels=labels,
        calibrate=True,
        note=note,
        takes=TAKES if schedule.visits else (),
        against=AGAINST if schedule.visits else (),
    )


def apart(machine: Machine, cpus: tuple[int, ...]) -> tuple[tuple[int, ...], str]:
    """Without the other hardware threads of the chaser's core, which share its first caches; a note if none is left."""
    core_of = {cpu.number: (cpu.package, cpu.core) for cpu in machine.identity.cpus}
    others = tuple(cpu for cpu in cpus[1:] if core_of[cpu] != core_of[cpus[0]])
    if others:
        return (cpus[0], *others), ""
    return cpus, "the load shares the chaser's core: no other core may be used"


def measure(
    machine: Machine, chosen: LoadedLatencyOptions, cache_bytes: int | None = None
) -> Generator[Experiment, Answer, None]:
    """The idle machine first, then every mix from the heaviest load down."""
    target = chosen.target.on(chosen.pages)
    cpus = chosen_cpus(machine, chosen.cpus, target)
    if len(cpus) < 2:
        why = "loaded latency needs two CPUs, one to chase and one to load; this process may use one"
        raise MachineError(f"{why}; allow it another, or measure without load: tierscope run latency")
    cpus, crowded = (cpus, "") if chosen.cpus else apart(machine, cpus)
    counts = load_counts(chosen.load_threads, cpus)
    schedule = Schedule(precision=chosen.precision, budget_s=chosen.budget, visits=chosen.visits)
    near = near_cpus(machine, target)[0]
    memory = yield from chosen_array(machine, chosen.array, cache_bytes, cpus, near, target)
    note = "; ".join(part for part in (memory.note, crowded) if part)
    chase = Group(
        workload=Workload(kernel="chase", footprint_bytes=memory.array_bytes, work=HopWork()),
        target=target,
        team=Team(cpus=cpus[:1]),
        role="chaser",
    )
    yield idle(chase, schedule, note)
    for count in counts:
        for mix in chosen.mixes:
            for delay in sorted(chosen.delays):
                work = Workload(
                    kernel=mix,
                    footprint_bytes=walk_of(machine, mix).arrays * memory.array_bytes,
                    work=LineWork(),
                    pace_cycles=delay,
                    burst_bytes=chosen.burst,
                )
                load = Group(workload=work, target=target, team=Team(cpus=cpus[1 : 1 + count]), role="load")
                yield beside(machine, chase, load, schedule, note)


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
        "pace of the load. Each load alternates with the chaser alone. Needs two CPUs.",
    )
)
