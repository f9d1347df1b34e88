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
    """What a suite asks for, once; caches are not searched where the array is given."""
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
    """Every cell by `numa_truth`; `elsewhere` of the bytes of the last cell lie on node 0."""
    experiments = planned("numa", machine, array="64MiB", **words)
    for experiment in experiments:
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
