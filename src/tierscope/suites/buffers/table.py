"""Buffers: what is between the processor and the medium, one row for each part that the curves show.

    latency       = time of a dependent read of a line that is found there, all before it included     [s]
    amplification = bytes written to the medium for each byte asked, where each line is alone          [1]
    amplification_most = largest unit / line: bytes that a read brings in for each asked for, in random order  [1]

A line is that of the caches for reads, and 64 bytes for writes, which pass the caches by.

A read brings in this number of bytes only where the buffer contains data. One that contains addresses covers a unit and
brings in less, and its latencies are the same: for reads no more than the bound is known.
`part` is "buffer 1" (nearest) to "buffer 3", "medium", and "writes": the queue that joins lines on their way to the
medium, its entries as capacity. `round_as` is `holding` where the capacity found is round by itself, as if the buffer
contained what those before it do, too. It is `beside` where the capacity is round only without theirs, and otherwise
`cannot be told`. Both kinds of buffer have the same curve. So this relies only on designers' liking for round sizes,
and is not a measurement.
A row without capacity is an answer too: the curves show no such part.
A buffer above half of the largest region (`reach_bytes`) has a lower bound of its capacity, and the medium behind it
one of its latency. Such a buffer need not show: the medium is what no buffer up to `reach_bytes` contains.
Blind to buffers of single lines. Source: see `stats.buffers`.
"""

import math
from typing import ClassVar

from msgspec.structs import replace

from tierscope.plans.sizes import TIMES_CACHE
from tierscope.record.origin import strongest
from tierscope.record.result import Run
from tierscope.stats.buffers_levels import Estimate, Level, Levels
from tierscope.stats.buffers_writes import Writes
from tierscope.stats.median import Interval
from tierscope.suites.buffers.findings import sentences
from tierscope.suites.buffers.row import BuffersRow
from tierscope.tables import Asked, Insight, Main, tables
from tierscope.tables.buffers_found import found
from tierscope.tables.in_cache import in_cache
from tierscope.tables.measured import Closing, records
from tierscope.tables.regions import FreshLabels, RegionsRow, row_of
from tierscope.units import LINE_BYTES, show_bytes, word_bytes

MISFIT = 3.0  # times the errors of the points: then something else shapes the curve
MISSING = 0.1  # of the regions
OF = "buffers"


class Buffers:
    """One row for each part that the curves of `regions` show, nearest first.

    Without a row `buffer 1`, the curves show no buffer.
    """

    name: ClassVar[str] = "buffers"
    title: ClassVar[str] = "Buffers"
    asked: ClassVar[Asked] = Asked(
        question="Which buffers does this memory have?",
        answers=("buffers", "buffer_capacity", "medium_latency", "write_amplification"),
        keys={
            "buffer_capacity": "capacity of buffer {}",
            "medium_latency": "latency of the medium",
            "write_amplification": "a line written alone over a joined one",
        },
    )
    keys: ClassVar[tuple[str, ...]] = ("part", "target")
    main: ClassVar[tuple[Main, ...]] = ()  # parameters of a memory are neither slower nor faster
    row: ClassVar[type[BuffersRow]] = BuffersRow
    says: ClassVar[dict[str, str]] = {
        "buffers": "number of buffers that the curves show",
        "buffer_capacity": "of each, the capacity found",
        "medium_latency": "time of a line that is in no buffer",
        "write_amplification": "time of a line alone over that of a joined one; null where nothing joins writes",
    }

    def rows(self, run: Run) -> list[BuffersRow]:
        asked = [one for one in records(run, "regions") if FreshLabels.read(one.experiment).of == OF]
        measured = [row_of(run, record) for record in asked]
        rows = []
        for target, one in found(measured, run.result.machine.line_bytes()).items():
            own = [row for row in measured if row.target == target]
            if one.levels is not None:
                regions = [row for row in own if row.operation == "read"]
                rows += _read(one.levels, target, regions, _cached(run, regions))
            if one.writes is not None:
                rows.append(_written(one.writes, target, [row for row in own if row.operation == "write"]))
        return rows

    def insights(self, run: Run, rows: list[BuffersRow]) -> list[Insight]:
        del run
        return sentences(rows)


def _cached(run: Run, regions: list[RegionsRow]) -> tuple[str, ...]:
    """Return why the regions show a cache of the processor: all of them together fit in it."""
    together = min((row.footprint_bytes for row in regions), default=0)
    if not (fit := in_cache(run, "regions that share a footprint", together)):
        return ()
    enough = word_bytes(TIMES_CACHE * run.result.machine.last_level_cache_bytes())
    return (f"{fit}: give a larger one, footprint={enough}",)


