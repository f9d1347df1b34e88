"""Latency over footprint: one CPU chases pointers along a random cycle, from the first-level cache to memory.

Three series answer three questions. Large pages show the caches and memory without the TLB. 4 KiB pages at the same
footprints add the page walks. Pairs of neighbouring lines show whether the processor fetches the neighbour of the line
that was requested. If latency still rises at the largest footprint, that one is also visited window by window. Then
page walks are as many as in a window, and caches contain no more lines than before. If the staircase ends before the
cache that the system reports, footprints around its end are also visited by blocks (`fast`).

With `regions=fresh` the question is another one: time per line over the size of regions that were never visited before
(`plans.fresh`), where caches hide nothing.
Source: L. McVoy and C. Staelin, "lmbench: Portable Tools for Performance Analysis", USENIX ATC 1996.
"""

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta

from tierscope.errors import UsageError
from tierscope.plans import Plan, Suite, fresh, suites
from tierscope.plans.answer import Answer
from tierscope.plans.cpus import chosen_cpu
from tierscope.plans.kinds import Help, LineSize, Names, Number, Size, Time, Visits, one_of, several
from tierscope.plans.prefetch import PrefetchOptions
from tierscope.plans.sizes import (
    LARGEST,
    MEMORY_SHARE,
    REACHES,
    TIMES_CACHE,
    find_cache,
    free_bytes,
    half_of_what,
    shows_memory,
    staircase,
)
from tierscope.plans.usual import Precision, Where
from tierscope.record.experiment import PAGES, Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.work.hop import HopWork
from tierscope.stats.levels import staircase as levels_of
from tierscope.suites.latency import fast
from tierscope.suites.latency.labels import LatencyLabels
from tierscope.units import KiB, MiB, show_bytes, word_bytes

PAIR = 2  # neighbouring lines
WINDOWS = 8  # of the largest footprint
TLB_OCTAVES = 4  # below the largest footprint that are measured with 4 KiB pages


class LatencyOptions(PrefetchOptions, frozen=True, kw_only=True):
    """Options of `tierscope run latency`."""

    target: Where = Target()
    pages: Annotated[
        Names,
        several("page size", PAGES),
        Help("page sizes; the first for the whole staircase, the others for its largest footprints"),
    ] = ("thp", "4k")
    probe: Annotated[
        Names,
        several("probe", ("cycle", "random")),
        Help(
            "`cycle`: each line once, in a random order; `random`: each address drawn at random; or both, "
            "as `cycle,random`"
        ),
    ] = ("cycle",)
    order: Annotated[
        Names,
        several("order", ("global", "page")),
        Help(
            "`global`: any line next; `page`: all lines of a 4 KiB page before the next page; or both, as `global,page`"
        ),
    ] = ("global",)
    from_: Annotated[Size, Help("smallest footprint")] = msgspec.field(default=4 * KiB, name="from")
    to: Annotated[
        Size | None,
        Help(
            "largest footprint; auto: 4x the reported last-level cache, at least 512 MiB, at most 2 "
            "GiB, within half of the free memory"
        ),
    ] = None
    per_octave: Annotated[int, Meta(ge=1, le=32), Help("footprints to a doubling")] = 2
    element: Annotated[
        LineSize | None, Help("bytes between two places of the chase, a multiple of 64; auto: a line of the caches")
    ] = None
    regions: Annotated[
        str,
        one_of("kind of regions", ("none", "fresh")),
        Help(
            "`none`: the staircase; `fresh`: time per line over regions that were never visited before, from "
            "one block to `to` (auto: 128 MiB); `probe`, `order`, `from` and `element` do not count then"
        ),
    ] = "none"
    op: Annotated[fresh.Operations, Help("of fresh regions: `read`, `write` or `both`")] = ("read",)
    block: Annotated[
        LineSize | None,
        Help(
            "of fresh regions: bytes read or written at a time, a multiple of 64; all lines of a block are "
            "in flight at the same time; auto: a line of the caches"
        ),
    ] = None
    cpu: Annotated[Number | None, Help("the CPU that chases; auto: the first of the target's node")] = None
    precision: Precision = 0.02
    budget: Annotated[Time, Help("most seconds timed for one footprint")] = 0.8
    visits: Visits = 3


