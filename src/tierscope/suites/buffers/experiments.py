"""Buffers between the processor and a memory's medium, from reads and writes of fresh regions.

Reads begin with regions of one line of the caches to 128 KiB scattered over the footprint; the knees are the units of
the buffers. So are those of pairs of lines, over the distance within a pair. Regions in the order of their addresses
follow; their knees are the capacities. Then come more regions around the capacities that a first fit finds, and once
more around those that a second fit finds. Around each of them, regions are read in passes, which show where many kinds
of buffers are outgrown (`stats.buffers_passes`). Points on which the answer depends are then read for longer
(`stats.buffers_aim`). Writes give the time per line over region size, from which `stats.buffers_writes` infers what
joins them.

Sizes are not assumed: see `stats.buffers`. A buffer larger than half of the largest region has a lower bound.
Source: Z. Wang et al., "Characterizing and Modeling Non-Volatile Memory Systems", MICRO 2020 (LENS, buffer prober).
"""

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta

from tierscope.errors import UsageError
from tierscope.plans import Plan, Suite, SuiteOptions, fresh, suites
from tierscope.plans.answer import Answer
from tierscope.plans.cpus import chosen_cpu
from tierscope.plans.kinds import Help, Number, Pages, Seconds, Share, Size, Time, Visits, one_size
from tierscope.record.experiment import Experiment, Schedule, Target
from tierscope.record.labels import present
from tierscope.record.machine import Machine
from tierscope.stats.buffers import FEWEST, capacities
from tierscope.stats.buffers_aim import worth_time
from tierscope.stats.buffers_levels import Curve, Pass
from tierscope.stats.buffers_pairs import units_of
from tierscope.stats.buffers_passes import steps_by, widest
from tierscope.stats.buffers_search import Place
from tierscope.tables.regions import FreshLabels
from tierscope.units import LINE_BYTES, KiB, MiB, show_bytes

SCATTERED = tuple(sorted({64 << step for step in range(12)} | {192 << step for step in range(10)}))
"""To 128 KiB, twice the largest unit that the fit looks for."""
DISTANCES = tuple(sorted({64 << step for step in range(12)} | {192 << step for step in range(10)}))
"""Within a pair, to 128 KiB."""
PASSES = (0.5, 0.62, 0.78, 0.88, 1.0, 1.13, 1.28, 1.6)
"""Factors on a capacity, where regions are read in passes."""
HALVED = 4  # times: the interval of regions around the largest step of these
NEAR = 1.02  # times: regions that are near enough
ENOUGH = 0.4  # of the whole rise: a step that is halved
GRAIN = 8 * KiB  # regions above `fresh.WHOLE_BYTES` contain whole units of most sizes
FIRST = 2 * KiB
PARTS = 32  # of a region: by one of them, or by a unit if that is more, regions differ at least
SMALLEST_TO = 256 * KiB
ROUNDS = (
    (0.8, 0.9, 1.0, 1.12, 1.25, 1.41, 1.8, 2.2, 2.8),
    (0.66, 0.72, 0.77, 0.85, 0.95, 1.06, 1.18, 1.33, 1.5, 1.65, 2.0, 2.5),
)
"""Factors on a capacity that was found, where regions are added."""
AGAIN_TO = 16 * MiB  # regions of the second round, and of longer reads: larger ones take most of the time
SHARES = (1.0, 0.5)  # of the error of the model: half of it adds an eighth to both together
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
    """Latencies so far, by region, whether it was scattered, and stride: seconds and relative standard error."""

    footprint_bytes: int
    ways: int = 1
    grain_bytes: int = 4 * KiB
    line_bytes: int = LINE_BYTES
    points: dict[tuple[int, bool, int], tuple[float, float]] = field(default_factory=dict)
    passes: list[Pass] = field(default_factory=list)

    def add(self, experiment: Experiment, answer: Answer) -> None:
        labels = FreshLabels.read(experiment)
        if (rate := answer.rate()) and answer.point:
            relative = answer.point.groups[0].interval.relative / 2
            key = labels.region_bytes, labels.scattered, present(labels.stride_bytes) or 0
            if key[2] and not labels.scattered:
                self.passes.append(Pass(key[0], key[2], 1 / rate, relative))
                return
            self.points[key] = min((1 / rate, relative), self.points.get(key, (0.0, math.inf)), key=lambda one: one[1])

    def slowest(self) -> float:
        """Return the longest time of a line, in seconds; a guess before any point is measured."""
        return max((seconds for seconds, _ in self.points.values()), default=fresh.LINE_S)

    def curve(self) -> Curve:
        """Return the points so far."""
        keys = sorted(self.points)
        values = [self.points[key] for key in keys]
        return Curve(
            np.array([region for region, *_ in keys], dtype=np.float64),
            np.array([seconds for seconds, _ in values]),
            np.nan_to_num(np.array([spread for _, spread in values]), posinf=1.0),
            np.array([scattered for _, scattered, _ in keys]),
            np.full(len(keys), float(self.footprint_bytes)),
            self.ways,
            self.grain_bytes,
            self.line_bytes,
            np.array([stride for *_, stride in keys], dtype=np.float64),
        )

    def worth_time(self, share: float) -> list[tuple[int, bool, int, float]]:
        """Return the key of each point that decides the answer, and the precision needed.

        share: of the error of the model, that a point may have.
        """
        if len(self.points) < FEWEST:
            return []
        keys = sorted(self.points)
        return [(*keys[place], 2 * relative) for place, relative in worth_time(self.curve(), share)]

    def in_passes(self, stride: int) -> list[Pass]:
        """Return the regions that were read in passes with this stride, by rising size."""
        return sorted((one for one in self.passes if one.stride_bytes == stride), key=lambda one: one.region_bytes)

    def outgrown(self) -> list[tuple[int, float]]:
        """Return the unit and the capacity of buffers whose regions are worth passes: with units that pairs show."""
        units = units_of(self.curve())
        places = self.places() if units else []
        return [
            (min(units, key=lambda unit: abs(math.log(unit / place.unit_bytes))), place.capacity_bytes)
            for place in places
        ]

    def places(self) -> list[Place]:
        """Return the buffers that the points show so far, as if no other kind existed."""
        return capacities(self.curve()) if len(self.points) >= FEWEST else []


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
    """Return regions from 2 KiB up, each twice the one before."""
    steps = int(np.log2(largest / FIRST))
    return sorted({FIRST << step for step in range(steps + 1)} | {_whole(largest)})


