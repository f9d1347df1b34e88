"""Stride: bandwidth of accesses of a few bytes that are a stride apart.

A stride of the access size is the whole of memory. A wider one leaves bytes out, and shows how many bytes are moved for
those that are requested. Reads go through the caches, so the touched lines must exceed the capacity of the caches. Wide
strides need a large footprint, and a point is marked if its lines may stay in the caches. This does not affect
non-temporal stores.
Blind to which of the caches' prefetchers helps: order=random leaves them nothing to follow.
Source: Z. Wang et al., "Characterizing and Modeling Non-Volatile Memory Systems", MICRO 2020 (LENS, strided reads and
writes); J. Yang et al., "An Empirical Guide to the Behavior and Use of Scalable Persistent Memory", FAST 2020 (access
size over threads).
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Annotated

from tierscope import units
from tierscope.errors import MachineError, UsageError
from tierscope.plans import Plan, Suite, SuiteOptions, suites
from tierscope.plans.answer import Answer
from tierscope.plans.cpus import chosen_cpus
from tierscope.plans.flushes import missing
from tierscope.plans.fresh import OPERATIONS, Operations
from tierscope.plans.kinds import (
    Help,
    Lines,
    Names,
    Numbers,
    Share,
    Size,
    Visits,
    names_of,
    several,
    several_sizes,
)
from tierscope.plans.simulation import NAME as SIMULATED
from tierscope.plans.sizes import LARGEST, MEMORY_SHARE, SEARCH, effective_cache, free_bytes, half_of_what
from tierscope.plans.usual import Budget, PageSize, Where
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.work.block import BlockWork
from tierscope.suites.stride.labels import StrideLabels
from tierscope.units import LINE_BYTES, KiB, MiB, show_bytes, show_size

STRIDES = tuple(64 << octave for octave in range(11))
ACCESSES = (64, 256, KiB, 4 * KiB)
ORDERS = ("sequential", "random")
WHOLE_PAGES = "msync"  # writes pages, whatever was touched
TEAM = 4  # threads: more writers are slower on persistent memory, fewer readers do not fill it
TIMES = 2  # multiple of the last-level cache: a cyclic pass over twice as much finds nothing again

Touched = Annotated[Lines, several_sizes("size", "whole lines of 64 bytes are touched; try 64B,256B,4KiB")]


class StrideOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run stride`."""

    target: Where = Target()
    pages: PageSize = "thp"
    op: Annotated[Operations, Help("`read`, `write`, `both`")] = OPERATIONS
    strides: Annotated[Touched, Help("bytes between two accesses, multiples of 64")] = STRIDES
    access: Annotated[
        Touched, Help("bytes touched at each, multiples of 64; strides that are smaller are left out")
    ] = ACCESSES
    stores: Annotated[
        Names,
        Help(
            "how writes leave the core, without a fence: names of the kernels `flush_...` in `tierscope catalogue` "
            "without `flush_`, such as `nt` (non-temporal stores), `clwb` and `none`; not `msync`, which writes pages"
        ),
    ] = ("nt",)
    order: Annotated[
        Names,
        several("order", ORDERS),
        Help("accesses one after the other (`sequential`), drawn at `random`, or both"),
    ] = ("sequential",)
    threads: Annotated[
        Numbers | None, Help("numbers of threads; auto: 4, or all CPUs of the node where they are fewer")
    ] = None
    cpus: Annotated[Numbers | None, Help("CPUs to use, in this order")] = None
    footprint: Annotated[
        Size | None,
        Help(
            "bytes over which the accesses are spread; auto: 2 GiB within half of the free memory, on a "
            "simulated machine more than its caches contain"
        ),
    ] = None
    precision: Annotated[Share, Help("half of the 95 % interval over the median; also as `3%`")] = 0.03
    budget: Budget = 0.4
    visits: Visits = 3


@dataclass(frozen=True)
class Way:
    """The operation of each access, and its number of threads."""

    op: str
    store: str  # "" of reads
    order: str
    threads: int

    @property
    def kernel(self) -> str:
        return f"flush_{self.store}" if self.store else "read_blocks"


@dataclass(frozen=True)
class Field:
    """The values that all points of one run share."""

    cpus: tuple[int, ...]
    target: Target
    footprint: int
    cache_bytes: int  # of the last level, all that the threads reach
    schedule: Schedule
    note: str

    def point(self, way: Way, stride: int, access: int) -> Experiment:
        touched = self.footprint // stride * access
        cached = way.store != "nt" and touched < TIMES * self.cache_bytes
        work = Workload(
            kernel=way.kernel,
            footprint_bytes=self.footprint,
            work=BlockWork(
                element_bytes=stride, access_bytes=access, order=way.order, fence="never" if way.store else ""
            ),
        )
        asked = StrideLabels(
            op=way.op, store=way.store or None, order=way.order, threads=way.threads,
            stride_bytes=stride, access_bytes=access, touched_bytes=touched, cached=cached,
        )  # fmt: skip
        group = Group(workload=work, target=self.target, team=Team(cpus=self.cpus[: way.threads]), role=way.op)
        return Experiment(
            table="stride", groups=(group,), schedule=self.schedule, labels=asked.stored(), note=self.note
        )


