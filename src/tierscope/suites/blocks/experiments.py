"""Blocks of fixed memory: copy, write and random write in blocks of several sizes, divided among threads.

Strong scaling: the memory is the same for every number of threads, and each thread has its own part of it. One
operation is one call of the C library's memcpy or memset for one block.

Throughput comes from timed blocks of about 1 ms, which contain many operations if these are short. The latency of one
operation comes from timed blocks of exactly one operation, or, below 1 KB, from batches. If an operation is long
enough, one experiment gives both.

More threads than CPUs are allowed, as in the source: these threads share CPUs.
Source: "Memory Benchmarking" (document 001 of this project's sources): 1.3 GB in blocks of 8 B, 8 KB, 8 MB, 80 MB
among 1, 2, 4, 8 threads.
"""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from tierscope import units
from tierscope.errors import UsageError
from tierscope.plans import Plan, Suite, SuiteOptions, suites
from tierscope.plans.cpus import chosen_cpus
from tierscope.plans.kinds import Help, Names, Numbers, Seconds, Size, Visits, several, several_sizes
from tierscope.plans.sizes import MEMORY_SHARE, Memory, free_bytes, half_of_what
from tierscope.plans.usual import PageSize, PrecisionInPercent, Where
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.work.block import BlockWork
from tierscope.suites.blocks.labels import BlocksLabels
from tierscope.units import MiB, show_size

OPERATIONS = {"copy": ("memcpy_blocks", 2), "write": ("memset_blocks", 1), "random_write": ("memset_blocks_random", 1)}
"""Operation -> kernel, and the arrays that it visits."""

MEMORY_BYTES = 1_300_000_000  # of each array, as in the source
SIZES = (8, 8_000, 8_000_000, 80_000_000)
COUNTS = (1, 2, 4, 8)
GRAIN = 8  # bytes: blocks begin at a multiple of 8 bytes
PER_CPU = 64  # threads at most; more wait for their CPU so long that a point would take minutes

SINGLE_BYTES = 1000  # from this size each operation is timed by itself; a shorter one takes little more than the clock
BATCHED = 1024  # operations of a timed block of smaller ones: some us, so that the clock's 20 to 40 ns are under 1 %
SLOW_S = 100e-6  # an operation of this time hides the 0.5 us between timed blocks: one experiment gives both
GUESS = 5e9  # bytes/s of one thread, to identify slow operations before they are measured; no result depends on it
ENOUGH = 60  # operations that a thread should do: the interval requires 50
LONGEST_S = 1.2  # time limit for them
LATENCY_S, TURNS_S = 0.05, 0.15  # with one CPU for each thread, and with threads that share CPUs for some ms each
KEPT = 8000  # timed blocks of one thread at most: twice what the 99.9th percentile needs, 320 KB before they are packed
ROOM = 4  # factor on seconds / block_s: the number of blocks that the core keeps

Operations = Annotated[Names, several("operation", OPERATIONS)]
Blocks = Annotated[
    tuple[Annotated[int, Meta(ge=GRAIN, multiple_of=GRAIN)], ...],
    Meta(min_length=1),
    several_sizes("block size", f"a block is a multiple of {GRAIN} bytes; try blocks=8B,8KB,8MB,80MB"),
]


class BlocksOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run blocks`."""

    target: Where = Target()
    pages: PageSize = "thp"
    memory: Annotated[
        Size | None,
        Help("bytes of each array; auto: 1.3 GB, less where the arrays would take more than half of the free memory"),
    ] = None
    blocks: Annotated[Blocks, Help("sizes of one block, multiples of 8 bytes")] = SIZES
    operations: Annotated[
        Operations,
        Help("`copy` (memcpy), `write` (memset), `random_write` (memset of blocks drawn at random), or `all`"),
    ] = tuple(OPERATIONS)
    threads: Annotated[
        Numbers | None,
        Help(
            "numbers of threads, also more than CPUs: such threads share a CPU; auto: 1, 2, 4, 8, further "
            "powers of two up to the CPUs, and all CPUs"
        ),
    ] = None
    cpus: Annotated[
        Numbers | None, Help("CPUs to use, in this order; auto: those of the target's node, one of each core first")
    ] = None
    precision: PrecisionInPercent = 0.02
    budget: Annotated[
        Seconds, Help("most seconds timed for the throughput of one point; long blocks take up to 1.2")
    ] = 0.6
    limit: Annotated[
        Seconds, Help("seconds after which points get their shortest time only; they may then be inconclusive")
    ] = 120.0
    visits: Visits = 3


@dataclass(frozen=True)
class Field:
    """The values that all points of a run share."""

    cpus: tuple[int, ...]
    target: Target
    memory: Memory
    precision: float
    budget_s: float
    visits: int

    def team(self, threads: int) -> tuple[int, ...]:
        """Return a CPU for each thread; with more threads than CPUs, the CPUs are used again from the first."""
        return tuple(self.cpus[number % len(self.cpus)] for number in range(threads))


def counts_of(chosen: BlocksOptions, cpus: tuple[int, ...]) -> list[int]:
    """Return the counts that the user requests, or 1, 2, 4, 8, more powers of two up to the CPUs, and all CPUs."""
    asked = chosen.threads or ()
    most = PER_CPU * len(cpus)
    for count in asked:
        if not 1 <= count <= most:
            raise UsageError(f"threads={count}: from 1 to {most} threads may share {len(cpus)} CPUs")
    powers = [1 << shift for shift in range(16) if 1 << shift <= len(cpus)]
    return list(dict.fromkeys(asked)) or sorted({*COUNTS, *powers, len(cpus)})


def memory_of(machine: Machine, chosen: BlocksOptions, target: Target) -> Memory:
    """Return the requested memory, or 1.3 GB, within half of the free memory for the operation with the most arrays."""
    if chosen.memory is not None:
        return Memory(chosen.memory, "")
    limit = int(free_bytes(machine, target) * MEMORY_SHARE) // max(OPERATIONS[name][1] for name in chosen.operations)
    if limit >= MEMORY_BYTES:
        return Memory(MEMORY_BYTES, "")
    limit = max(limit // MiB * MiB, MiB)
    half = half_of_what(machine, target)
    return Memory(limit, f"arrays of {show_size(limit)} instead of {show_size(MEMORY_BYTES)}: limited by {half}")


def field_of(machine: Machine, chosen: BlocksOptions) -> Field:
    target = chosen.target.on(chosen.pages)
    return Field(
        cpus=chosen_cpus(machine, chosen.cpus, target),
        target=target,
        memory=memory_of(machine, chosen, target),
        precision=chosen.precision,
        budget_s=chosen.budget,
        visits=chosen.visits,
    )


def too_few(memory_bytes: int, size: int, threads: int) -> bool:
    """Return whether some thread would have no block."""
    return memory_bytes // size < threads


def pairs_of(chosen: BlocksOptions, field: Field) -> list[tuple[int, int]]:
    """Return (block, threads) of every point; UsageError if the threads cannot share the requested blocks."""
    blocks, counts = list(dict.fromkeys(chosen.blocks)), counts_of(chosen, field.cpus)
    memory = field.memory.array_bytes
    for size in blocks:
        for count in counts if chosen.threads is not None else [1]:
            if chosen.blocks != SIZES and too_few(memory, size, count):
                raise UsageError(_refusal(memory, size, count))
    pairs = [(size, count) for size in blocks for count in counts if not too_few(memory, size, count)]
    if not pairs:
        raise UsageError(_refusal(memory, min(blocks), min(counts)))
    return pairs


def _refusal(memory: int, size: int, threads: int) -> str:
    return (
        f"blocks={units.word_size(size)} threads={threads}: {show_size(memory)} contain {memory // size} such blocks, "
        f"one for each thread is needed; try memory={units.word_size(size * threads)} or smaller blocks"
    )


def expected_s(name: str, size: int, field: Field, threads: int) -> float:
    """Return the expected time of one operation, by GUESS; threads that share a CPU wait for the others."""
    return OPERATIONS[name][1] * size / GUESS * max(1.0, threads / len(field.cpus))


def points(field: Field, name: str, size: int, threads: int) -> Plan:
    """Yield one experiment, or one for throughput and one for latency."""
    expected = expected_s(name, size, field, threads)
    if expected >= SLOW_S:
        yield point(field, name, size, threads, "both", 1, throughput_schedule(field, expected, threads))
        return
    yield point(field, name, size, threads, "throughput", 0, throughput_schedule(field, expected, threads))
    per_block = 1 if size >= SINGLE_BYTES else BATCHED
    yield point(field, name, size, threads, "latency", per_block, latency_schedule(field, threads))


def throughput_schedule(field: Field, expected: float, threads: int) -> Schedule:
    """Return a schedule for ENOUGH operations; without pieces if threads share CPUs (`suites.blocks.turns`)."""
    least = min(max(0.2, ENOUGH * expected), max(LONGEST_S, field.budget_s))
    shared = threads > len(field.cpus)
    budget = max(least, field.budget_s)
    minimum = budget if shared else least
    piece = minimum if shared or expected >= SLOW_S else 0.0  # without it there are too few operations for a verdict
    return Schedule(
        precision=field.precision, minimum_s=minimum, budget_s=budget, visits=field.visits, piece_s=piece
    )  # fmt: skip


def latency_schedule(field: Field, threads: int) -> Schedule:
    """Return a schedule of one batch, which ends after its time or after KEPT timed blocks."""
    seconds = TURNS_S if threads > len(field.cpus) else LATENCY_S
    return Schedule(
        precision=field.precision,
        minimum_s=seconds,
        budget_s=seconds,
        block_s=ROOM * seconds / KEPT,
        visits=field.visits,
        piece_s=seconds,
    )


def point(
    field: Field, name: str, size: int, threads: int, part: str, per_block: int, schedule: Schedule
) -> Experiment:
    """Return an experiment. part: what the table reads from it: throughput, latency, or both."""
    kernel, arrays = OPERATIONS[name]
    work = Workload(
        kernel=kernel,
        footprint_bytes=arrays * field.memory.array_bytes,
        work=BlockWork(element_bytes=size),
        per_block=per_block,
    )
    group = Group(
        workload=work,
        target=field.target,
        team=Team(cpus=field.team(threads)),
        role=name,
        shared=threads > len(field.cpus),
    )
    return Experiment(
        table="blocks",
        groups=(group,),
        schedule=schedule,
        labels=BlocksLabels(operation=name, threads=threads, block_bytes=size, part=part).stored(),
        note=field.memory.note,
    )


def plan(machine: Machine, chosen: BlocksOptions) -> Plan:
    """Yield all points, threads innermost, so that the counts that are compared are measured close together in time."""
    field = field_of(machine, chosen)
    pairs = pairs_of(chosen, field)
    for name in dict.fromkeys(chosen.operations):
        for size, threads in pairs:
            yield from points(field, name, size, threads)


def left_out(machine: Machine, chosen: BlocksOptions) -> tuple[str, ...]:
    """Return the sizes that have too few blocks for some numbers of threads."""
    field = field_of(machine, chosen)
    memory, counts = field.memory.array_bytes, counts_of(chosen, field.cpus)
    lacking = {size: [n for n in counts if too_few(memory, size, n)] for size in chosen.blocks}
    return tuple(
        f"blocks of {show_size(size)} are left out with {', '.join(map(str, missing))} threads: {show_size(memory)} "
        f"contain {memory // size} of them; try memory={units.word_size(size * max(missing))}"
        for size, missing in lacking.items()
        if missing
    )


suites.add(
    Suite(
        "blocks",
        "fixed memory in blocks: throughput and latency over threads",
        BlocksOptions,
        plan,
        left_out,
        details="Several numbers of threads divide a fixed amount of memory. Measures the throughput, and the"
        " latency of one block operation with its percentiles. See [how to measure "
        "blocks](../how-to/blocks.md).\n\n"
        "If there are fewer blocks of one size than threads, a default list leaves this size out, "
        "with a warning. If both were requested, they are refused.",
    )
)