FRESH_TO = 128 * MiB  # largest default fresh region: 8x the largest buffer known to us


@dataclass(frozen=True)
class Walk:
    """The values that all points of one run share."""

    cpu: int
    target: Target
    schedule: Schedule
    element_bytes: int
    line_bytes: int
    note: str

    def experiment(self, footprint: int, kernel: str = "chase", order: str = "global") -> Experiment:
        window = footprint // WINDOWS // MiB * MiB
        localities = {"page": 4 * KiB, "pair": PAIR * self.line_bytes, "window": window}
        element = self.line_bytes * fast.LINES if order == "block" else self.element_bytes
        work = Workload(
            kernel=kernel,
            footprint_bytes=footprint,
            work=HopWork(element_bytes=element, locality_bytes=localities.get(order, 0)),
        )
        group = Group(workload=work, target=self.target, team=Team(cpus=(self.cpu,)), role="chaser")
        probe = {"chase": "cycle", "chase_blocks": "cycle", "probe": "random"}[kernel]
        labels = LatencyLabels(probe=probe, order=order, pages=self.target.pages).stored()
        return Experiment(table="latency", groups=(group,), schedule=self.schedule, labels=labels, note=self.note)

    def on(self, pages: str) -> "Walk":
        return replace(self, target=self.target.on(pages))


Farther = Callable[[int | None, int], str]
"""Takes the bytes of the cache that was found and of the largest footprint. Returns why larger footprints are left out,
"" if they are not.
"""


def highest(machine: Machine, target: Target) -> tuple[int, str]:
    """Return the largest footprint that is worth the time, and why it is less than the rule requires."""
    wanted = max(TIMES_CACHE * machine.last_level_cache_bytes(), REACHES)
    limit = min(LARGEST, int(free_bytes(machine, target) * MEMORY_SHARE))
    if wanted <= limit:
        return wanted // MiB * MiB, ""
    why = half_of_what(machine, target) if limit < LARGEST else "the time that filling takes"
    limit = limit // MiB * MiB
    return limit, f"staircase to {show_bytes(limit)} instead of {show_bytes(wanted)}: limited by {why}"


def walk_of(machine: Machine, chosen: LatencyOptions) -> Walk:
    """Return the setting of the run; UsageError for a CPU that may not be used here."""
    target = chosen.target.on(chosen.pages[0])
    schedule = Schedule(precision=chosen.precision, minimum_s=0.1, budget_s=chosen.budget, visits=chosen.visits)
    cpu = chosen_cpu(machine, chosen.cpu, target)
    note = highest(machine, target)[1] if chosen.to is None else ""
    line = machine.line_bytes()
    return Walk(cpu, target, schedule, chosen.element or line, line, note)


def footprints_of(machine: Machine, chosen: LatencyOptions, target: Target) -> list[int]:
    """Return footprints, smallest first; UsageError if they do not rise, or are too small for a neighbour."""
    low = chosen.from_
    top = highest(machine, target)[0] if chosen.to is None else chosen.to
    least = 2 * (chosen.element or machine.line_bytes())
    if not 0 < least <= low <= top:
        asked = f"element={word_bytes(least // 2)} from={word_bytes(low)} to={word_bytes(top)}"
        raise UsageError(f"{asked}: footprints go from two elements or more up to the largest; try from=4KiB to=1GiB")
    return staircase(low, top, chosen.per_octave)


def series_of(chosen: LatencyOptions) -> list[tuple[str, str]]:
    """Return (kernel, order) of each staircase; random draws have no order."""
    cycles = [("chase", order) for order in chosen.order]
    return [one for probe in chosen.probe for one in (cycles if probe == "cycle" else [("probe", "global")])]


def coarser(footprints: Sequence[int], above: float) -> list[int]:
    """Return every second one of the footprints that are larger, from the largest on, and all others."""
    large = [footprint for footprint in footprints if footprint > above]
    return [*(footprint for footprint in footprints if footprint <= above), *large[::-1][::2][::-1]]


