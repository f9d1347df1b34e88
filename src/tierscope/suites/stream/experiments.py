"""STREAM and its kin over thread counts: every kernel, plain and non-temporal stores apart.

A short calibration on this machine picks the loop variant of a kernel (vectors, parallel streams, page interleave,
prefetch) for each number of threads. The Result states which one ran.
Source: J. D. McCalpin, "Memory Bandwidth and Machine Balance in Current High Performance Computers", IEEE TCCA
Newsletter, 1995.
"""

from collections.abc import Generator
from typing import Annotated

import msgspec

from tierscope.plans import Plan, Suite, suites
from tierscope.plans.answer import Answer
from tierscope.plans.cpus import chosen_cpus, near_cpus, thread_counts
from tierscope.plans.kernels import STREAM, walk_of
from tierscope.plans.kinds import ALL, Block, Help, LineSize, Names, Numbers, Size, Visits, names_of
from tierscope.plans.prefetch import PrefetchOptions
from tierscope.plans.simulation import NAME as SIMULATED
from tierscope.plans.sizes import Memory, all_together, chosen_array
from tierscope.plans.usual import Budget, PageSize, PrecisionInPercent, Where
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.work.line import LineWork
from tierscope.suites.stream.labels import StreamLabels
from tierscope.suites.stream.large import LARGE, call_bytes, calls_of, seconds_of
from tierscope.units import LINE_BYTES

DEFAULT = (*STREAM, *LARGE)


class StreamOptions(PrefetchOptions, frozen=True, kw_only=True):
    """Options of `tierscope run stream`."""

    target: Where = Target()
    pages: PageSize = "thp"
    kernels: Annotated[
        Names,
        Help(
            "kernels, or `all` that use lines of arrays: `tierscope catalogue` lists them; `memcpy_large` and "
            "`memset_large` are one call of the library for a whole array"
        ),
    ] = DEFAULT
    threads: Annotated[
        Numbers | None, Help("numbers of threads, such as `1,2,8-10`; auto: powers of two, and all CPUs")
    ] = None
    cpus: Annotated[
        Numbers | None, Help("CPUs to use, in this order; auto: those of the target's node, one of each core first")
    ] = None
    array: Annotated[
        Size | None,
        Help(
            "bytes of each array; auto: 4x the effective last-level cache, and 4x the reported one up to "
            "512 MiB; all arrays within half of the free memory"
        ),
    ] = None
    row: Annotated[
        LineSize | None, Help("bytes of a row, of stencils and `transpose`; auto: a square or a cube of the array")
    ] = None
    isa: Annotated[
        str | None,
        Help("an ISA, as `tierscope catalogue` lists those of each kernel; auto: what the calibration finds fastest"),
    ] = None
    precision: PrecisionInPercent = 0.02
    budget: Budget = 1.5
    block: Annotated[Block, Help("length of a block; memcpy and memset are called once per block")] = 0.001
    visits: Visits = 3


def kernels_of(machine: Machine, chosen: StreamOptions, target: Target) -> tuple[str, ...]:
    """Return those asked for; a default list leaves out kernels that no simulated memory can run."""
    large = [name for name, kernel in LARGE.items() if kernel in machine.kernels]
    names = names_of("kernel", chosen.kernels, (*machine.kernels, *large))
    own = chosen.kernels in (DEFAULT, (ALL,))
    if not own or target.name != SIMULATED:
        return names
    return tuple(name for name in names if name in machine.kernels and machine.kernels[name].simulated)


def arrays_of(machine: Machine, kernel: str) -> int:
    """Return the number of arrays that a kernel uses, which may be one of large calls."""
    return walk_of(machine, LARGE.get(kernel) or kernel).arrays


def point(
    kernel: str,
    arrays: int,
    cpus: tuple[int, ...],
    target: Target,
    memory: Memory,
    schedule: Schedule,
    isa: str = "",
    row_bytes: int = 0,
) -> Experiment:
    """Return one kernel on some CPUs; its loop variant is still to be calibrated."""
    walk = LineWork(row_bytes=row_bytes)
    work = Workload(kernel=kernel, footprint_bytes=memory.footprint(arrays), isa=isa, work=walk)
    group = Group(workload=work, target=target, team=Team(cpus=cpus), role=kernel)
    return Experiment(
        table="stream",
        groups=(group,),
        schedule=schedule,
        labels=StreamLabels(kernel=kernel, threads=len(cpus)).stored(),
        calibrate=True,
        note=memory.note,
    )


def large(
    name: str, machine: Machine, cpus: tuple[int, ...], target: Target, memory: Memory, schedule: Schedule
) -> Experiment:
    """Return calls of the C library that are as large as the arrays; `large.py` explains why."""
    arrays = walk_of(machine, LARGE[name]).arrays
    one = point(LARGE[name], arrays, cpus, target, memory, schedule)
    size = call_bytes(memory.footprint(arrays) // arrays, len(cpus))
    call_s = seconds_of(size)
    visit_s = calls_of(call_s) * call_s
    own = msgspec.structs.replace(
        schedule,
        block_s=max(schedule.block_s, call_s),
        minimum_s=visit_s,
        budget_s=max(schedule.budget_s, visit_s),
        piece_s=visit_s,
    )
    (group,) = one.groups
    work = msgspec.structs.replace(group.workload, per_block=size // LINE_BYTES)
    return msgspec.structs.replace(
        one,
        groups=(msgspec.structs.replace(group, workload=work, role=name),),
        schedule=own,
        labels=StreamLabels(kernel=name, threads=len(cpus)).stored(),
        calibrate=False,
    )


def measure(
    machine: Machine,
    chosen: StreamOptions,
    cache_bytes: int | None = None,
    together: str = "",
) -> Generator[Experiment, Answer, None]:
    """Yield thread counts outside, kernels inside, so that a slow drift does not affect one kernel alone.

    together: why all arrays of a kernel have the size of one, if they do.
    """
    target = chosen.target.on(chosen.pages)
    cpus = chosen_cpus(machine, chosen.cpus, target)
    counts = thread_counts(chosen.threads, cpus)
    names = kernels_of(machine, chosen, target)
    schedule = Schedule(precision=chosen.precision, budget_s=chosen.budget, block_s=chosen.block, visits=chosen.visits)
    near = near_cpus(machine, target)[0]
    each = yield from chosen_array(machine, chosen.array, cache_bytes, cpus, near, target)
    memory = all_together(each, together)
    for count in counts:
        for kernel in names:
            if kernel in LARGE:
                if count in (counts[0], counts[-1]):  # a call is long, and its number of threads adds little
                    yield large(kernel, machine, cpus[:count], target, memory, schedule)
                continue
            walk = walk_of(machine, kernel)
            row = chosen.row if chosen.row and walk.rows else 0
            yield point(kernel, walk.arrays, cpus[:count], target, memory, schedule, chosen.isa or "", row)


def plan(machine: Machine, chosen: StreamOptions) -> Plan:
    yield from measure(machine, chosen)


suites.add(
    Suite(
        "stream",
        "bandwidth of every kernel over threads",
        StreamOptions,
        plan,
        kernels=True,
        details="A calibration selects the loop variant of each kernel and number of threads.",
    )
)
