"""Buffers: what lies between the processor and the medium, one row for each part that the curves show.

    latency       = time of a dependent read of a line that is found there, all before it included     [s]
    amplification = bytes written to the medium for each byte asked, where each line is alone          [1]
    amplification_most = largest unit / line: bytes that a read brings in for each asked for, in random order  [1]

A read brings in so many only where the buffer holds data. One that holds addresses covers a unit and brings in less,
and its latencies are the same: for reads no more than the bound is known.
`part` is "buffer 1" (nearest) to "buffer 3", "medium", and "writes": the queue that joins lines on their way to the
medium, its entries as capacity. `round_as`: "holding" where the capacity found is round as it is, as if the buffer held
what those before it do, too; "beside" where it is round only without theirs; else "cannot be told". Both kinds of
buffer have the same curve, so that this rests on designers' liking for round sizes alone, and is no measurement.
A row without capacity is an answer too: no such part is to be seen.
Blind to buffers of single lines, and to those above half of the largest region. Source: see `stats.buffers`.
"""

from typing import Annotated, ClassVar

from tierscope.record.origin import strongest
from tierscope.record.result import Run
from tierscope.stats.buffers import Bounded, Level, Levels
from tierscope.stats.buffers_writes import Writes
from tierscope.stats.median import Interval
from tierscope.suites.buffers.findings import sentences
from tierscope.tables import Flat, Insight, JudgedRow, Main, flat, tables
from tierscope.tables.buffers_found import found
from tierscope.tables.measured import number, records
from tierscope.tables.regions import row_of
from tierscope.tables.rows import Col, Count, Ratio, Seconds, Size, Time, Unit
from tierscope.units import LINE_BYTES

MISFIT = 3.0  # times the errors of the points: then something else shapes the curve
WIDE = 0.15  # half of the interval of a capacity over it: then the size is not known
MISSING = 0.1  # of the regions
OF = "buffers"


class BuffersRow(JudgedRow, frozen=True, kw_only=True):
    """One row of `buffers`."""

    part: Annotated[
        str,
        Col("part", help=("`buffer 1` to `buffer 3`, `medium`, `writes`: what joins lines on their way to the medium")),
    ]
    capacity: Annotated[
        Annotated[Interval, Unit("B", "_bytes")] | None, Col("capacity", help="found; null where there is none")
    ]
    round_bytes: Annotated[
        Size | None,
        Col("round", help="the power of two, or 1.5 x a power of two, in that interval; null if there is none"),
    ]
    unit_bytes: Annotated[Size | None, Col("unit", help="brought in, or written, at a time")]
    unit_low: Annotated[Size | None, Col("low", help="smallest unit that the curve does not rule out")]
    unit_high: Annotated[Size | None, Col("high", help="largest")]
    latency: Annotated[
        Time | None,
        Col(
            "latency",
            help=(
                "of a line found there, all before it included; of `writes`: time of a line that is joined with none"
            ),
        ),
    ]
    amplification: Annotated[
        Ratio | None,
        Col(
            "amplification",
            help=(
                "of `writes`: bytes written to the medium for each asked, where each line is alone; null of other parts"
            ),
        ),
    ]
    amplification_most: Annotated[
        Ratio | None,
        Col(
            "at most",
            help=(
                "of a buffer: bytes that a read transfers for each requested byte, with lines in random order, if "
                "the buffer contains data; fewer if it contains addresses"
            ),
        ),
    ]
    round_as: Annotated[
        str | None,
        Col(
            "round as if it holds what is nearer",
            help=(
                "`holding`: the measured capacity is round, as if the buffer also contained what is nearer; "
                "`beside`: it is round only without that; `cannot be told`: neither"
            ),
        ),
    ]
    page_walk_s: Annotated[
        Seconds | None,
        Col(
            "first line of a region",
            help=("added by the first line of a region that does not follow by address; null where nothing is"),
        ),
    ]
    misfit: Annotated[
        Ratio,
        Col(
            "misfit",
            help=(
                "root mean square of what the model leaves, over the errors of the points; above 3 something else "
                "shapes the curve"
            ),
        ),
    ]
    points: Annotated[Count, Col("regions", help="regions that it rests on")]
    target: Annotated[str, Col("target", help="as `node:0`", tier=True)]


class Buffers:
    """One row for each part that the curves of `regions` show, nearest first.

    Without a row `buffer 1`, the curves show no buffer.
    """

    name: ClassVar[str] = "buffers"
    title: ClassVar[str] = "Buffers"
    keys: ClassVar[tuple[str, ...]] = ("part", "target")
    main: ClassVar[tuple[Main, ...]] = ()  # parameters of a memory are neither slower nor faster
    row: ClassVar[type[BuffersRow]] = BuffersRow
    says: ClassVar[dict[str, str]] = {
        "buffers": "number of buffers that the curves show",
        "buffer_capacity": "of each, the capacity found",
        "medium_latency": "time of a line that is in no buffer",
        "write_amplification": "time of a line alone over that of a joined one; null where nothing joins writes",
    }

    def rows(self, run: Run) -> list[Flat]:
        asked = [one for one in records(run, "regions") if one.experiment.labels["of"] == OF]
        measured = [row_of(run, record) for record in asked]
        rows = []
        for target, one in found(measured).items():
            own = [flat(row) for row in measured if row.target == target]
            closing = _closing([row for row in own if row["operation"] == "read"])
            if one.levels is not None:
                rows += [{**row, "target": target, **closing} for row in _read(one.levels, closing)]
            if one.writes is not None:
                written = [row for row in own if row["operation"] == "write"]
                closing = _closing(written)
                rows.append({**_written(one.writes, len(written), closing), "target": target, **closing})
        return rows

    def insights(self, run: Run, rows: list[Flat]) -> list[Insight]:
        del run
        return sentences(rows)


