"""The score of probers: what they found of a simulated device, against what it was built with.

    parameter                              recovered if
  - buffers, ways, grain, unit             found exactly
  - capacity, of all memories together     the round size found is it; 6 % where one memory has no 2^k or 1.5 * 2^k
  - latency, medium                        within 3 %, the processor's caches and nearer buffers included
  - period                                 within 5 %, in writes of 256 B by the program
  - stall                                  within 10 %
  - entries                                within 2
  - a lower bound                          what was built is not less; `bound` marks it

An answer whose last buffer has a lower bound states that there may be more behind it: those are not expected. Other
answers claim that no further buffer of up to `Levels.reach_bytes` exists. If a larger one exists, the answer is a
bound, too. The medium that it states must then be between a line of that buffer and one of the medium.
Where a part does not exist, finding nothing is recovered, and anything found is a false alarm. Buffers that were found
are matched with those that exist, in the same order and so that capacities differ least, by FAR at most. The rest is
missed, or a false alarm. A buffer with units of one line does not count: a fresh region has no line twice, so that
no region shows it.
The program writes chunks of 256 B to one place. A medium with smaller units counts a write for each unit of the chunk.
A queue that is shorter than a unit passes it on in parts, so that the medium counts more writes. If the nearest buffer
joins the parts, this does not happen. Then the medium counts fewer writes than the program for units of 256 B and
queues of three lines, because two of their parts make a whole chunk and a half. Such a buffer also keeps a chunk that
is only a part of a unit, which the medium then never counts. If a chunk covers several units of migration, none of them
has a majority of the writes. In both cases no stall comes, so that finding none is recovered. Queues of one line join
nothing, and neither do units of one line.

An answer is `sure` if the prober calls it conclusive, which is not known here: `table` asks the rows of the prober.
Without an answer of its own, nothing is sure: no good points, or a part of something that was not found. A wrong
answer, a false alarm, and a missed one that are sure are *false conclusive answers*. A range of units or of capacities
that contains the one that was built is neither right nor false, and one that does not is false. A range without an end
is a lower bound. A range of units that is too wide for an answer is not sure, even if it contains what was built
(`buffers_levels.UNIT_RANGE`).
Source: the rules of `core/simulate/dimm.cpp`, which the tests compare with this.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tierscope.stats.buffers_levels import Estimate, Level, Levels, vague_unit
from tierscope.stats.buffers_rivals import LARGEST_UNIT
from tierscope.stats.combining import Combining
from tierscope.stats.interleave import Interleave
from tierscope.stats.migration import Migration
from tierscope.suites.closed_loop.device import Device
from tierscope.units import LINE_BYTES

CAPACITY, LATENCY, PERIOD, STALL, ENTRIES = 0.06, 0.03, 0.05, 0.1, 2.0
FAR = 2.0  # times
CHUNK_BYTES = 256  # that the prober of migrations writes at a time
LEAST_QUEUE = 2  # lines that can join
RECOVERED, RANGE, WRONG, MISSED, ALARM = "recovered", "in range", "wrong", "missed", "false alarm"
TRUE = (RECOVERED, RANGE)
Truth = tuple[int, int, float]  # of a buffer: size of all memories, unit, latency


@dataclass(frozen=True)
class Score:
    """One parameter. truth, found: in `measure`, B, s or 1; None where there is nothing. level: of a buffer, from 1.

    bound: `found` is a lower bound.
    """

    parameter: str
    measure: str
    truth: float | None
    found: float | None
    low: float | None
    high: float | None
    verdict: str
    level: int | None = None
    sure: bool = True
    bound: bool = False

    @property
    def false(self) -> bool:
        """Return whether it is wrong, and conclusive. That nothing is there is an answer, too."""
        return self.sure and self.verdict not in TRUE


def of_buffers(device: Device, levels: Levels) -> Iterator[Score]:
    """Yield the score of their number, then of each, then of the medium."""
    every, seen = list(visible(device)), len(levels.levels)
    pairs = _pairs(every, levels.levels)
    built, unseen = _expected(every, pairs, levels)
    there = len(built)
    count = RECOVERED if there == seen else MISSED if seen < there else ALARM
    yield Score("buffers", "1", len(every), seen, None, None, count, bound=levels.open or bool(unseen))
    for number, truth in enumerate(built):
        level = levels.levels[pairs[number]] if number in pairs else None
        yield from _buffer(number + 1, truth, level, device.ways)
    for place, level in enumerate(levels.levels):
        if place not in pairs.values():
            size = level.capacity_bytes
            yield Score("capacity", "B", None, size.middle, size.low, size.high, ALARM, place + 1)
    yield _medium(device, levels.medium_s, unseen)


def _expected(every: list[Truth], pairs: dict[int, int], levels: Levels) -> tuple[list[Truth], list[Truth]]:
    """Return the buffers that the answer must contain, and larger ones that it does not rule out.

    They are those behind a last one with a lower bound, or larger than all that show as a whole.
    """
    last = max(pairs, default=-1) + 1
    if levels.open:
        return every[:last], []
    larger = next((n for n in range(last, len(every)) if every[n][0] > levels.reach_bytes), len(every))
    return every[:larger], every[larger:]


def _medium(device: Device, found: Estimate, unseen: list[Truth]) -> Score:
    """Return the score of the medium. unseen: larger buffers than those that the answer rules out."""
    whole = device.path_s + sum(one.latency_s for one in device.buffers) + device.read_s
    if found.bounded:
        good = RECOVERED if whole >= found.low else WRONG
        return Score("medium", "s", whole, found.low, found.low, None, good, bound=True)
    score = _near("medium", "s", whole, (found.low, found.middle, found.high), LATENCY)
    if not unseen:
        return score
    low, high = unseen[0][2] * (1 - LATENCY), whole * (1 + LATENCY)
    return replace(score, verdict=RECOVERED if low <= found.middle <= high else WRONG, bound=True)


def visible(device: Device) -> Iterator[Truth]:
    """Yield size, unit and latency of each buffer with units of several lines."""
    latency = device.path_s
    for buffer in device.buffers:
        latency += buffer.latency_s
        if buffer.unit_bytes > LINE_BYTES:
            yield buffer.size_bytes * device.ways, buffer.unit_bytes, latency


def _pairs(built: Sequence[Truth], levels: Sequence[Level]) -> dict[int, int]:
    """Return place among the built buffers -> place among the levels that were found.

    Levels with a lower bound come last. They are the next ones behind the others.
    """
    sizes = [size for size, _, _ in built]
    found = [one.capacity_bytes.middle for one in levels if not one.capacity_bytes.bounded]
    count = min(len(sizes), len(found))
    ways = [
        list(zip(own, other, strict=True))
        for own in itertools.combinations(range(len(sizes)), count)
        for other in itertools.combinations(range(len(found)), count)
    ]
    best = min(ways, key=lambda pairs: sum(abs(math.log(sizes[a] / found[b])) for a, b in pairs))
    near = {a: b for a, b in best if 1 / FAR <= sizes[a] / found[b] <= FAR}
    behind = range(max(near, default=-1) + 1, len(sizes))
    return near | dict(zip(behind, range(len(found), len(levels)), strict=False))


def _buffer(number: int, truth: Truth, level: Level | None, ways: int) -> Iterator[Score]:
    size, unit, latency = truth
    if level is None:
        for name, measure, value in (("capacity", "B", size), ("unit", "B", unit), ("latency", "s", latency)):
            yield Score(name, measure, value, None, None, None, MISSED, number, sure=False)
        return
    yield _capacity(number, size, level, ways)
    told = _unit(number, unit, level.unit_bytes)
    vague = vague_unit(level.unit_bytes.low, level.unit_bytes.high)
    yield replace(told, sure=not vague or told.verdict == WRONG)
    time = level.latency_s
    yield _near("latency", "s", latency, (time.low, time.middle, time.high), LATENCY, number)


def _capacity(number: int, size: int, level: Level, ways: int) -> Score:
    found, low, high = level.capacity_bytes.middle, level.capacity_bytes.low, level.capacity_bytes.high
    if level.capacity_bytes.bounded:
        return Score("capacity", "B", size, low, low, None, RECOVERED if size >= low else WRONG, number, bound=True)
    if level.ranged:
        found_it = RANGE if low <= size <= high else WRONG
        return Score("capacity", "B", size, found, low, high, found_it, number)
    good = level.round_bytes == size if _is_round(size // ways) else abs(found / size - 1) <= CAPACITY
    told = float(level.round_bytes) if level.round_bytes else found
    return Score("capacity", "B", size, told, low, high, RECOVERED if good else WRONG, number)


def _unit(number: int, unit: int, found: Estimate) -> Score:
    """Return the score of a unit, of a range, or of a range without an end."""
    score = _near("unit", "B", unit, (found.low, found.middle, found.high), 0.0, number)
    if score.verdict == RECOVERED or not found.low <= unit:
        return score
    if found.high >= LARGEST_UNIT > found.low:
        return replace(score, found=found.low, high=None, verdict=RECOVERED, bound=True)
    return replace(score, verdict=RANGE) if unit <= found.high else score


def _is_round(size: int) -> bool:
    """Return whether the size is 2^k or 1.5 * 2^k."""
    odd = size >> ((size & -size).bit_length() - 1)
    return odd in (1, 3)


def unanswered(parameter: str, measure: str, truth: float) -> Score:
    """Return the score where the prober gives no answer: too few good points, or a part of what it did not find."""
    return Score(parameter, measure, truth, None, None, None, MISSED, sure=False)


def of_interleaving(device: Device, seen: Interleave) -> Iterator[Score]:
    ways, grains = seen.ways_range, seen.grain_range
    yield _or_none("ways", "1", float(device.ways) if device.ways > 1 else None,
                   (ways[0], seen.ways, ways[1]) if seen.ways > 1 else None, 0.0)  # fmt: skip
    if device.ways > 1 and seen.ways > 1:
        yield _near("grain", "B", device.grain_bytes, (grains[0], seen.grain_bytes, grains[1]), 0.0)
    elif device.ways > 1:
        yield unanswered("grain", "B", device.grain_bytes)


def of_migration(device: Device, seen: Migration, *, at_least: bool = False) -> Iterator[Score]:
    """Yield the score of the period, the stall and the unit. at_least: the stall is a lower bound."""
    built, period = device.migration, seen.period
    writes = None if built is None or not stalls_at_a_chunk(device) else built.writes / writes_of_chunk(device)
    found = None if period is None else (period.low, period.writes, period.high)
    yield _or_none("period", "1", writes, found, PERIOD)
    if built is None or writes is None:
        return
    stall = None if period is None else (period.stall_low, period.stall_s, period.stall_high)
    score = _part("stall", "s", built.stall_s, stall, STALL)
    if at_least and score.found is not None:
        good = RECOVERED if built.stall_s >= score.found * (1 - STALL) else WRONG
        score = replace(score, high=None, verdict=good, bound=True)
    yield score
    unit = None if period is None or seen.unit_bytes is None else (seen.unit_bytes,) * 3
    yield _part("moved unit", "B", built.unit_bytes, unit, 0.0)


def stalls_at_a_chunk(device: Device) -> bool:
    """Return whether chunks that are stored repeatedly in one place make the medium move it."""
    if device.migration is None or device.migration.unit_bytes < CHUNK_BYTES:
        return False
    return device.media_bytes <= CHUNK_BYTES or not _merges(device)


def writes_of_chunk(device: Device) -> float:
    """Return the writes to the medium for each chunk of 256 B that is stored in order, repeatedly in one place.

    The memory that gets most of the chunk moves first.
    """
    chunk = _of_one_memory(device)
    lines = min(device.media_bytes, chunk) // LINE_BYTES
    units = chunk // LINE_BYTES // lines
    part = min(max(device.entries, 1), lines)
    if _merges(device):
        return units * lines / (part * math.ceil(lines / part))
    return units * lines / part


def _of_one_memory(device: Device) -> int:
    """Return the bytes of a chunk, at the beginning of a row, that the memory with most of it gets; a power of two."""
    if device.ways == 1 or device.grain_bytes >= CHUNK_BYTES:
        return CHUNK_BYTES
    grains = CHUNK_BYTES // device.grain_bytes
    return device.grain_bytes * -(-grains // device.ways)


def _merges(device: Device) -> bool:
    """Return whether the nearest buffer joins parts of a unit of the medium."""
    return bool(device.buffers) and device.buffers[0].unit_bytes == device.media_bytes


def of_combining(device: Device, seen: Combining) -> Iterator[Score]:
    there = device.entries >= LEAST_QUEUE and device.media_bytes > LINE_BYTES
    found = (seen.low, seen.entries, seen.high) if seen.entries > 0 else None
    if there and found is not None:
        good = abs(seen.entries - device.entries) <= ENTRIES
        yield Score("entries", "1", device.entries, seen.entries, *_ends(found), RECOVERED if good else WRONG)
        yield _near("joined unit", "B", device.media_bytes, (seen.unit_low, seen.unit_bytes, seen.unit_high), 0.0)
        return
    yield _or_none("entries", "1", device.entries if there else None, found, 0.0)
    if there:
        yield unanswered("joined unit", "B", device.media_bytes)


Bounds = tuple[float, float, float]  # low, middle, high


def _or_none(parameter: str, measure: str, truth: float | None, found: Bounds | None, within: float) -> Score:
    """Return the score where the truth or what was found may be nothing."""
    if truth is not None and found is not None:
        return _near(parameter, measure, truth, found, within)
    verdict = RECOVERED if truth is None and found is None else ALARM if truth is None else MISSED
    return Score(parameter, measure, truth, found[1] if found else None, *_ends(found), verdict)


def _part(parameter: str, measure: str, truth: float, found: Bounds | None, within: float) -> Score:
    """Return the score of a part of something that exists."""
    return _near(parameter, measure, truth, found, within) if found else unanswered(parameter, measure, truth)


def _near(parameter: str, measure: str, truth: float, found: Bounds, within: float, level: int | None = None) -> Score:
    good = abs(found[1] / truth - 1) <= within
    return Score(parameter, measure, truth, found[1], *_ends(found), RECOVERED if good else WRONG, level)


def _ends(found: Bounds | None) -> tuple[float | None, float | None]:
    return (found[0], found[2]) if found else (None, None)
