"""Footprints that measure memory and not a cache, from the caches that the staircase finds.

STREAM's rule, arrays of 4x the last-level cache each, needs the true size of that cache, which a virtual machine
misreports (one here showed 480 MiB and had 64 to 128). So the effective size is measured first.
Source of the rule: J. D. McCalpin, "STREAM: Sustainable Memory Bandwidth in High Performance Computers", run rules.
"""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from tierscope.plans.answer import Answer
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.work.hop import HopWork
from tierscope.stats.levels import staircase as levels_of
from tierscope.tables import in_cache
from tierscope.units import GiB, KiB, MiB, show_bytes

TIMES_CACHE = in_cache.TIMES_CACHE  # STREAM's rule
TOGETHER = 12 * MiB  # of arrays together: whole large pages for 1, 2 or 3 of them, so that they share one mapping
SMALLEST_ARRAY = 64 * MiB  # a core's second-level cache and its page walks are far below
BELIEVED = 512 * MiB  # of 4 x the reported cache, even where less was found: a second to fill, no doubt left
REACHES = 512 * MiB  # at least, of a staircase: beyond the caches of a machine that reports none
FARTHER = 2.5  # times the latency of the last cache; a smaller step may be page walks
LARGEST = 2 * GiB  # of a footprint chosen by itself: filling more takes longer than measuring
SEARCH = Schedule(precision=0.05, minimum_s=0.1, budget_s=0.3)  # a cache's size is wanted, not its latency
MEMORY_SHARE = 0.5  # of the free memory that may be taken without being asked


