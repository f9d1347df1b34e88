"""A made run of the suite `flush`: times per line of stated laws, and instructions that alternate."""

from collections.abc import Sequence

import msgspec
import numpy as np

from made import Maker, Teamwork, made_blocks, made_facts
from made_neighbors import order_of
from tierscope.record.experiment import Experiment, Group, Label, Schedule, Target, Team, Workload
from tierscope.record.result import PREEMPTED, Blocks, GroupFacts, Record, read_blocks, write_blocks
from tierscope.record.work.block import BlockWork
from tierscope.stats.contrast import ROUNDS
from tierscope.units import LINE_BYTES, MiB

LINES = {"clflush": 120e-9, "clflushopt": 15.06e-9, "clwb": 15e-9, "nt": 6e-9, "none": 5e-9}  # s, in a large chunk
FENCE_S = 100e-9  # after each chunk, or each line
CHUNKS = (64, 4096, 2 * MiB)
RANDOM = 1.25  # times as long
TOTAL = 20_000_000_000
FOOTPRINT = 256 * MiB
NOISE = 0.003  # of a round


def line_s(instruction: str, chunk: int, fence: str = "chunk", order: str = "sequential") -> float:
    """The law: a line, and its share of a fence."""
    fences = {"chunk": LINE_BYTES / chunk, "line": 1.0, "never": 0.0}[fence]
    return (LINES[instruction] + FENCE_S * fences) * (RANDOM if order == "random" else 1.0)


def group_of(instruction: str, chunk: int, fence: str, order: str, target: str) -> Group:
    work = Workload(
        kernel=f"flush_{instruction}",
        footprint_bytes=FOOTPRINT,
        work=BlockWork(element_bytes=chunk, fence=fence, order=order),
    )
    return Group(workload=work, target=Target.parse(target), team=Team(cpus=(0,)), role="victim")


def facts_of(group: Group, persistence: str) -> GroupFacts:
    chunk = group.workload.of(BlockWork).element_bytes
    return made_facts(
        group, store="plain", operation="block", element_bytes=chunk, program_bytes_per_operation=float(chunk),
        persistence=persistence,
    )  # fmt: skip


def _taken(seconds: float, take: int, batch: int, seed: int, noise: float) -> Blocks:
    """One batch of one instruction, which takes `seconds` for a chunk."""
    rng = np.random.default_rng([seed, batch])
    rate = 1 / seconds * float(np.exp(rng.normal(0, noise)))
    blocks = made_blocks((Teamwork((rate,)),), seed=seed + batch, batch=batch, begin_s=1.0 + batch, count=60)
    blocks["group"] = take
    return blocks


def asleep(record: Record, maker: Maker, instruction: str) -> None:
    """Every block of one instruction is switched out, as by a system call that waits."""
    path = maker.directory / record.samples
    blocks = read_blocks(path).copy()
    mine = blocks["group"] == [group.workload.kernel for group in record.experiment.groups].index(
        f"flush_{instruction}"
    )
    blocks["flags"][mine] |= PREEMPTED
    write_blocks(path, blocks)


def add_flush(
    maker: Maker, chunks: Sequence[int] = CHUNKS, instructions: Sequence[str] = tuple(LINES), *, fence: str = "chunk",
    order: str = "sequential", target: str = "node:0", persistence: str = "none", rounds: int = ROUNDS,
    total: int = TOTAL, noise: float = NOISE,
) -> None:  # fmt: skip
    """One record for each chunk size."""
    for chunk in chunks:
        _add(maker, chunk, tuple(instructions), (fence, order), (target, persistence), rounds, total, noise)


def _add(
    maker: Maker, chunk: int, names: tuple[str, ...], kind: tuple[str, str], place: tuple[str, str], rounds: int,
    total: int, noise: float,
) -> Record:  # fmt: skip
    number, ran = len(maker.records), order_of(len(names), rounds)
    groups = tuple(group_of(name, chunk, *kind, place[0]) for name in names)
    each = [line_s(name, chunk, *kind) * chunk / LINE_BYTES for name in names]
    seed = maker.seed + 1000 * number
    blocks = np.concatenate([_taken(each[take], take, batch, seed, noise) for batch, take in enumerate(ran)])
    labels: dict[str, Label] = {
        "chunk_bytes": chunk, "fence": kind[0], "order": kind[1], "total_bytes": total
    }  # fmt: skip
    record = maker.add_blocks("flush", labels, groups, blocks, tuple(facts_of(group, place[1]) for group in groups))
    base = names.index("clwb") if "clwb" in names else 0
    experiment = Experiment(
        table="flush", groups=groups, schedule=Schedule(minimum_s=0.1), labels=labels,
        takes=tuple((one,) for one in range(len(names))), against=(base,) * len(names),
    )  # fmt: skip
    maker.records[number] = msgspec.structs.replace(record, experiment=experiment, takes=ran)
    return maker.records[number]
