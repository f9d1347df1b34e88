"""Flush: the cost of storing bytes so that they survive, by instruction, chunk size, fence and order.

All instructions of one chunk size are takes of one experiment on one CPU. They alternate, round after round, so the
ratio of one to clwb is from the same seconds (`stats.contrast`). Each has its own memory.
Without the option `total`, each take runs for a fraction of a second, and its seconds for 20 GB are extrapolated. With
it, each take really writes these bytes, after a short experiment that finds how long this takes.
Blind to when a line reaches the medium: see `suites.flush.table`.
Source: document 002 (20 GB written sequentially into a file of 1 GB on persistent memory, by clflush, clflushopt and
clwb after each chunk of 1 KB to 2 MB, one core).
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Annotated

from tierscope import units
from tierscope.errors import MachineError, UsageError
from tierscope.plans import Plan, Suite, SuiteOptions, suites
from tierscope.plans.answer import Answer
from tierscope.plans.cpus import chosen_cpu
from tierscope.plans.flushes import missing
from tierscope.plans.kernels import FENCES
from tierscope.plans.kinds import (
    ALL,
    Help,
    Kind,
    Lines,
    Names,
    Number,
    Seconds,
    Share,
    Size,
    Visits,
    names_of,
    several,
    several_sizes,
    words_of,
)
from tierscope.plans.sizes import (
    LARGEST,
    MEMORY_SHARE,
    SEARCH,
    TIMES_CACHE,
    Memory,
    effective_cache,
    free_bytes,
    half_of_what,
)
from tierscope.plans.usual import PageSize, Where
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.work.block import BlockWork
from tierscope.record.work.line import LineWork
from tierscope.stats.contrast import ROUNDS, VICTIM
from tierscope.suites.flush.labels import FlushLabels
from tierscope.units import KiB, MiB, show_bytes, show_size

FILE_BYTES = 1_000_000_000  # of each instruction, as in the source
TOTAL_BYTES = 20_000_000_000  # also as in the source
CHUNKS = (64, 256, KiB, 2 * KiB, 4 * KiB, MiB, 2 * MiB)
ORDERS = ("sequential", "random")
BASES = ("clwb", "cvac")  # the instructions that others are compared with, of x86 and of AArch64
SLOWEST = ("msync", "clflush")  # a system call; each waits for the one before
FILES = ("file", "fsdax", "pool")  # targets with a file that msync can write back
TOLD = ("file", "pool")  # whose file system decides whether they persist by msync

BATCH_S = 0.1  # of one instruction in one round; the first half lets what the one before left in the caches drain
MARGIN = 1.1  # of the time for all of `total`: the pace is that of a fraction of a second
MOST_LOST = 0.75  # share of the moments
GUESS = 1e9  # bytes/s, while a run is only being planned
SIZING = Schedule(precision=0.1, minimum_s=0.2, budget_s=0.2)
ASKING = Schedule(precision=0.5, minimum_s=0.01, budget_s=0.01)  # only the facts are needed

INSTRUCTIONS = Kind(lambda word: None if word == ALL else words_of(word), ",".join)  # all that the CPU has
Chunks = Annotated[Lines, several_sizes("chunk size", "whole lines of 64 bytes are flushed; try chunks=64B,4KiB")]


class FlushOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run flush`."""

    target: Where = Target()
    pages: PageSize = "thp"
    footprint: Annotated[
        Size | None,
        Help(
            "bytes that each instruction writes again and again; auto: 1 GB, 4 x the last-level cache where "
            "that is more, all instructions together within half of the free memory"
        ),
    ] = None
    total: Annotated[
        Size | None,
        Help(
            "bytes that each instruction really writes; auto: what eight rounds of 0.1 s allow, and the "
            "seconds for 20 GB are extrapolated"
        ),
    ] = None
    chunks: Annotated[
        Chunks | None,
        Help("bytes stored before their lines are flushed, multiples of 64; auto: a line of the caches to 2 MiB"),
    ] = None
    instructions: Annotated[
        Annotated[Names, INSTRUCTIONS] | None,
        Help(
            "names of the kernels `flush_...` in `tierscope catalogue` without `flush_`, such as `clwb`, `nt` "
            "(non-temporal stores), `msync` (the system call, for files) and `none` (stores alone); `all`; auto: all "
            "that the CPU has, `msync` where the target persists by it"
        ),
    ] = None
    fence: Annotated[
        Names,
        several("fence", FENCES),
        Help("a store fence after each `chunk`, after each `line` of it, `never`, or several of them"),
    ] = ("chunk",)
    order: Annotated[
        Names,
        several("order", ORDERS),
        Help("chunks one after the other (`sequential`), drawn at `random`, or both"),
    ] = ("sequential",)
    cpu: Annotated[Number | None, Help("the CPU that writes; auto: the first of the target's node")] = None
    precision: Annotated[Share, Help("half of the 95 % interval of the ratio over the ratio; also as `2%`")] = 0.02
    budget: Annotated[
        Seconds, Help("most seconds for each instruction at one chunk size; eight rounds are always run")
    ] = 3.0
    limit: Annotated[
        Seconds, Help("seconds after which points get the fewest rounds only; they may then be inconclusive")
    ] = 45.0
    visits: Visits = 3


