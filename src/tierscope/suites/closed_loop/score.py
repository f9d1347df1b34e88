"""The values that probers found of a simulated device, compared with those that it was built with.

* buffers, ways, grain, unit: recovered if the same value was found.
* capacity, of all memories together: if its round size was found; within 6 % if one memory has no 2^k or 1.5 * 2^k.
* latency, medium: within 3 %, the processor's caches and nearer buffers included.
* period: within 5 %, in writes of 256 B by the program.
* stall: within 10 %.
* entries: within 2.

For a part that the device lacks, an empty answer counts as recovered, and any other is a false alarm. Buffers found are
assigned to built ones in order, so that capacities differ least, by FAR at most. The rest is missed, or a false alarm.

A queue of fewer than four lines passes on a chunk of 256 B in parts. The medium then counts more writes than the
program, unless the nearest buffer joins them. For a queue of three lines, two such parts make a chunk and a half, and
the medium counts fewer. Queues of one line join nothing.

`false`: the prober reported as conclusive a value that is not recovered, and its interval does not contain the built
one. An answer that the prober itself calls inconclusive is never false.

No prober can detect buffers of single lines. `buffers` must find those up to half of its largest region, REACH. It may
find larger ones, and the latency of the medium may then be that of the first one that it did not find. If it was not
passed an interleaving, the capacity of a buffer up to the grain may be that in one memory. Memories in a hashed order
show no stride at which bandwidth falls: `policy` reports this if it finds none.
Source: the rules of `core/simulate/dimm.cpp`, which the tests compare with this file.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tierscope.stats.buffers import Level, Levels
from tierscope.stats.combining import Combining
from tierscope.stats.interleave import Interleave
from tierscope.stats.migration import Migration
from tierscope.suites.closed_loop.device import HASH, Device
from tierscope.units import LINE_BYTES, MiB

CAPACITY, LATENCY, PERIOD, STALL, ENTRIES = 0.06, 0.03, 0.05, 0.1, 2.0
FAR = 2.0  # largest factor between built and found
REACH = 64 * MiB  # half of the largest region of `buffers` if nothing else is asked
CHUNK = 256  # bytes that `policy` stores in order
LEAST_QUEUE = 2  # lines that can join
RECOVERED, WRONG, MISSED, ALARM = "recovered", "wrong", "missed", "false alarm"


@dataclass(frozen=True)
class Score:
    """One parameter. truth, found: in `measure`, B, s or 1; None if there is none. level: of a buffer, from 1."""

    parameter: str
    measure: str
    truth: float | None
    found: float | None
    low: float | None
    high: float | None
    verdict: str
    level: int | None = None
    conclusive: bool = True  # the prober reports it as conclusive

    @property
    def false(self) -> bool:
        """Return whether the answer is false, as in the file's docstring."""
        if not self.conclusive or self.verdict == RECOVERED:
            return False
        inside = None not in (self.truth, self.low, self.high)
        return not (inside and self.low <= self.truth <= self.high)  # type: ignore[operator]


@dataclass(frozen=True)
class There:
    """A buffer that can be detected. size_bytes: as a region meets it; latency_s: all before it included."""

    size_bytes: int
    unit_bytes: int
    latency_s: float


def of_buffers(device: Device, levels: Levels, told_ways: int | None = None) -> Iterator[Score]:
    """Yield their number, then each, then the medium. told_ways: the memories that the prober got, None for all."""
    sure = not levels.doubts and not levels.wide
    for one in _of_buffers(device, levels, device.ways if told_ways is None else told_ways):
        yield replace(one, conclusive=sure)


def seen_of(device: Device, told_ways: int) -> tuple[list[There], list[There]]:
    """Return the buffers that must be found, and those beyond REACH that may be found, nearest first."""
    found, latency = [], device.path_s
    for one in device.buffers:
        latency += one.latency_s
        alone = told_ways == 1 and one.size_bytes <= device.grain_bytes
        if one.unit_bytes > LINE_BYTES:
            found.append(There(one.size_bytes * (1 if alone else device.ways), one.unit_bytes, latency))
    return [one for one in found if one.size_bytes <= REACH], [one for one in found if one.size_bytes > REACH]


def _of_buffers(device: Device, levels: Levels, told_ways: int) -> Iterator[Score]:
    must, may = seen_of(device, told_ways)
    seen = len(levels.levels)
    buffers = must + may[: max(seen - len(must), 0)]
    there = len(buffers)
    count = RECOVERED if there == seen else MISSED if seen < there else ALARM
    yield Score("buffers", "1", there, seen, None, None, count)
    pairs = _pairs([one.size_bytes for one in buffers], levels.levels)
    for number, buffer in enumerate(buffers):
        level = levels.levels[pairs[number]] if number in pairs else None
        yield from _buffer(number + 1, buffer, level, device.ways if told_ways == device.ways else 1)
    for place, level in enumerate(levels.levels):
        if place not in pairs.values():
            size = level.capacity_bytes
            yield Score("capacity", "B", None, size.middle, size.low, size.high, ALARM, place + 1)
    medium = levels.medium_s
    whole = device.path_s + sum(one.latency_s for one in device.buffers) + device.read_s
    ends = [whole, *(one.latency_s for one in may[max(seen - len(must), 0) :][:1])]
    whole = min(ends, key=lambda end: abs(end - medium.middle))
    yield _near("medium", "s", whole, (medium.low, medium.middle, medium.high), LATENCY)


