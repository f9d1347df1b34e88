"""Buffers between the processor and a memory's medium, from reads and writes of fresh regions.

Reads begin with regions of one line of the caches to 8 KiB scattered over the footprint; the knees are the units of the
buffers. Larger regions follow in the order of their addresses; their knees are the capacities. Then come more regions
around the capacities that a first fit finds. Writes give the time per line over region size, from which
`stats.buffers_writes` infers what joins them.

Sizes are not assumed: see `stats.buffers`. A buffer larger than half of the largest region has a lower bound.
Source: Z. Wang et al., "Characterizing and Modeling Non-Volatile Memory Systems", MICRO 2020 (LENS, buffer prober).
"""

import math
from collections.abc import Generator
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np
from msgspec import Meta

from tierscope.errors import UsageError
from tierscope.plans import Plan, Suite, SuiteOptions, fresh, suites
from tierscope.plans.answer import Answer
from tierscope.plans.cpus import chosen_cpu
from tierscope.plans.kinds import Help, Number, Pages, Seconds, Share, Size, Time, Visits, one_size
from tierscope.record.experiment import Experiment, Schedule, Target
from tierscope.record.machine import Machine
from tierscope.stats.buffers import FEWEST, Curve, capacities
from tierscope.tables.regions import FreshLabels
from tierscope.units import LINE_BYTES, KiB, MiB, show_bytes

SCATTERED = tuple(64 << step for step in range(8))  # to 8 KiB, the largest unit that the fit looks for
GRAIN = 8 * KiB  # larger regions contain whole units of any size
FIRST = 16 * KiB
FINE = 256 * KiB  # from this size regions differ by a 32nd at most
SMALLEST_TO = 256 * KiB
AROUND = (0.8, 0.9, 1.0, 1.12, 1.25, 1.41, 1.8, 2.2, 2.8)  # factors on a capacity that was found
WRITTEN = tuple(256 << step for step in range(13))  # to 1 MiB

Grain = Annotated[
    int,
    Meta(ge=LINE_BYTES, multiple_of=LINE_BYTES),
    one_size("interleaved memories take whole lines; try grain=4KiB"),
]


class BuffersOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run buffers`."""

    target: Annotated[Target, Help("where the bytes live; `sim:PRESET` for a simulated memory")] = Target()
    pages: Annotated[Pages, Help("page size: `4k`, `thp`, `2m`, `1g`; with 4 KiB pages a TLB looks like a buffer")] = (
        "thp"
    )
    to: Annotated[Size, Help("largest region; of buffers larger than half of it a lower bound is known")] = 128 * MiB
    footprint: Annotated[
        Size | None,
        Help(
            "bytes that the regions share; auto: 1 GiB, 4 x the last-level cache or 4 regions, the largest "
            "of them, within half of what is free"
        ),
    ] = None
    ways: Annotated[
        int,
        Meta(ge=1, le=64),
        Help("interleaved memories, as `run policy` finds them; buffers about as small as their grain need it"),
    ] = 1
    grain: Annotated[Grain, Help("consecutive bytes in each of them")] = 4 * KiB
    op: Annotated[fresh.Operations, Help("`read`: buffers; `write`: what joins writes; `both`")] = fresh.OPERATIONS
    cpu: Annotated[Number | None, Help("the CPU that reads and writes; auto: the first of the target's node")] = None
    precision: Annotated[Share, Help("half of the 95 % interval of a latency over the latency")] = 0.01
    budget: Annotated[Time, Help("most seconds timed for one region; large ones are visited at least once")] = 0.6
    limit: Annotated[Seconds, Help("seconds after which regions get only the least time")] = 90.0
    visits: Visits = 3


@dataclass
class Known:
    """Latencies so far, by region and whether it was scattered: seconds and relative standard error."""

    footprint_bytes: int
    ways: int = 1
    grain_bytes: int = 4 * KiB
    line_bytes: int = LINE_BYTES
    points: dict[tuple[int, bool], tuple[float, float]] = field(default_factory=dict)

    def add(self, experiment: Experiment, answer: Answer) -> None:
        labels = FreshLabels.read(experiment)
        if (rate := answer.rate()) and answer.point:
            relative = answer.point.groups[0].interval.relative / 2
            self.points[labels.region_bytes, labels.scattered] = 1 / rate, relative

    def slowest(self) -> float:
        """Return the longest time of a line, in seconds; a guess before any point is measured."""
        return max((seconds for seconds, _ in self.points.values()), default=fresh.LINE_S)

    def capacities(self) -> list[float]:
        """Return the capacities of the buffers that the points show so far."""
        if len(self.points) < FEWEST:
            return []
        keys = sorted(self.points)
        values = [self.points[key] for key in keys]
        curve = Curve(
            np.array([region for region, _ in keys], dtype=np.float64),
            np.array([seconds for seconds, _ in values]),
            np.nan_to_num(np.array([spread for _, spread in values]), posinf=1.0),
            np.array([scattered for _, scattered in keys]),
            np.full(len(keys), float(self.footprint_bytes)),
            self.ways,
            self.grain_bytes,
            self.line_bytes,
        )
        return capacities(curve)


def field_of(machine: Machine, chosen: BuffersOptions) -> fresh.Field:
    """Return the field of regions; UsageError for a CPU that may not be used, or regions too small to show a buffer."""
    target = chosen.target.on(chosen.pages)
    cpu = chosen_cpu(machine, chosen.cpu, target)
    if chosen.to < SMALLEST_TO:
        raise UsageError(f"regions up to {show_bytes(chosen.to)} show no buffer; try to=128MiB")
    size, note = fresh.footprint(machine, target, chosen.footprint, chosen.to)
    schedule = Schedule(precision=chosen.precision, minimum_s=0.2, budget_s=chosen.budget, visits=chosen.visits)
    walk = fresh.Field(cpu, target, size, schedule, "buffers", note)
    return replace(walk, ways=chosen.ways, grain_bytes=chosen.grain, line_bytes=machine.line_bytes())


def coarse(largest: int) -> list[int]:
    """Return regions from 16 KiB up, each twice the one before."""
    steps = int(np.log2(largest / FIRST))
    return sorted({FIRST << step for step in range(steps + 1)} | {_whole(largest)})


def finer(capacities: list[float], largest: int) -> list[int]:
    """Return more regions around each capacity."""
    sizes = {_whole(capacity * factor) for capacity in capacities for factor in AROUND}
    return sorted(size for size in sizes if FIRST <= size <= largest)


def _whole(size: float) -> int:
    """Return a size near `size` that is whole in units of any size and in timed blocks."""
    grain = GRAIN << max(0, math.floor(math.log2(size / FINE)))
    return max(round(size / grain) * grain, FIRST)


def reads(walk: fresh.Field, largest: int, line: int) -> Generator[Experiment, Answer, None]:
    """Yield scattered regions, then larger ones, then regions around the capacities that these show."""
    known = Known(walk.footprint_bytes, walk.ways, walk.grain_bytes, line)
    small = [(size, True) for size in SCATTERED if size >= line]
    for region, scattered in small + [(size, False) for size in coarse(largest)]:
        experiment = replace(walk, line_s=known.slowest()).read(region, line, scattered=scattered)
        known.add(experiment, (yield experiment))
    for region in finer(known.capacities(), largest):
        if (region, False) not in known.points:
            yield replace(walk, line_s=known.slowest()).read(region, line)


def plan(machine: Machine, chosen: BuffersOptions) -> Plan:
    walk = field_of(machine, chosen)
    if "read" in chosen.op:
        yield from reads(walk, chosen.to, machine.line_bytes())
    for region in WRITTEN if "write" in chosen.op else ():
        yield walk.write(region)


def left_out(machine: Machine, chosen: BuffersOptions) -> tuple[str, ...]:
    """Return what small pages hide."""
    del machine
    if chosen.pages != "4k":
        return ()
    return ("with 4 KiB pages a TLB looks like a buffer of 4 KiB units; try pages=thp",)


suites.add(
    Suite(
        "buffers",
        "buffers of a memory: capacity, unit, latency",
        BuffersOptions,
        plan,
        left_out,
        details="Finds what is between the processor and the medium of a memory: number of buffers, capacity,"
        " unit and latency of each, and what joins writes. See [how to find "
        "buffers](../how-to/buffers.md).",
    )
)