def _read(levels: Levels, target: str, regions: list[RegionsRow], cached: tuple[str, ...]) -> list[BuffersRow]:
    """Return the rows of buffers and the medium; a curve that no buffers explain makes all of them inconclusive.

    cached: why they may be in a cache of the processor.
    """
    reasons = [
        f"capacity of buffer {number} is not known: {_from_to(one.capacity_bytes)}"
        for number, one in enumerate(levels.levels, start=1)
        if one.vague
    ]
    if levels.misfit > MISFIT:
        off = f"off by {levels.misfit:.1f} times its error"
        reasons.append(f"no buffers explain the curve, {off}: a prefetcher of the processor may, see the figure")
    reasons += (*levels.doubts, *cached)
    verdict = _closing(regions)
    if reasons:
        verdict = {**verdict, "conclusive": False, "reasons": (*verdict["reasons"], *reasons)}
    medium = replace(
        _part("medium", target, levels.misfit, levels.points, verdict),
        latency=_known(levels.medium_s),
        latency_least_s=levels.medium_s.low if levels.medium_s.bounded else None,
        reach_bytes=None if math.isinf(levels.reach_bytes) else int(levels.reach_bytes),
        page_walk_s=levels.entry_s.middle if levels.entry_s.low > 0 else None,
    )
    buffers = [
        replace(
            _part(f"buffer {number}", target, levels.misfit, levels.points, verdict),
            capacity=None if level.capacity_bytes.bounded else _whole(level.capacity_bytes),
            capacity_least_bytes=int(level.capacity_bytes.low) if level.capacity_bytes.bounded else None,
            round_bytes=level.round_bytes,
            ranged=level.ranged,
            unit=_whole(level.unit_bytes),
            latency=_interval(level.latency_s),
            amplification_most=level.most_amplification,
            round_as=_round_as(levels.levels[: number - 1], level),
        )
        for number, level in enumerate(levels.levels, start=1)
    ]
    return [*buffers, medium]


def _part(part: str, target: str, misfit: float, points: int, verdict: Closing) -> BuffersRow:
    """Return the row of a part about which nothing is known yet."""
    return BuffersRow(
        part=part,
        capacity=None,
        capacity_least_bytes=None,
        round_bytes=None,
        ranged=False,
        unit=None,
        latency=None,
        latency_least_s=None,
        reach_bytes=None,
        amplification=None,
        amplification_most=None,
        round_as=None,
        page_walk_s=None,
        misfit=misfit,
        points=points,
        target=target,
        **verdict,
    )


def _from_to(value: Estimate) -> str:
    return f"{show_bytes(value.low)} to {show_bytes(value.high)}"


def _known(value: Estimate) -> Interval | None:
    """Return the interval; None where only a lower bound is known."""
    return None if value.bounded else _interval(value)


def _interval(value: Estimate) -> Interval:
    return Interval(value.low, value.middle, value.high, 0)


def _whole(value: Estimate, times: int = 1) -> Interval:
    low, middle, high = (round(end * times) for end in (value.low, value.middle, value.high))
    return Interval(low, middle, high, 0)


def _round_as(nearer: tuple[Level, ...], level: Level) -> str | None:
    """See the top of the file; None for the nearest buffer."""
    if not nearer:
        return None
    capacity = level.capacity_bytes
    if capacity.bounded:
        return "cannot be told"
    less = capacity.middle - sum(one.capacity_bytes.middle for one in nearer)
    as_it_is = level.round_bytes is not None
    without = any(_near(less, size, capacity) for size in _round_sizes(less))
    if as_it_is == without:
        return "cannot be told"
    return "holding" if as_it_is else "beside"


def _near(size: float, to: int, interval: Estimate) -> bool:
    return interval.low / interval.middle <= to / size <= interval.high / interval.middle


def _round_sizes(size: float) -> list[int]:
    power = max(int(size), 1).bit_length() - 1
    return [factor << step for factor in (1, 3) for step in range(max(power - 2, 0), power + 2)]


def _written(writes: Writes, target: str, regions: list[RegionsRow]) -> BuffersRow:
    """Return the row of writes; a curve that no one queue explains makes it inconclusive."""
    verdict = _closing(regions)
    if writes.misfit > MISFIT:
        off = f"off by {writes.misfit:.1f} times its error"
        reason = f"no one queue explains the curve, {off}: interleaved DIMMs may"
        verdict = {**verdict, "conclusive": False, "reasons": (reason,)}
    row = _part("writes", target, writes.misfit, len(regions), verdict)
    joined = writes.joined
    if joined is None:
        return replace(row, latency=Interval(writes.line_s, writes.line_s, writes.line_s, 0))
    return replace(
        row,
        capacity=_whole(joined.entries, LINE_BYTES),
        unit=_whole(joined.unit_bytes),
        latency=_interval(joined.line_s),
        amplification=joined.amplification,
    )


def _closing(rows: list[RegionsRow]) -> Closing:
    """Return the verdict of all regions: an uncertain one is in the intervals, but one without a number is missing."""
    missing = [row for row in rows if row.latency is None]
    enough = len(missing) <= MISSING * len(rows)
    return {
        "conclusive": enough,
        "reasons": () if enough else (f"{len(missing)} of {len(rows)} regions: {'; '.join(missing[0].reasons)}",),
        "blocks": sum(row.blocks for row in rows),
        "left_out_share": max((row.left_out_share for row in rows), default=0.0),
        "origin": strongest(row.origin for row in rows),
    }


tables.add(Buffers())