def _pairs(sizes: Sequence[int], levels: Sequence[Level]) -> dict[int, int]:
    """Return place among the built buffers -> place among those found."""
    count = min(len(sizes), len(levels))
    found = [level.capacity_bytes.middle for level in levels]
    ways = [
        list(zip(own, other, strict=True))
        for own in itertools.combinations(range(len(sizes)), count)
        for other in itertools.combinations(range(len(levels)), count)
    ]
    best = min(ways, key=lambda pairs: sum(abs(math.log(sizes[a] / found[b])) for a, b in pairs))
    return {a: b for a, b in best if 1 / FAR <= sizes[a] / found[b] <= FAR}


def _buffer(number: int, truth: There, level: Level | None, ways: int) -> Iterator[Score]:
    size, unit, latency = truth.size_bytes, truth.unit_bytes, truth.latency_s
    if level is None:
        for name, measure, value in (("capacity", "B", size), ("unit", "B", unit), ("latency", "s", latency)):
            yield Score(name, measure, value, None, None, None, MISSED, number)
        return
    found, low, high = level.capacity_bytes.middle, level.capacity_bytes.low, level.capacity_bytes.high
    good = level.round_bytes == size if _is_round(size // ways) else abs(found / size - 1) <= CAPACITY
    told = float(level.round_bytes) if level.round_bytes else found
    yield Score("capacity", "B", size, told, low, high, RECOVERED if good else WRONG, number)
    units = level.unit_bytes
    yield _near("unit", "B", unit, (units.low, units.middle, units.high), 0.0, number)
    time = level.latency_s
    yield _near("latency", "s", latency, (time.low, time.middle, time.high), LATENCY, number)


def _is_round(size: int) -> bool:
    """Return whether the size is 2^k or 1.5 * 2^k."""
    odd = size >> ((size & -size).bit_length() - 1)
    return odd in (1, 3)


def unanswered(parameter: str, measure: str, truth: float) -> Score:
    """Return the score of a prober that had too few good points for an answer."""
    return Score(parameter, measure, truth, None, None, None, MISSED, conclusive=False)


def of_interleaving(device: Device, seen: Interleave) -> Iterator[Score]:
    ways, grains = seen.ways_range, seen.grain_range
    if device.order == HASH and seen.ways == 1:
        yield Score("ways", "1", None, None, None, None, RECOVERED)
        return
    yield _or_none("ways", "1", float(device.ways) if device.ways > 1 else None,
                   (ways[0], seen.ways, ways[1]) if seen.ways > 1 else None, 0.0)  # fmt: skip
    if device.ways > 1 and seen.ways > 1:
        yield _near("grain", "B", device.grain_bytes, (grains[0], seen.grain_bytes, grains[1]), 0.0)
    elif device.ways > 1:
        yield Score("grain", "B", device.grain_bytes, None, None, None, MISSED)


def of_migration(device: Device, seen: Migration) -> Iterator[Score]:
    built, period = device.migration, seen.period
    each = writes_of_chunk(device)
    writes = None if built is None or each == 0 else built.writes / each
    found = None if period is None else (period.low, period.writes, period.high)
    yield _or_none("period", "1", writes, found, PERIOD)
    if built is None or writes is None:
        return
    stall = None if period is None else (period.stall_low, period.stall_s, period.stall_high)
    yield _or_none("stall", "s", built.stall_s, stall, STALL)
    unit = None if period is None or seen.unit_bytes is None else (seen.unit_bytes,) * 3
    yield _or_none("moved unit", "B", built.unit_bytes, unit, 0.0)


def writes_of_chunk(device: Device) -> float:
    """Return the writes to the medium for each CHUNK that is stored in order, repeatedly in one place."""
    units = CHUNK // min(device.media_bytes, CHUNK)
    lines = CHUNK // LINE_BYTES // units  # lines that a chunk writes of a unit of the medium
    part = min(max(device.entries, 1), lines)
    if not device.buffers or device.buffers[0].unit_bytes != device.media_bytes:
        return units * lines / part
    if device.media_bytes > CHUNK:
        return 0.0  # the buffer waits for the rest of the unit
    return units * lines / (part * math.ceil(lines / part))


def of_combining(device: Device, seen: Combining) -> Iterator[Score]:
    there = device.entries >= LEAST_QUEUE
    found = (seen.low, seen.entries, seen.high) if seen.entries > 0 else None
    if there and found is not None:
        good = abs(seen.entries - device.entries) <= ENTRIES
        yield Score("entries", "1", device.entries, seen.entries, *_ends(found), RECOVERED if good else WRONG)
        yield _near("joined unit", "B", device.media_bytes, (seen.unit_low, seen.unit_bytes, seen.unit_high), 0.0)
        return
    yield _or_none("entries", "1", device.entries if there else None, found, 0.0)
    if there:
        yield Score("joined unit", "B", device.media_bytes, None, None, None, MISSED)


Bounds = tuple[float, float, float]  # low, middle, high


def _or_none(parameter: str, measure: str, truth: float | None, found: Bounds | None, within: float) -> Score:
    """Return the score of a value; truth and found may both be None."""
    if truth is not None and found is not None:
        return _near(parameter, measure, truth, found, within)
    verdict = RECOVERED if truth is None and found is None else ALARM if truth is None else MISSED
    return Score(parameter, measure, truth, found[1] if found else None, *_ends(found), verdict)


def _near(parameter: str, measure: str, truth: float, found: Bounds, within: float, level: int | None = None) -> Score:
    good = abs(found[1] / truth - 1) <= within
    return Score(parameter, measure, truth, found[1], *_ends(found), RECOVERED if good else WRONG, level)


def _ends(found: Bounds | None) -> tuple[float | None, float | None]:
    return (found[0], found[2]) if found else (None, None)