def finer(known: Known, places: list[Place], factors: tuple[float, ...], largest: int) -> list[int]:
    """Return more regions around the capacity of each buffer, and around that in one memory if a block exceeds it."""
    sizes: set[int] = set()
    for place in places:
        own = place.capacity_bytes / known.ways
        knees = {place.capacity_bytes, own if own < known.grain_bytes else place.capacity_bytes}
        sizes |= {_whole(knee * factor, place.unit_bytes) for knee in knees for factor in factors}
    return sorted(size for size in sizes if FIRST <= size <= largest and (size, False, 0) not in known.points)


def _whole(size: float, unit: int = LINE_BYTES) -> int:
    """Return a size near `size` that is whole in timed blocks, and in units if it is small."""
    grain = GRAIN if size > fresh.WHOLE_BYTES else unit
    while grain * 2 <= size / PARTS:
        grain *= 2
    return max(round(size / grain), 1) * grain


def _lines(sizes: tuple[int, ...], line: int, largest: int) -> list[int]:
    """Return the sizes that are whole lines and no larger than a region."""
    return [size for size in sizes if size % line == 0 and size <= largest]


def reads(walk: fresh.Field, chosen: BuffersOptions, line: int) -> Generator[Experiment, Answer, None]:
    """Yield scattered regions, then those in order, then regions around the capacities that these show."""
    known, largest = Known(walk.footprint_bytes, walk.ways, walk.grain_bytes, line), chosen.to

    def read(
        region: int, *, scattered: bool = False, stride: int = 0, precision: float = chosen.precision,
        budget_s: float = 0.0,
    ) -> Generator[Experiment, Answer, None]:  # fmt: skip
        budget_s = max(chosen.budget, budget_s)
        schedule = msgspec.structs.replace(walk.schedule, precision=min(precision, chosen.precision), budget_s=budget_s)
        own = replace(walk, line_s=known.slowest(), schedule=schedule)
        experiment = own.read(region, line, scattered=scattered)
        if stride:
            experiment = own.read_pairs(stride) if scattered else own.read_passes(region, stride)
        known.add(experiment, (yield experiment))

    for region in _lines(SCATTERED, line, largest):
        yield from read(region, scattered=True)
    for distance in _lines(DISTANCES, line, largest):
        yield from read(fresh.PAIR * line, scattered=True, stride=distance)
    for region in coarse(largest):
        yield from read(region)
    for factors, most in zip(ROUNDS, (largest, AGAIN_TO), strict=True):
        for region in finer(known, known.places(), factors, min(most, largest)):
            yield from read(region)
    for unit, capacity in known.outgrown():
        yield from outgrowing(known, unit, capacity, min(AGAIN_TO, largest), read)
    yield from again(known, chosen, read)


def outgrowing(known: Known, unit: int, capacity: float, largest: int, read: Callable[..., Plan]) -> Plan:
    """Yield regions around a capacity in passes of its unit, then those between the two with the largest step."""
    sizes = sorted({max(round(capacity * factor / unit), 2) * unit for factor in PASSES})
    done = {one.region_bytes for one in known.in_passes(unit)}
    for size in sizes:
        if size <= largest and size not in done:
            yield from read(size, stride=unit)
    for _ in range(HALVED):
        own = [one for one in known.in_passes(unit) if sizes[0] <= one.region_bytes <= sizes[-1]]
        at = widest(own)
        if at is None or not steps_by(own, at, ENOUGH):
            return
        low, high = own[at].region_bytes, own[at + 1].region_bytes
        if high - low <= unit or high <= NEAR * low:
            return
        yield from read((low + high) // 2 // unit * unit, stride=unit)


def again(known: Known, chosen: BuffersOptions, read: Callable[..., Plan]) -> Plan:
    """Yield each point once more for longer if answers that differ depend on it, and those that still do once more.

    They share the limit of the run, so that fewer points last longer.
    """
    for share in SHARES:
        due = [one for one in known.worth_time(share) if one[0] <= AGAIN_TO]
        budget_s = chosen.limit / len(SHARES) / max(len(due), 1)
        for region, scattered, stride, precision in due:
            yield from read(region, scattered=scattered, stride=stride, precision=precision, budget_s=budget_s)


def plan(machine: Machine, chosen: BuffersOptions) -> Plan:
    walk = field_of(machine, chosen)
    if "read" in chosen.op:
        yield from reads(walk, chosen, machine.line_bytes())
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
