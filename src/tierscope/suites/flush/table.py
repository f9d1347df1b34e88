"""Flush: time of a stored and flushed line, for each instruction, chunk size, kind of fence and order.

    time per line = seconds of one chunk / lines of the chunk                     [s]
    ticks         = time per line * rate of the clock, which is no core clock      [1]
    bandwidth     = bytes of one chunk / its seconds                              [bytes/s]
    ratio         = seconds / seconds of `against`, in the same rounds             [1]
    seconds_total = seconds of one chunk * total bytes / bytes of one chunk        [s]

Store, flush and fence are one number: a flush is begun when it retires and done much later, and reading the clock
behind a store fence does not wait for it, so that a write and its flush timed apart would change places. Each timed
block of about 1 ms ends with a fence that waits for all of it.
Blind to when a line reaches the medium: what counts as persistent is a memory controller's queue (ADR), or, where
`persistence` is msync, nothing before the system has written the page. On DRAM it is the time in which lines leave the
caches. The seconds of a chunk are those of undisturbed moments; the first half of each turn does not count.
Source: document 002 (20 GB, three instructions, five chunk sizes); statistics: `stats.contrast`.
"""

import math
from typing import Annotated, ClassVar

import numpy as np

from tierscope.record.result import SIZING, Record, Run
from tierscope.stats.contrast import Contrast
from tierscope.stats.median import Interval, beyond
from tierscope.stats.takes import blocks_of
from tierscope.suites.flush.findings import sentences
from tierscope.tables import Flat, Insight, JudgedRow, Main, tables
from tierscope.tables.measured import bounds, closing_flat, judged, number, page_bytes, records
from tierscope.tables.rows import Bandwidth, Col, Count, PerS, Quotient, Ratio, Size, Time, Unit
from tierscope.units import LINE_BYTES

KERNELS = "flush_"  # how their names begin


class FlushRow(JudgedRow, frozen=True, kw_only=True):
    """One row of `flush`."""

    instruction: Annotated[
        str, Col("instruction", help="`clflush`, `clflushopt`, `clwb`, `nt`, `movdir64b`, `msync`, `none`")
    ]
    chunk_bytes: Annotated[Size, Col("chunk", help="stored before its lines are flushed")]
    fence: Annotated[str, Col("fence after", help="after each `chunk`, each `line`, `never`")]
    order: Annotated[str, Col("order", help="of the chunks: `sequential`, `random`")]
    target: Annotated[str, Col("target", help="as `node:0`", tier=True)]
    persistence: Annotated[
        str | None,
        Col(
            "persists by",
            help=(
                "until its bytes survive: `none` (they never do), `adr`, `eadr`, `msync`; null where it is not known"
            ),
        ),
    ]
    line: Annotated[Time | None, Col("time per line", help="time per line of 64 bytes: store, flush and fence")]
    line_ticks: Annotated[
        Ratio,
        Col(
            "clock ticks per line",
            help=("the same in ticks of `clock`, which runs at a constant `clock_hz` and not as fast as the core"),
        ),
    ]
    bandwidth: Annotated[Bandwidth | None, Col("bandwidth", help="bytes stored per second")]
    ratio: Annotated[
        Quotient | None,
        Col(
            "time over",
            help=("time over that of the instruction `against`, in the same rounds; exactly 1 against itself"),
        ),
    ]
    against: Annotated[str, Col("that of", help="`clwb`, where that was measured; else the first instruction")]
    seconds: Annotated[
        Annotated[Interval, Unit("s", "_total")] | None, Col("time of all", help="time for `total_bytes`")
    ]
    total_bytes: Annotated[Size, Col("all", help="20 GB, or what was asked for")]
    written_bytes: Annotated[
        Size,
        Col(
            "really written",
            help="in timed blocks; where they are less than `total_bytes`, the seconds are extrapolated",
        ),
    ]
    rounds: Annotated[Count, Col("rounds", help="that the ratio rests on")]
    cpu: Annotated[Count, Col("CPU", help="that wrote")]
    footprint_bytes: Annotated[Size, Col("footprint", help="written again and again")]
    page_bytes: Annotated[Size, Col("pages", help="page size of most of the bytes")]
    clock: Annotated[str, Col("clock", help="`tsc`, as a rule")]
    clock_hz: Annotated[PerS, Col("ticks of the clock", help="its ticks")]


