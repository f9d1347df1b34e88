"""A made experiment of neighbours: victims and aggressors that alternate, with planted slowdowns."""

from collections.abc import Sequence

import msgspec
import numpy as np

from made import HZ, Maker, Teamwork, made_blocks, made_facts, one_group
from made_work import plain_work
from tierscope.record import result as results
from tierscope.record.experiment import Experiment, Group, Label, Schedule, Target, Team, Workload
from tierscope.record.result import Blocks, GroupFacts, Record
from tierscope.record.work.block import BlockWork
from tierscope.record.work.task import TaskWork
from tierscope.stats.contrast import ROUNDS
from tierscope.units import MiB

TAKES = ((0,), (0, 2), (0, 1), (0, 1, 2))  # victims 0 and 1, aggressor 2
AGAINST = (0, 0, 0, 2)
TASK_S = 0.25  # of one flow alone
SLOWER = (1.0, 1.06, 1.02, 1.02 * 1.08)  # each take over the victim alone
HOP_S = 60e-9
FOOTPRINT = 48 * MiB


def victim(kernel: str, cpu: int, command: str = "") -> Group:
    if kernel == "chase":
        return one_group("chase", (cpu,), FOOTPRINT, role="victim")
    task = TaskWork(size="test" if kernel == "flow" else "", command=command)
    work = Workload(kernel=kernel, footprint_bytes=0, work=task)
    return Group(workload=work, target=Target(name="null", where=""), team=Team(cpus=(cpu,)), role="victim")


def groups_of(kernel: str, aggressor: str = "copy") -> tuple[Group, ...]:
    """Two victims and one aggressor."""
    flushing = aggressor.startswith("flush_")
    work = Workload(
        kernel=aggressor,
        footprint_bytes=0 if aggressor == "sleep" else 256 * MiB,
        work=BlockWork(element_bytes=4096, fence="never") if flushing else plain_work(aggressor),
    )
    target = Target(name="null", where="") if aggressor == "sleep" else Target()
    command = "./solve in.txt" if kernel == "command" else ""
    disturbing = Group(workload=work, target=target, team=Team(cpus=(2,)), role="aggressor")
    return (victim(kernel, 0, command), victim(kernel, 1, command), disturbing)


def order_of(takes: int, rounds: int) -> tuple[int, ...]:
    """The order of the runner: forth and back."""
    return tuple(take for turn in range(rounds) for take in (range(takes) if turn % 2 == 0 else reversed(range(takes))))


def tasks(seconds: Sequence[float], batch: int) -> Blocks:
    """One task of each group, all begun at the same time; `seconds` by group, 0 where it does not take part."""
    blocks = np.zeros(sum(one > 0 for one in seconds), dtype=results.BLOCK)
    blocks["group"] = [group for group, one in enumerate(seconds) if one > 0]
    blocks["batch"], blocks["operations"], blocks["start_ticks"] = batch, 1, round((1 + batch) * HZ)
    blocks["stop_ticks"] = [round((1 + batch + one) * HZ) for one in seconds if one > 0]
    return blocks


def taken(kernel: str, take: int, batch: int, slower: float, seed: int) -> Blocks:
    """The blocks of one batch: of the aggressor too, for as long as the victims take."""
    rng = np.random.default_rng([seed, batch])
    factor = slower * float(np.exp(rng.normal(0, 0.003)))
    members = TAKES[take]
    if kernel != "chase":
        seconds = TASK_S * factor
        return tasks([seconds if group in members else 0.0 for group in range(3)], batch)
    rates = [Teamwork((1 / HOP_S / factor,)), Teamwork((1 / HOP_S / factor,)), Teamwork((1e8,))]
    blocks = made_blocks(tuple(rates[group] for group in members), seed=seed + batch, batch=batch, begin_s=1.0 + batch)
    blocks["group"] = np.asarray(members, dtype=np.uint16)[blocks["group"]]
    return blocks


def facts_of(groups: tuple[Group, ...]) -> tuple[GroupFacts, ...]:
    return tuple(made_facts(group, detail="3000 nodes" if group.workload.kernel == "flow" else "") for group in groups)


def add_neighbors(
    maker: Maker, kernel: str = "flow", aggressor: str = "copy", slower: Sequence[float] = SLOWER, rounds: int = ROUNDS,
    target: str = "node:0",
) -> Record:  # fmt: skip
    """One victim's experiment: one and two victims, without and with an aggressor."""
    number, groups, ran = len(maker.records), groups_of(kernel, aggressor), order_of(len(TAKES), rounds)
    blocks = np.concatenate([taken(kernel, take, batch, slower[take], maker.seed) for batch, take in enumerate(ran)])
    labels: dict[str, Label] = {
        "victim": "cmd" if kernel == "command" else kernel, "size": "test" if kernel == "flow" else None,
        "command": "./solve in.txt" if kernel == "command" else None,
        "aggressor_kernel": aggressor, "aggressor_target": "null" if aggressor == "sleep" else target,
    }  # fmt: skip
    record = maker.add_blocks("neighbors", labels, groups, blocks, facts_of(groups))
    experiment = Experiment(
        table="neighbors", groups=groups, schedule=Schedule(minimum_s=0.1), labels=labels, takes=TAKES, against=AGAINST
    )
    maker.records[number] = msgspec.structs.replace(record, experiment=experiment, takes=ran)
    return maker.records[number]