def _bounds(name: str, unit: str, value: Bounded | None, *, whole: bool = False) -> Flat:
    """{name_unit, name_low, name_high}."""
    if value is None:
        return {f"{name}_{unit}": None, f"{name}_low": None, f"{name}_high": None}
    found = {f"{name}_{unit}": value.middle, f"{name}_low": value.low, f"{name}_high": value.high}
    return {key: round(one) if whole else number(one) for key, one in found.items()}


def _part(name: str, capacity: Bounded | None, unit: Bounded | None, latency: Bounded | None) -> Flat:
    return {
        "part": name,
        **_bounds("capacity", "bytes", capacity, whole=True),
        "round_bytes": None,
        **_bounds("unit", "bytes", unit, whole=True),
        **_bounds("latency", "s", latency),
        "amplification": None,
        "amplification_most": None,
        "round_as": None,
        "page_walk_s": None,
        "misfit": None,
        "points": None,
    }


def _read(levels: Levels, closing: Flat) -> list[Flat]:
    """Buffers and the medium. A curve that no buffers explain makes all rows inconclusive."""
    wide = [n for n, one in enumerate(levels.levels, start=1) if _half(one.capacity_bytes) > WIDE]
    reasons = [f"capacity of buffer {number} is not known to {WIDE * 100:g} %" for number in wide]
    if levels.misfit > MISFIT:
        off = f"off by {levels.misfit:.1f} times its error"
        reasons.append(f"no buffers explain the curve, {off}: a prefetcher of the processor may, see the figure")
    if reasons:
        closing.update(conclusive=False, reasons="; ".join(filter(None, (str(closing["reasons"]), *reasons))))
    same: Flat = {"misfit": levels.misfit, "points": levels.points}
    rows = [
        {
            **_part(f"buffer {number}", level.capacity_bytes, level.unit_bytes, level.latency_s),
            "round_bytes": level.round_bytes,
            "amplification_most": level.most_amplification,
            "round_as": _round_as(levels.levels[: number - 1], level),
            **same,
        }
        for number, level in enumerate(levels.levels, start=1)
    ]
    entry = levels.entry_s
    walk: Flat = {"page_walk_s": entry.middle if entry.low > 0 else None}
    return [*rows, {**_part("medium", None, None, levels.medium_s), **walk, **same}]


def _half(value: Bounded) -> float:
    return (value.high - value.low) / 2 / value.middle


def _round_as(nearer: tuple[Level, ...], level: Level) -> str | None:
    """See the top of the file; None for the nearest buffer."""
    if not nearer:
        return None
    capacity = level.capacity_bytes
    less = capacity.middle - sum(one.capacity_bytes.middle for one in nearer)
    as_it_is = level.round_bytes is not None
    without = any(_near(less, size, capacity) for size in _round_sizes(less))
    if as_it_is == without:
        return "cannot be told"
    return "holding" if as_it_is else "beside"


def _near(size: float, to: int, interval: Bounded) -> bool:
    return interval.low / interval.middle <= to / size <= interval.high / interval.middle


def _round_sizes(size: float) -> list[int]:
    power = max(int(size), 1).bit_length() - 1
    return [factor << step for factor in (1, 3) for step in range(max(power - 2, 0), power + 2)]


def _written(writes: Writes, points: int, closing: Flat) -> Flat:
    """A curve that no one queue explains makes the row inconclusive."""
    if writes.misfit > MISFIT:
        off = f"off by {writes.misfit:.1f} times its error"
        closing.update(conclusive=False, reasons=f"no one queue explains the curve, {off}: interleaved DIMMs may")
    joined, same = writes.joined, Flat(points=points, misfit=writes.misfit)
    if joined is None:
        return {**_part("writes", None, None, Bounded(*(writes.line_s,) * 3)), **same}
    entries = joined.entries
    size = Bounded(*(one * LINE_BYTES for one in (entries.low, entries.middle, entries.high)))
    row = _part("writes", size, joined.unit_bytes, joined.line_s)
    return {**row, "amplification": joined.amplification, **same}


def _closing(rows: list[Flat]) -> Flat:
    """Of all regions together: an uncertain one is in the intervals, but one without a number is missing."""
    missing = [row for row in rows if row["latency_s"] is None]
    enough = len(missing) <= MISSING * len(rows)
    return {
        "conclusive": enough,
        "reasons": "" if enough else f"{len(missing)} of {len(rows)} regions: {missing[0]['reasons']}",
        "blocks": sum(int(row["blocks"] or 0) for row in rows),
        "left_out_share": max((float(row["left_out_share"] or 0) for row in rows), default=0.0),
        "origin": strongest(str(row["origin"]) for row in rows),
    }


tables.add(Buffers())