class Flush:
    """One row for each instruction, chunk size, kind of fence and order.

    The instructions of one chunk size alternate. A row is conclusive if its ratio is. A row that is compared with
    itself is conclusive if its own time is within the precision.
    """

    name: ClassVar[str] = "flush"
    title: ClassVar[str] = "Stores that are flushed"
    topics: ClassVar[tuple[str, ...]] = ("latency",)
    keys: ClassVar[tuple[str, ...]] = ("instruction", "chunk_bytes", "fence", "order", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("line_s", less_is_better=True),)
    row: ClassVar[type[FlushRow]] = FlushRow
    says: ClassVar[dict[str, str]] = {
        "flush_time": "time per line with clwb, in chunks of 4 KiB or the size in the middle",
        "flush_ratio INSTRUCTION": "its time over that of clwb, in the same chunks; the interval is widened "
        "for the number of chunk sizes",
        "fence_per_line": "time per line with a fence after each line over that with one after each chunk",
        "random_chunks": "time per line of chunks in random order over that in sequence",
    }

    def rows(self, run: Run) -> list[Flat]:
        return [row for record in records(run, self.name) for row in _rows(run, record)]

    def insights(self, run: Run, rows: list[Flat]) -> list[Insight]:
        del run
        return sentences(rows)


def _rows(run: Run, record: Record) -> list[Flat]:
    found = judged(run, record)
    written = _written(run, record)
    return [
        {
            **_row(record, take, one, written[take]),
            **closing_flat(record, found.points[take]),
            **_verdict(record, take, one),
        }
        for take, one in enumerate(found.contrasts)
    ]


def _row(record: Record, take: int, found: Contrast, written: int) -> Flat:
    facts, labels = record.groups[_group(record, take)], record.experiment.labels
    chunk, total = int(labels["chunk_bytes"] or 0), int(labels["total_bytes"] or 0)
    seconds = found.seconds
    line = seconds.times(LINE_BYTES / chunk)
    return {
        "instruction": instruction_of(facts.kernel),
        "chunk_bytes": chunk,
        "fence": labels["fence"],
        "order": labels["order"],
        "target": facts.target,
        "persistence": facts.persistence or None,
        **bounds("line", "s", line),
        "line_ticks": number(line.middle * record.clock.hz),
        **bounds("bandwidth", "bytes_per_s", _rate(seconds, chunk)),
        "ratio": number(found.ratio.middle),
        "ratio_low": number(found.ratio.low),
        "ratio_high": number(found.ratio.high),
        "against": instruction_of(record.groups[_group(record, record.experiment.against[take])].kernel),
        **bounds("seconds", "total", seconds.times(total / chunk)),
        "total_bytes": total,
        "written_bytes": written * chunk,
        "rounds": found.ratio.count,
        "cpu": facts.cpus[0],
        "footprint_bytes": facts.footprint_bytes,
        "page_bytes": page_bytes(facts),
        "clock": record.clock.source,
        "clock_hz": record.clock.hz,
    }


def _group(record: Record, take: int) -> int:
    return record.experiment.takes[take][0]


def instruction_of(kernel: str) -> str:
    """'flush_clwb' -> 'clwb'."""
    return kernel.removeprefix(KERNELS)


def _rate(seconds: Interval, amount: int) -> Interval:
    """amount / seconds; NaN where there is no time."""
    low, middle, high = (amount / s if s > 0 else math.nan for s in (seconds.high, seconds.middle, seconds.low))
    return Interval(low, middle, high, seconds.count)


def _written(run: Run, record: Record) -> list[int]:
    """Chunks of all timed blocks of each take, disturbed ones too."""
    blocks = run.blocks(record)
    timed = blocks[(blocks["flags"] & SIZING) == 0]
    takes = range(len(record.experiment.takes))
    return [int(np.sum(blocks_of(timed, record.experiment, record.takes, t)["operations"])) for t in takes]


def _verdict(record: Record, take: int, found: Contrast) -> Flat:
    """The ratio must be sure; for the row that stands against itself its own time."""
    precision = record.experiment.schedule.precision
    reasons = list(found.reasons)
    if record.experiment.against[take] == take and not found.seconds.relative <= precision:
        reasons.append(f"time {beyond(found.seconds, precision)}")
    return {
        "conclusive": not reasons,
        "reasons": "; ".join(reasons),
        "left_out_share": found.left_out_share,
    }


tables.add(Flush())
