"""Points of a curve of latency over load, in the table `loaded_latency`: for each suite that measures such curves.

The chaser alone and the chaser with the load are two takes of one experiment. They alternate in short batches, so that
a machine that drifts cannot make either look better.
"""

import msgspec

from tierscope.plans.kernels import walk_of
from tierscope.record.experiment import Experiment, Group, Schedule
from tierscope.record.labels import Labels
from tierscope.record.machine import Machine

ALONE_S = 0.15  # of the chaser without load, at least
BATCH_S = 0.04  # of either take in one round: three rounds of a visit have the blocks that a summary needs
ROUNDS_OF_A_VISIT = 4  # two visits then have those that a comparison needs
TAKES, AGAINST = ((0,), (0, 1)), (0, 0)  # the chaser alone; both, compared with it


class LoadLabels(Labels, frozen=True, kw_only=True):
    """The labels of a point. store: "" in runs that did not keep it; then the facts of the core name it."""

    read_share: float | None = None
    store: str = ""
    delay_cycles: int | None = 0
    load_threads: int = 0


def idle(chase: Group, schedule: Schedule, note: str) -> Experiment:
    """Return the chaser alone."""
    labels = LoadLabels(store="none", delay_cycles=None).stored()
    schedule = msgspec.structs.replace(schedule, minimum_s=ALONE_S)
    return Experiment(table="loaded_latency", groups=(chase,), schedule=schedule, labels=labels, note=note)


def beside(
    machine: Machine, chase: Group, load: Group, schedule: Schedule, note: str, mix: str | None = None
) -> Experiment:
    """Return the chaser with a load, in alternation with the chaser alone.

    mix: the kernel on lines whose mix the load has, if it runs another form of it, which has no loop variants.

    With visits=0 the two are not compared, as in versions without visits: runs that they began are resumed.
    """
    kernel = mix or load.workload.kernel
    if schedule.visits:
        schedule = msgspec.structs.replace(schedule, minimum_s=BATCH_S, piece_s=ROUNDS_OF_A_VISIT * BATCH_S)
    else:
        schedule = msgspec.structs.replace(schedule, minimum_s=ALONE_S)
    labels = LoadLabels(
        read_share=walk_of(machine, kernel).read_share,
        store="none" if kernel == "read" else "nt" if kernel.endswith("_nt") else "plain",
        delay_cycles=load.workload.pace_cycles,
        load_threads=len(load.team.cpus),
    )
    return Experiment(
        table="loaded_latency",
        groups=(chase, load),
        schedule=schedule,
        labels=labels.stored(),
        calibrate=load.workload.kernel == kernel,
        note=note,
        takes=TAKES if schedule.visits else (),
        against=AGAINST if schedule.visits else (),
    )


def apart(machine: Machine, cpus: tuple[int, ...]) -> tuple[tuple[int, ...], str]:
    """Return the chaser's CPU and those on other cores, which do not share its first caches; a note if none is left."""
    core_of = {cpu.number: (cpu.package, cpu.core) for cpu in machine.identity.cpus}
    others = tuple(cpu for cpu in cpus[1:] if core_of[cpu] != core_of[cpus[0]])
    if others:
        return (cpus[0], *others), ""
    return cpus, "the load shares the chaser's core: no other core may be used"