@dataclass(frozen=True)
class Point:
    """One experiment: what all its instructions share."""

    chunk_bytes: int
    fence: str
    order: str


@dataclass(frozen=True)
class Field:
    """The values that all points of one run share."""

    cpu: int
    target: Target
    instructions: list[str]
    points: list[Point]


def instructions_of(machine: Machine, chosen: FlushOptions, target: Target, msync: bool) -> list[str]:
    """Return those asked for, or all that the CPU has, msync only if `msync`; MachineError if it lacks one."""
    lacking = missing(machine)
    possible = [name for name in machine.flushes if name not in lacking and (name != "msync" or target.name in FILES)]
    if not possible:
        raise MachineError("this build has no kernel flush_... that runs on this CPU; see `tierscope catalogue`")
    if chosen.instructions is None:
        return [name for name in possible if name != "msync" or msync]
    names = list(dict.fromkeys(names_of("instruction", chosen.instructions, machine.flushes)))
    for name in names:
        if name in lacking:
            raise MachineError(f"instructions={name}: this CPU has no {lacking[name]}; try {','.join(possible)}")
        if name not in possible:
            raise UsageError(f"instructions={name}: {target.word} is not a file; try target=file:PATH")
    return names


def persists_by_msync(cpu: int, target: Target) -> Generator[Experiment, Answer, bool]:
    """Return the answer of the core after it mapped a little memory; while planning, true for a file."""
    if target.name not in TOLD:
        return False
    group = Group(
        workload=Workload(kernel="read", footprint_bytes=MiB, work=LineWork()), target=target, team=Team(cpus=(cpu,))
    )
    answer = yield Experiment(table="sizing", groups=(group,), schedule=ASKING)
    if answer.record is None:
        return target.name == "file"
    return answer.record.groups[0].persistence == "msync"


def chunks_of(machine: Machine, asked: tuple[int, ...] | None) -> tuple[int, ...]:
    """Return each chunk size once; UsageError for one below a line, because a flush writes back whole lines."""
    line = machine.line_bytes()
    if asked is None:
        return tuple(dict.fromkeys(max(size, line) for size in CHUNKS))
    for size in asked:
        if size < line:
            raise UsageError(
                f"chunks={units.word_size(size)} is less than a line of {line} B, which a flush writes back whole; "
                f"try chunks={units.word_size(line)} or larger"
            )
    return tuple(dict.fromkeys(asked))


def field_of(machine: Machine, chosen: FlushOptions) -> Generator[Experiment, Answer, Field]:
    """Return all that the user asked for; nothing is measured before every option is valid."""
    target = chosen.target.on(chosen.pages)
    cpu = chosen_cpu(machine, chosen.cpu, target)
    orders, fences, chunks = dict.fromkeys(chosen.order), dict.fromkeys(chosen.fence), chunks_of(machine, chosen.chunks)
    points = [Point(size, fence, order) for order in orders for fence in fences for size in chunks]
    instructions_of(machine, chosen, target, msync=False)
    msync = (yield from persists_by_msync(cpu, target)) if chosen.instructions is None else False
    return Field(cpu, target, instructions_of(machine, chosen, target, msync), points)


