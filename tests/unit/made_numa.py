"""Runs of `core-to-core` and `numa` on made machines: what the suites ask for, answered by stated laws."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np

from made import Maker, Teamwork, made_blocks, made_facts
from made_machine import made_machine
from tierscope.plans import suites
from tierscope.record.experiment import Experiment
from tierscope.record.machine import Machine
from tierscope.record.result import Blocks, GroupFacts, Run
from tierscope.run.expected import imagine

HANDOVER_S = {"core": 12e-9, "cache": 45e-9, "package": 80e-9, "other": 160e-9}
LOCAL_S, PER_DISTANCE_S = 95e-9, 5e-9
LOCAL_RATE, ALONE_RATE = 30e9, 22e9  # bytes/s of a local node, and of memory without CPUs from its own package
AT_ONCE = 0.8  # of LOCAL_RATE that each node keeps with `triad` while all nodes work
UNDER_LOAD = 2.5  # times the idle latency
Wait = Callable[[int, int], float]


def handover_s(machine: Machine, a: int, b: int) -> float:
    """By what the two CPUs share."""
    one, other = (next(cpu for cpu in machine.identity.cpus if cpu.number == n) for n in (a, b))
    if (one.package, one.core) == (other.package, other.core):
        return HANDOVER_S["core"]
    if machine.last_level_cache_of(a) == machine.last_level_cache_of(b):
        return HANDOVER_S["cache"]
    return HANDOVER_S["package" if one.package == other.package else "other"]


def numa_truth(machine: Machine, initiator: int, target: int) -> tuple[float, float]:
    """(latency in s, bytes/s) of a cell: latency rises with the distance, bandwidth falls with it."""
    distance = machine.distance(initiator, target) or 10
    alone = not next(node.cpus for node in machine.identity.nodes if node.number == target)
    rate = ALONE_RATE * 17 / distance if alone else LOCAL_RATE * 10 / distance
    return LOCAL_S + PER_DISTANCE_S * (distance - 10), rate


def planned(suite: str, machine: Machine, **words: str) -> list[Experiment]:
    """The experiments of a suite, once; caches are not searched if the array is given."""
    return imagine(suites[suite].plan(machine, suites[suite].read(words | {"visits": "0"})))


def add_core_to_core(
    maker: Maker, machine: Machine, wait: Wait | None = None, noise: float = 0.01, **words: str
) -> None:
    """Every pair in one batch; the second thread of a pair counts nothing, as in the core."""
    wait = wait or (lambda a, b: handover_s(machine, a, b))
    for experiment in planned("core-to-core", machine, **words):
        parts: list[Blocks] = []
        for take, group in enumerate(experiment.groups):
            rate = 1 / wait(*group.team.cpus)
            seed = maker.seed + 1000 * len(maker.records) + take
            work = (Teamwork((rate, rate), noise=noise),)
            blocks = made_blocks(
                work, seed=seed, count=80, batch=take, preempted=0.0, block_s=0.25e-3, begin_s=1 + take
            )
            blocks["operations"][blocks["thread"] == 1] = 0
            blocks["group"] = take
            parts.append(blocks)
        facts = tuple(made_facts(group, operation="handover", isa="scalar") for group in experiment.groups)
        _keep(maker, experiment, np.concatenate(parts), facts, tuple(range(len(parts))))


def add_numa(maker: Maker, machine: Machine, elsewhere: float = 0.0, **words: str) -> None:
    """Every cell by `numa_truth`; `elsewhere` of the bytes of the last cell are on node 0; then all nodes together."""
    every = planned("numa", machine, array="64MiB", **words)
    experiments = [one for one in every if one.table == "numa"]
    for experiment in experiments:
        if experiment.labels["what"] == "loaded":
            _add_loaded(maker, machine, experiment)
            continue
        (group,) = experiment.groups
        initiator, target = (int(experiment.labels[end] or 0) for end in ("initiator", "target"))
        wait, rate = numa_truth(machine, initiator, target)
        each = 1 / wait if group.role == "latency" else rate / 64 / len(group.team.cpus)
        blocks = made_blocks(
            (Teamwork((each,) * len(group.team.cpus)),), seed=maker.seed + len(maker.records), preempted=0.0
        )
        size = group.workload.footprint_bytes
        stray = round(size * elsewhere) if experiment is experiments[-1] else 0
        nodes = {str(target): size - stray, **({"0": stray} if stray else {})}
        facts = made_facts(group, nodes=nodes, program_bytes_per_operation=64.0)
        _keep(maker, experiment, blocks, (facts,), ())
    for experiment in (one for one in every if one.table == "injection"):
        _add_at_once(maker, experiment)


def _add_at_once(maker: Maker, experiment: Experiment) -> None:
    """Nodes keep LOCAL_RATE alone; at the same time they keep AT_ONCE of it with `triad`, and all of it with others."""
    shared = AT_ONCE if (experiment.labels["what"], experiment.labels["kernel"]) == ("together", "triad") else 1.0
    work = tuple(
        Teamwork((LOCAL_RATE * shared / 64 / len(group.team.cpus),) * len(group.team.cpus))
        for group in experiment.groups
    )
    blocks = made_blocks(work, seed=maker.seed + len(maker.records), preempted=0.0)
    facts = tuple(
        made_facts(group, nodes={group.target.where: group.workload.footprint_bytes}, program_bytes_per_operation=64.0)
        for group in experiment.groups
    )
    _keep(maker, experiment, blocks, facts, ())


def _add_loaded(maker: Maker, machine: Machine, experiment: Experiment) -> None:
    """The chaser takes UNDER_LOAD times as long next to the load."""
    initiator, target = (int(experiment.labels[end] or 0) for end in ("initiator", "target"))
    wait, rate = numa_truth(machine, initiator, target)
    chaser, load = experiment.groups
    cpus = len(load.team.cpus)
    work = (Teamwork((1 / wait / UNDER_LOAD,)), Teamwork((rate / 64 / cpus,) * cpus))
    blocks = made_blocks(work, seed=maker.seed + len(maker.records), preempted=0.0)
    facts = tuple(
        made_facts(group, nodes={str(target): group.workload.footprint_bytes}, program_bytes_per_operation=64.0)
        for group in (chaser, load)
    )
    _keep(maker, experiment, blocks, facts, ())


def _keep(
    maker: Maker, experiment: Experiment, blocks: Blocks, facts: tuple[GroupFacts, ...], takes: tuple[int, ...]
) -> None:
    record = maker.add_blocks(experiment.table, experiment.labels, experiment.groups, blocks, facts)
    maker.records[-1] = msgspec.structs.replace(record, experiment=experiment, takes=takes)


def core_to_core_run(
    directory: Path, machine: Machine, wait: Wait | None = None, noise: float = 0.01, **words: str
) -> Run:
    maker = Maker(directory)
    add_core_to_core(maker, machine, wait, noise, **words)
    return maker.save("core-to-core", machine)


def numa_run(directory: Path, machine: Machine, elsewhere: float = 0.0, **words: str) -> Run:
    maker = Maker(directory)
    add_numa(maker, machine, elsewhere, **words)
    return maker.save("numa", machine)


def add_nodes(maker: Maker) -> None:
    """Both tables on the guest of two CPUs, for runs that have every table."""
    machine = made_machine()
    add_core_to_core(maker, machine)
    add_numa(maker, machine)