def measure(
    machine: Machine, chosen: LatencyOptions, coarse: float = math.inf, farther: Farther | None = None
) -> Generator[Experiment, Answer, int | None]:
    """Yield the whole table; return the effective last-level cache in bytes, None if memory was not reached.

    coarse: bytes, above which half of the footprints are measured. farther: is asked for footprints beyond REACHES,
    after all others; without it they come first, so that memory is mapped once.
    """
    walk, series = walk_of(machine, chosen), series_of(chosen)
    footprints = coarser(footprints_of(machine, chosen, walk.target), coarse)
    near = [one for one in footprints if one <= REACHES] if farther else footprints
    parts = [part for part in (near, footprints[len(near) :]) if part]
    whole_lines, pair = walk.element_bytes == walk.line_bytes, PAIR * walk.line_bytes
    points: dict[int, float] = {}
    for part in parts:
        if farther and part is not parts[0]:
            found = find_cache(machine, points)
            if why := farther(found if shows_memory(machine, points, found) else None, part[-1]):
                note = f"footprints up to {show_bytes(near[-1])}: {why}"
                footprints, walk = near, replace(walk, note="; ".join(filter(None, (walk.note, note))))
                break
        for kernel, order in series:
            for footprint in reversed(part):
                answer = yield walk.experiment(footprint, kernel, order)
                if (kernel, order) == series[0] and (rate := answer.rate()):
                    points[footprint] = 1 / rate
                if footprint == part[-1] and (kernel, order) == ("chase", "global") and whole_lines:
                    yield walk.experiment(footprint // pair * pair, order="pair")  # next to its twin, in memory
    yield from by_windows(walk, series, {} if farther else points)
    yield from by_blocks(walk, series, {} if farther else points, machine)
    for pages in chosen.pages[1:]:
        for footprint in reversed([f for f in footprints if f >= footprints[-1] >> TLB_OCTAVES]):
            yield walk.on(pages).experiment(footprint)
    return find_cache(machine, points)


def by_windows(walk: Walk, series: Sequence[tuple[str, str]], points: Mapping[int, float]) -> Plan:
    """Yield the largest footprint window by window, if latency still rises there behind a level.

    points: seconds by footprint, of the first of the series.
    """
    if not points or walk.element_bytes != walk.line_bytes or series[0] != ("chase", "global"):
        return
    sizes = sorted(points)
    found = levels_of(np.array(sizes, dtype=float), np.array([points[size] for size in sizes]))
    if found.levels and found.memory_s is None and sizes[-1] >= WINDOWS * MiB:
        yield walk.experiment(sizes[-1], order="window")


def by_blocks(walk: Walk, series: Sequence[tuple[str, str]], points: Mapping[int, float], machine: Machine) -> Plan:
    """Yield fast passes around the end of the last cache, if the system reports a larger one, or none.

    points: as of `by_windows`.
    """
    if not points or walk.element_bytes != walk.line_bytes or series[0] != ("chase", "global"):
        return
    for footprint in fast.footprints(points, machine.last_level_cache_bytes()):
        yield walk.experiment(footprint, "chase_blocks", order="block")


def fresh_regions(machine: Machine, chosen: LatencyOptions) -> Plan:
    """Yield time per line over fresh regions.

    UsageError if a block is not a multiple of a line, or is larger than all regions.
    """
    line = machine.line_bytes()
    walk, block = walk_of(machine, chosen), chosen.block or line
    largest = FRESH_TO if chosen.to is None else chosen.to
    if block % line or block > largest:
        raise UsageError(
            f"block={word_bytes(block)} to={word_bytes(largest)}: "
            f"try block={word_bytes(line)}, whole lines, and to=128MiB"
        )
    size, note = fresh.footprint(machine, walk.target, None, largest)
    field = fresh.Field(walk.cpu, walk.target, size, walk.schedule, "latency", note, line_bytes=line)
    regions = fresh.sizes(block, largest, chosen.per_octave)
    for operation in chosen.op:
        slowest = 0.0  # s per line, of this operation so far
        for region in regions:
            walked = replace(field, line_s=slowest or field.line_s)
            answer = yield walked.read(region, block) if operation == "read" else walked.write(region, block)
            if rate := answer.rate():
                slowest = max(slowest, line / block / rate)


def plan(machine: Machine, chosen: LatencyOptions) -> Plan:
    if chosen.regions == "fresh":
        yield from fresh_regions(machine, chosen)
    else:
        yield from measure(machine, chosen)


suites.add(
    Suite("latency", "latency over footprint: caches, memory, TLB, adjacent-line prefetch", LatencyOptions, plan)
)
