"""A memory with buffers as an exact simulation of a few lines: least-recently-used entries, nearest first."""

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from made import Maker, Teamwork, made_blocks, made_facts
from tierscope.plans.fresh import Field
from tierscope.record.experiment import Experiment, Schedule, Target
from tierscope.stats.buffers_model import Fresh, Unit
from tierscope.suites.buffers.experiments import SCATTERED, WRITTEN, coarse
from tierscope.units import LINE_BYTES, KiB, MiB


@dataclass(frozen=True)
class Buffer:
    capacity_bytes: int
    unit_bytes: int
    latency_s: float  # of a line that is found in it


@dataclass(frozen=True)
class Device:
    """Buffers from the nearest on; the medium; DIMMs side by side."""

    buffers: tuple[Buffer, ...]
    medium_s: float
    ways: int = 1
    grain_bytes: int = 4 * KiB
    walk_s: float = 0.0  # added at the first line of each region that does not follow by address


OPTANE = Device((Buffer(16 * KiB, 256, 132.3e-9), Buffer(16 * MiB, 4 * KiB, 308.3e-9)), 377.4e-9)


PUBLISHED_NS = (27.5, 27.5, 27.5, 27.5, 29, 43, 60, 81, 95, 102, 106, 108, 110)  # a line, regions of 256 B to 1 MiB
FOOTPRINT = 1 << 30  # over which regions are scattered


def latency_s(
    device: Device, region_bytes: int, *, scattered: bool = True, lines: int = 40_000, seed: int = 1,
    line_bytes: int = LINE_BYTES,
) -> float:  # fmt: skip
    """Mean over whole fresh regions of `lines` lines at least; the first tenth only fills the buffers."""
    rng = np.random.default_rng([seed, region_bytes])
    n = region_bytes // line_bytes
    regions = max(2, -(-lines // n))
    places = max(regions, FOOTPRINT // region_bytes)
    starts = rng.choice(places, regions, replace=False) if scattered else np.arange(regions)
    held: list[list[OrderedDict[int, None]]] = [[OrderedDict() for _ in device.buffers] for _ in range(device.ways)]
    seconds, counted = 0.0, 0
    for number, start in enumerate(starts):
        timed = number >= regions // 10
        total = device.walk_s if scattered else 0.0
        for line in (rng.permutation(n) + int(start) * n) * line_bytes:
            total += _visit(device, held, int(line))
        if timed:
            seconds, counted = seconds + total, counted + n
    return seconds / counted


def _visit(device: Device, held: list[list[OrderedDict[int, None]]], address: int) -> float:
    """Seconds; a miss in one buffer asks the next, and all of them keep the unit."""
    stripe, way = divmod(address // device.grain_bytes, device.ways)
    inside = stripe * device.grain_bytes + address % device.grain_bytes
    for buffer, entries in zip(device.buffers, held[way], strict=True):
        unit = inside // buffer.unit_bytes
        if unit in entries:
            entries.move_to_end(unit)
            return buffer.latency_s
        entries[unit] = None
        if len(entries) > buffer.capacity_bytes // buffer.unit_bytes:
            entries.popitem(last=False)
    return device.medium_s


def model_s(device: Device, region_bytes: int, scattered: bool, line_bytes: int = LINE_BYTES) -> float:
    """The result of the closed form, in an instant."""
    region, over = np.array([float(region_bytes)]), np.array([float(FOOTPRINT)])
    fresh = Fresh(region, np.array([scattered]), over, line_bytes=line_bytes)
    times = [buffer.latency_s for buffer in device.buffers] + [device.medium_s]
    latency = times[0] + (device.walk_s * line_bytes / region_bytes if scattered else 0.0)
    for number, buffer in enumerate(device.buffers):
        misses = Unit(fresh, buffer.unit_bytes).misses(buffer.capacity_bytes)[0]
        latency += (times[number + 1] - times[number]) * float(misses)
    return latency


def written_s(region_bytes: int) -> float:
    """The writes of the published DIMM: 27.5 ns joined, 110 ns alone (Z. Wang et al., MICRO 2020)."""
    return float(np.interp(np.log2(region_bytes), np.arange(8, 21), PUBLISHED_NS)) * 1e-9


def add_regions(
    maker: Maker, device: Device = OPTANE, largest: int = 128 * MiB, *, noise: float = 0.002, of: str = "buffers",
    target: str = "node:0", line: int = LINE_BYTES,
) -> None:  # fmt: skip
    """Reads as `run buffers` plans them, and writes; latencies by the closed form."""
    field = Field(0, Target.parse(target), FOOTPRINT, Schedule(), of, line_bytes=line)
    reads = [(field.read(region, line, scattered=True), region, True) for region in SCATTERED if region >= line]
    reads += [(field.read(region, line), region, False) for region in coarse(largest)]
    for experiment, region, scattered in reads:
        _add(maker, experiment, region, model_s(device, region, scattered, line), noise)
    for region in WRITTEN:
        _add(maker, field.write(region), region, written_s(region), noise)


def _add(maker: Maker, experiment: Experiment, region: int, seconds: float, noise: float) -> None:
    block_s = max(1e-3, region // LINE_BYTES * seconds / 20)  # some whole regions in all blocks together
    work = (Teamwork((1 / seconds,), noise=noise),)
    blocks = made_blocks(work, seed=maker.seed + len(maker.records), count=60, block_s=block_s)
    facts = tuple(made_facts(group, operation="hop") for group in experiment.groups)
    maker.add_blocks(experiment.table, experiment.labels, experiment.groups, blocks, facts)