@dataclass(frozen=True)
class Memory:
    """The bytes to touch; `note` is the reason if they are fewer than the rule requires.

    together: all arrays of a kernel have the size of one, rounded up.
    """

    array_bytes: int
    note: str
    together: bool = False

    def footprint(self, arrays: int) -> int:
        """Return the bytes of all arrays of a kernel."""
        if not self.together:
            return arrays * self.array_bytes
        return arrays * _whole(-(-self.array_bytes // TOGETHER) * TOGETHER // arrays)


def free_bytes(machine: Machine, target: Target | None = None) -> int:
    """Return MemAvailable at the start of the run, or the nodes' free memory where it is not known.

    target: one of several nodes provides no more than its own free memory; a node of CXL memory may have little. A path
    has the free space that was found before the run began.
    """
    if target is not None and target.word in machine.rooms:
        return machine.rooms[target.word]
    nodes = machine.identity.nodes
    available = machine.state.get("available_bytes")
    total = int(available) if isinstance(available, int | float) else sum(node.free_bytes for node in nodes)
    own = [node.free_bytes for node in nodes if target and target.node == str(node.number)]
    return min(total, *own) if own and len(nodes) > 1 else total


def half_of_what(machine: Machine, target: Target | None = None) -> str:
    """Return what limits a footprint that is MEMORY_SHARE of `free_bytes`, for a note."""
    path = target is not None and target.word in machine.rooms
    return f"half of the free space of {target.word}" if target is not None and path else "half of the free memory"


def array(
    machine: Machine, cache_bytes: int | None, cpus: tuple[int, ...], arrays: int = 3, target: Target | None = None
) -> Memory:
    """Return the bytes of one array: 4x the cache that was found (reported, if none was), within half of the free
    memory.

    One CPU finds the cache that it reaches; where `cpus` reach several, the array is 4x their sum. A found cache that
    is smaller than the reported one does not shrink the array below BELIEVED: neighbours that use the cache now may
    leave it during the run.
    """
    caches = machine.last_level_caches(cpus)
    reported = machine.last_level_cache_bytes() * caches
    known = (cache_bytes or machine.last_level_cache_bytes()) * caches
    wanted = max(TIMES_CACHE * known, min(TIMES_CACHE * reported, BELIEVED), SMALLEST_ARRAY)
    limit = min(LARGEST, int(free_bytes(machine, target) * MEMORY_SHARE / arrays))
    if wanted <= limit:
        return Memory(_whole(wanted), "")
    why = half_of_what(machine, target) if limit < LARGEST else "the time that filling takes"
    return Memory(
        _whole(limit), f"arrays of {show_bytes(limit)} instead of {TIMES_CACHE} x {show_bytes(known)}: limited by {why}"
    )


def _whole(size: int) -> int:
    return max(size // (2 * MiB), 1) * 2 * MiB


def staircase(low: int, high: int, per_octave: int) -> list[int]:
    """Return footprints from low to high, `per_octave` to a doubling, whole multiples of 4 KiB (of 64 B
    below 32 KiB).
    """
    steps = int(np.log2(high / low) * per_octave + 1e-9)  # rounding loses no step
    between = [low * 2.0 ** (step / per_octave) for step in range(1, steps + 1)]
    grains = [4 * KiB if size >= 32 * KiB else 64 for size in between]
    rounded = {round(size / grain) * grain for size, grain in zip(between, grains, strict=True)}
    return sorted({low, high, *(size for size in rounded if low < size < high)})


def chase(footprint: int, cpu: int, target: Target, schedule: Schedule) -> Experiment:
    """Return one point of a staircase that only sizes arrays: kept, but in no table, since it is not a result."""
    work = Workload(kernel="chase", footprint_bytes=footprint, work=HopWork())
    group = Group(workload=work, target=target, team=Team(cpus=(cpu,)), role="chaser")
    return Experiment(table="sizing", groups=(group,), schedule=schedule)


def find_cache(machine: Machine, points: dict[int, float]) -> int | None:
    """Return the effective last-level cache in bytes from latency over footprint; None where memory was not reached.

    For a level whose end is in doubt this is the upper bound: arrays that are too large also measure memory.

    Page walks, also those of the host, may raise latency up to the largest footprint, so that no level looks like
    memory. If there are more levels than reported caches, the first one beyond them is memory nevertheless, provided
    that it takes FARTHER times the latency of the last cache.
    """
    sizes = sorted(points)
    found = levels_of(np.array(sizes, dtype=float), np.array([points[size] for size in sizes]))
    if not found.levels:
        return None
    if found.memory_s is not None:
        return int(found.last_cache.capacity_bytes if found.last_cache else found.levels[-1].high_bytes)
    reported = _reported(machine)
    own, beyond = found.levels[: len(reported)], found.levels[len(reported) :]
    last = own and _is_last(machine, own[-1].capacity_bytes)
    if last and beyond and beyond[0].latency_s >= FARTHER * own[-1].latency_s:
        return int(own[-1].high_bytes)
    return None


def _reported(machine: Machine) -> dict[int, int]:
    """Return the bytes of the largest data cache of each level."""
    sizes: dict[int, int] = {}
    for cache in machine.identity.caches:
        if cache.kind != "Instruction":
            sizes[cache.level] = max(cache.size_bytes, sizes.get(cache.level, 0))
    return sizes


def _is_last(machine: Machine, size: float) -> bool:
    """Return whether a cache of this size can be the last one: a level of page walks is hardly larger than the one
    before it.
    """
    reported = _reported(machine)
    return size > 2 * max((own for level, own in reported.items() if level < max(reported)), default=0)


def shows_memory(machine: Machine, points: dict[int, float], cache_bytes: int | None) -> bool:
    """Return whether the largest footprint takes FARTHER times the latency of the cache that was found, which can be
    the last one.
    """
    inside = [footprint for footprint in points if footprint <= (cache_bytes or 0) / 2]
    last = _is_last(machine, cache_bytes or 0)
    return last and bool(inside) and points[max(points)] >= FARTHER * points[max(inside)]


def effective_cache(
    machine: Machine, cpu: int, target: Target, schedule: Schedule
) -> Generator[Experiment, Answer, int | None]:
    """Return the size of the cache by a coarse staircase, in about four seconds; largest first to map memory once."""
    top = max(TIMES_CACHE * machine.last_level_cache_bytes(), REACHES)
    top = min(top, LARGEST, int(free_bytes(machine, target) * MEMORY_SHARE))
    points: dict[int, float] = {}
    for footprint in reversed(staircase(256 * KiB, _whole(top), 1)):
        answer = yield chase(footprint, cpu, target, schedule)
        if rate := answer.rate():
            points[footprint] = 1 / rate
    return find_cache(machine, points)


def all_together(memory: Memory, why: str) -> Memory:
    """Return memory in which the arrays of a kernel have the size of one together; unchanged without a reason `why`.

    They are still 4x the cache, so few lines are left in it: 2 % with random replacement.
    """
    if not why:
        return memory
    size = show_bytes(memory.array_bytes)
    note = f"all arrays of a kernel have {size} together, instead of {size} each: {why}"
    return Memory(memory.array_bytes, "; ".join(filter(None, (memory.note, note))), together=True)


def chosen_array(
    machine: Machine, asked: int | None, cache_bytes: int | None, cpus: tuple[int, ...], near: int, target: Target
) -> Generator[Experiment, Answer, Memory]:
    """Return the array that was asked for, or one by the rule; `near` measures the cache where it is not known yet."""
    if asked is not None:
        return Memory(asked, "")
    if cache_bytes is None:
        cache_bytes = yield from effective_cache(machine, near, target, SEARCH)
    return array(machine, cache_bytes, cpus, target=target)
