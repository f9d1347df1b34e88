"""A made run of the suite `blocks`: throughput and latency of known laws, two CPUs, threads that alternate."""

import msgspec
import numpy as np

from made import HZ, Maker, made_facts
from tierscope.arrays import Floats
from tierscope.record.experiment import Group, Label, Schedule, Target, Team, Workload
from tierscope.record.result import BLOCK, PREEMPTED, SIZING, Blocks, GroupFacts
from tierscope.record.work.block import BlockWork

SIZES = {8: 2e9, 8000: 9e9, 80_000_000: 12e9}  # bytes of a block: program bytes/s of one thread
COUNTS = {1: 1.0, 2: 1.9, 4: 1.85}  # threads: times one thread
ARRAYS = {"copy": 2, "write": 1}
KERNELS = {"copy": "memcpy_blocks", "write": "memset_blocks"}
CPUS = 2
BATCHED = 1024
TURN_S = 4e-3
TAIL = 5.0  # times the median that one operation in fifty takes
COST_S = 2e-8


def block_group(operation: str, size: int, threads: int, per_block: int) -> Group:
    work = Workload(
        kernel=KERNELS[operation],
        footprint_bytes=ARRAYS[operation] * 1_300_000_000,
        work=BlockWork(element_bytes=size),
        per_block=per_block,
    )
    cpus = tuple(number % CPUS for number in range(threads))
    return Group(
        workload=work, target=Target(), team=Team(cpus=cpus), role=operation, shared=threads > CPUS
    )  # fmt: skip


def block_facts(group: Group) -> GroupFacts:
    size = group.workload.of(BlockWork).element_bytes
    return made_facts(
        group, store="libc", operation="block", element_bytes=size, bus_bytes_per_operation=None,
        program_bytes_per_operation=float(ARRAYS[group.role] * size),
    )  # fmt: skip


def operation_s(operation: str, size: int, threads: int) -> float:
    """The time of one operation in its thread while it has a CPU."""
    running = min(threads, CPUS)
    return running * ARRAYS[operation] * size / (SIZES[size] * COUNTS[threads])


def made_times(seconds: float, operations: int, threads: int, blocks: int, seed: int, tail: bool = False) -> Blocks:
    """Blocks of `operations` that take `seconds` each, noise 1 %; threads beyond CPUS wait for a turn after TURN_S."""
    rng = np.random.default_rng(seed)
    parts = []
    for thread in range(threads):
        took = seconds * operations * np.exp(rng.normal(0, 0.01, blocks)) + COST_S
        if tail:
            took[rng.random(blocks) < 0.02] *= TAIL
        work = np.cumsum(took + 5e-7)
        starts, ends = (1.0 + _wall(done, thread, threads) for done in (work - took, work))
        waits = (ends - starts) > took + TURN_S / 2
        part = np.zeros(blocks + 1, dtype=BLOCK)
        part["start_ticks"][1:], part["stop_ticks"][1:] = np.round(starts * HZ), np.round(ends * HZ)
        part["operations"][1:] = operations
        part["flags"][1:] = np.where(waits, PREEMPTED, 0)
        part["thread"], part["cpu"] = thread, thread % CPUS
        part["start_ticks"][0], part["stop_ticks"][0] = round(0.999 * HZ), round(0.9995 * HZ)
        part["operations"][0], part["flags"][0] = 1, SIZING
        parts.append(part)
    return np.concatenate(parts)


def _wall(done: Floats, thread: int, threads: int) -> Floats:
    """When a thread has worked for `done` seconds, if those on its CPU run one after another, TURN_S each."""
    turns = max(1, threads // CPUS)
    gone = np.floor(done / TURN_S)
    return (gone * turns + thread // CPUS) * TURN_S + done - gone * TURN_S


def add_block_points(maker: Maker, sizes: tuple[int, ...] = tuple(SIZES)) -> None:
    """Both operations at every size and number of threads."""
    for operation in KERNELS:
        for size in sizes:
            for threads in COUNTS:
                add_point(maker, operation, size, threads)


def add_point(maker: Maker, operation: str, size: int, threads: int) -> None:
    """One record, or one for throughput and one for latency, as the suite plans them."""
    one = operation_s(operation, size, threads)
    if one > 1e-4:
        _add(maker, operation, size, threads, "both", 1, 90)
        return
    _add(maker, operation, size, threads, "throughput", 0, 400)
    _add(maker, operation, size, threads, "latency", 1 if size >= 1000 else BATCHED, 6000)


def _add(maker: Maker, operation: str, size: int, threads: int, part: str, per_block: int, blocks: int) -> None:
    one = operation_s(operation, size, threads)
    operations = per_block or max(1, round(1e-3 / one))
    times = made_times(one, operations, threads, blocks, len(maker.records), tail=part == "latency")
    group = block_group(operation, size, threads, per_block)
    labels: dict[str, Label] = {"operation": operation, "threads": threads, "block_bytes": size, "part": part}
    record = maker.add_blocks("blocks", labels, (group,), times, (block_facts(group),))
    schedule = Schedule(budget_s=0.7)
    maker.records[-1] = msgspec.structs.replace(
        record, experiment=msgspec.structs.replace(record.experiment, schedule=schedule)
    )
