"""Runs of `storage` by a stated law: a number of operations a second, each as long as Little's law has it."""

from pathlib import Path

import msgspec
import numpy as np

from made import Maker
from made_machine import made_machine
from tierscope.plans import suites
from tierscope.record.experiment import Schedule
from tierscope.record.program import BIN, SIDES, Moved, Program, Repeat, bins_of
from tierscope.record.result import BLOCK, Clock, Run, write_blocks
from tierscope.record.work.job import JobWork

HZ = 1e9
REPEATS = 8
MOST = 100_000.0  # operations/s that the storage has
SERVICE_S = 1e-4  # of one operation that waits for no other
PROGRAM = Program(
    name="fio", version="3.33", engine="io_uring", refused={}, threads=1, direct=True, file_system="ext4",
    source="/dev/sda1", command="fio --rw=randread", repeats=(),
)  # fmt: skip


def law(depth: int, block_bytes: int) -> float:
    """Operations/s: as many as fit into one wait, up to what the storage has; large blocks take longer."""
    return min(depth / SERVICE_S, MOST) / (1 + block_bytes / 65536)


def storage_run(directory: Path, *words: str, noise: float = 0.005, repeats: int = REPEATS, **program: object) -> Run:
    """All jobs of `run storage WORDS`. noise: relative, from repeat to repeat; program: facts of it."""
    maker, rng = Maker(directory), np.random.default_rng(1995)
    machine = made_machine()
    options = suites["storage"].read(dict(word.split("=", 1) for word in words))
    plan = suites["storage"].plan(machine, options)
    for number, experiment in enumerate(plan):
        (group,) = experiment.groups
        size, depth = group.workload.of(JobWork).block_bytes, int(experiment.labels["depth"] or 0)
        rates = law(depth, size) * np.exp(rng.normal(0, noise, repeats))
        share = float(experiment.labels["read_share"] or 0)
        told = tuple(_repeat(float(rate), share, size, depth) for rate in rates)
        maker.add_blocks("storage", experiment.labels, experiment.groups, _blocks(told))
        write_blocks(directory / bins_of(f"samples/{number:04}.parquet"), _bins(told))
        facts = msgspec.structs.replace(
            maker.records[-1].groups[0], element_bytes=size, footprint_bytes=group.workload.footprint_bytes
        )
        maker.records[-1] = msgspec.structs.replace(
            maker.records[-1],
            experiment=msgspec.structs.replace(experiment, schedule=Schedule(precision=0.05, repeats=True)),
            groups=(facts,),
            seconds=3.0 * repeats,
            clock=Clock(source="fio", hz=HZ, resolution_s=1e-3, read_cost_s=0.0),
            program=msgspec.structs.replace(PROGRAM, repeats=told, **program),
        )
    return maker.save("storage", machine)


def _repeat(rate: float, read_share: float, size: int, depth: int) -> Repeat:
    """One second; reads take half as long as writes, and the mean is that of the queue."""
    mean = depth / rate
    read_s = mean / (read_share + 2 * (1 - read_share))
    sides = {"read": (read_share, read_s), "write": (1 - read_share, 2 * read_s)}
    return Repeat(
        cpu_user=0.02,
        cpu_system=0.2,
        moved=tuple(_moved(side, rate * share, wait, size) for side, (share, wait) in sides.items() if share > 0),
    )


def _moved(side: str, rate: float, wait: float, size: int) -> Moved:
    count = round(rate)
    return Moved(
        side=side, operations=count, bytes=count * size, seconds=1.0, latency_least_s=wait / 2,
        latency_mean_s=wait, latency_most_s=wait * 11,
    )  # fmt: skip


def _blocks(told: tuple[Repeat, ...]) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    blocks = np.zeros(len(told), dtype=BLOCK)
    blocks["batch"] = np.arange(len(told))
    blocks["start_ticks"] = np.arange(len(told)) * 2e9
    blocks["stop_ticks"] = blocks["start_ticks"] + HZ
    blocks["operations"] = [sum(one.operations for one in repeat.moved) for repeat in told]
    return blocks


def _bins(told: tuple[Repeat, ...]) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    """In each hundred operations, 98 take the mean, one half of it, and one 10x the mean."""
    rows = []
    for batch, repeat in enumerate(told):
        for one in repeat.moved:
            few = one.operations // 100
            for times, count in ((0.5, few), (1.0, one.operations - 2 * few), (10.0, few)):
                rows.append((batch, SIDES.index(one.side), round(one.latency_mean_s * times * 1e9), count))
    return np.array(rows, dtype=BIN)