def pairs_of(chosen: StrideOptions) -> list[tuple[int, int]]:
    """Return (access, stride) of every point; UsageError where no access fits a stride."""
    strides, sizes = dict.fromkeys(chosen.strides), dict.fromkeys(chosen.access)
    pairs = [(access, stride) for access in sizes for stride in strides if stride >= access]
    if not pairs:
        raise UsageError(f"access={show_size(min(sizes))} is wider than every stride; try strides=64B,4KiB,64KiB")
    return pairs


def ways_of(machine: Machine, chosen: StrideOptions, cpus: tuple[int, ...]) -> list[Way]:
    """Return reads once, writes once for each kind of store; MachineError for an instruction that the CPU lacks."""
    stores = names_of("store", chosen.stores, [name for name in machine.flushes if name != WHOLE_PAGES])
    for name, feature in missing(machine).items():
        if name in stores:
            raise MachineError(f"stores={name}: this CPU has no {feature}; try stores=nt")
    counts = list(dict.fromkeys(chosen.threads or ())) or [min(TEAM, len(cpus))]
    for count in counts:
        if not 1 <= count <= len(cpus):
            raise UsageError(f"threads={count}: from 1 to {len(cpus)} threads have a CPU each")
    kinds = {"read": ("",), "write": tuple(dict.fromkeys(stores))}
    orders, operations = dict.fromkeys(chosen.order), dict.fromkeys(chosen.op)
    return [
        Way(op, store, order, count) for order in orders for count in counts for op in operations for store in kinds[op]
    ]


def footprint_of(
    machine: Machine, chosen: StrideOptions, target: Target, pairs: list[tuple[int, int]]
) -> tuple[int, str]:
    """Return what was asked for; else as much as may be filled, on a simulated machine more than its caches contain."""
    widest = max(stride for _, stride in pairs)
    if chosen.footprint is not None:
        size, note = chosen.footprint, ""
    else:
        ratio = max(stride // access for access, stride in pairs)
        wanted = max(TIMES * machine.last_level_cache_bytes() * ratio, LARGEST)
        most = min(wanted, LARGEST) if target.name != SIMULATED else wanted
        room = int(free_bytes(machine, target) * MEMORY_SHARE)
        size = max(min(most, room) // MiB, 1) * MiB
        fewer = f"a footprint of {show_bytes(size)} instead of {show_bytes(most)}"
        note = "" if size >= most // MiB * MiB else f"{fewer}: limited by {half_of_what(machine, target)}"
    if size < widest * LINE_BYTES:
        least = units.word_size(widest * LINE_BYTES)
        raise UsageError(
            f"footprint={units.word_size(size)} contains fewer than {LINE_BYTES} strides of {show_size(widest)}; "
            f"try footprint={least}"
        )
    return size, note


def cache_of(machine: Machine, cpus: tuple[int, ...], target: Target) -> Generator[Experiment, Answer, int]:
    """Return the last-level cache as found, else as reported: systems report what several tenants share."""
    reported = machine.last_level_cache_bytes()
    found = None
    if target.name != SIMULATED and reported:
        found = yield from effective_cache(machine, cpus[0], target, SEARCH)
    return (found or reported) * machine.last_level_caches(cpus)


def plan(machine: Machine, chosen: StrideOptions) -> Plan:
    """Yield one experiment for each way, access size and stride."""
    target = chosen.target.on(chosen.pages)
    cpus = chosen_cpus(machine, chosen.cpus, target)
    pairs, ways = pairs_of(chosen), ways_of(machine, chosen, cpus)
    size, note = footprint_of(machine, chosen, target, pairs)
    most = max(way.threads for way in ways)
    through = any(way.store != "nt" for way in ways)
    cache = (yield from cache_of(machine, cpus[:most], target)) if through else 0
    schedule = Schedule(
        precision=chosen.precision, minimum_s=min(0.1, chosen.budget), budget_s=chosen.budget, visits=chosen.visits
    )
    field = Field(cpus, target, size, cache, schedule, note)
    for way in ways:
        for access, stride in pairs:
            yield field.point(way, stride, access)


suites.add(
    Suite(
        "stride",
        "bandwidth over stride and access size: the unit that a memory transfers",
        StrideOptions,
        plan,
        flushes=True,
        details="Measures accesses of a few bytes, one stride apart. See [how to find the unit](../how-to/stride.md).",
    )
)