def memory_of(machine: Machine, chosen: FlushOptions, field: Field) -> Generator[Experiment, Answer, Memory]:
    """Return the footprint asked for, or 1 GB or 4x the cache if that is more, within half of the free memory.

    The search for the cache runs only if 4x the cache that the system reports is more than 1 GB.
    """
    cache, seen = machine.last_level_cache_bytes(), "reported"
    largest = max(point.chunk_bytes for point in field.points)
    if chosen.footprint is None:
        if TIMES_CACHE * cache > FILE_BYTES:
            found = yield from effective_cache(machine, field.cpu, field.target, SEARCH)
            cache, seen = (found, "found") if found else (cache, seen)
        room = int(free_bytes(machine, field.target) * MEMORY_SHARE) // len(field.instructions)
        size = min(max(FILE_BYTES, TIMES_CACHE * cache), max(FILE_BYTES, LARGEST), max(room // MiB, 1) * MiB)
    else:
        size = chosen.footprint
    if size < largest:
        raise UsageError(
            f"footprint={units.word_size(size)} has no space for a chunk of {show_size(largest)}; "
            f"try footprint={units.word_size(100 * largest)} or smaller chunks"
        )
    half = half_of_what(machine, field.target) if chosen.footprint is None else ""
    return Memory(size, "; ".join(_notes(size, cache, seen, half)))


def _notes(size: int, cache: int, seen: str, half: str) -> list[str]:
    """Return the notes on a size. half: the memory of all instructions together; "" if the user chose the size."""
    notes = []
    if size < FILE_BYTES and half:
        fewer = f"footprints of {show_bytes(size)} instead of {show_size(FILE_BYTES)}"
        notes.append(f"{fewer}: all instructions together have {half}")
    if size < TIMES_CACHE * cache:
        notes.append(
            f"a footprint of {show_size(size)} is under {TIMES_CACHE} x the last-level cache, {show_bytes(cache)} as "
            f"{seen}: lines that clwb or no flush leave there are found again"
        )
    return notes


def groups_of(field: Field, point: Point, footprint: int) -> tuple[Group, ...]:
    """Return one group for each instruction, all on the same CPU; one runs at a time."""
    return tuple(
        Group(
            workload=Workload(
                kernel=f"flush_{name}",
                footprint_bytes=footprint,
                work=BlockWork(element_bytes=point.chunk_bytes, fence=point.fence, order=point.order),
            ),
            target=field.target,
            team=Team(cpus=(field.cpu,)),
            role=VICTIM,
        )
        for name in field.instructions
    )


def pace(field: Field, groups: tuple[Group, ...]) -> Generator[Experiment, Answer, float]:
    """Return the approximate bytes/s of the slowest instruction; the experiment is kept, but is in no table.

    Moments that were left out contribute less than others: they count as lost, up to MOST_LOST.
    """
    slowest = next((field.instructions.index(name) for name in SLOWEST if name in field.instructions), 0)
    answer = yield Experiment(table="sizing", groups=groups, schedule=SIZING, takes=((slowest,),))
    lost = min(answer.point.together.left_out_share, MOST_LOST) if answer.point else 0.0
    chunk = groups[0].workload.of(BlockWork).element_bytes
    return (answer.rate() or GUESS / chunk) * chunk * (1 - lost)


def plan(machine: Machine, chosen: FlushOptions) -> Plan:
    """Yield one experiment for each chunk size, kind of fence and order."""
    field = yield from field_of(machine, chosen)
    memory = yield from memory_of(machine, chosen, field)
    count = len(field.instructions)
    base = next((field.instructions.index(name) for name in BASES if name in field.instructions), 0)
    asked = chosen.total
    for point in field.points:
        groups = groups_of(field, point, memory.array_bytes)
        batch_s = BATCH_S
        if asked is not None:
            rate = yield from pace(field, groups)
            batch_s = max(batch_s, MARGIN * asked / rate / ROUNDS)
        yield Experiment(
            table="flush",
            groups=groups,
            schedule=Schedule(
                precision=chosen.precision,
                minimum_s=batch_s,
                budget_s=max(chosen.budget, batch_s),
                visits=chosen.visits,
            ),
            labels=FlushLabels(
                chunk_bytes=point.chunk_bytes,
                fence=point.fence,
                order=point.order,
                total_bytes=TOTAL_BYTES if asked is None else asked,
            ).stored(),
            note=memory.note,
            takes=tuple((number,) for number in range(count)),
            against=(base,) * count,
        )


def left_out(machine: Machine, chosen: FlushOptions) -> tuple[str, ...]:
    """Return a sentence for each instruction of the build that the CPU lacks."""
    lacking = missing(machine) if chosen.instructions is None else {}
    words = {name: f"{name} is left out: this CPU has no {feature}" for name, feature in lacking.items()}
    return tuple(f"{text}; try a machine that has it" for text in words.values())


suites.add(
    Suite(
        "flush",
        "time of a stored and flushed line, by instruction, chunk size, fence and order",
        FlushOptions,
        plan,
        left_out,
        flushes=True,
        details="All instructions of one chunk size alternate on one CPU. Instructions that the CPU lacks are"
        " left out of the default, with a warning; if they are named, they are refused with status 3."
        " See [how to measure flushes](../how-to/flush.md).",
    )
)
