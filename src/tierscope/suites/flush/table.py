"""Flush: time of a stored and flushed line, for each instruction, chunk size, kind of fence and order.

    time per line = seconds of one chunk / lines of the chunk                     [s]
    ticks         = time per line * rate of the clock, which is not a core clock   [1]
    bandwidth     = bytes of one chunk / its seconds                              [bytes/s]
    ratio         = seconds / seconds of `against`, in the same rounds             [1]
    seconds_total = seconds of one chunk * total bytes / bytes of one chunk        [s]

Store, flush and fence are one number. A flush starts when it retires and finishes much later. A read of the clock
behind a store fence does not wait for it. So separate times of a write and its flush would be exchanged. Each timed
block of about 1 ms ends with a fence that waits for the whole block.
Blind to when a line reaches the medium. With ADR, bytes in the queue of a memory controller count as persistent. Where
`persistence` is msync, no byte counts before the system has written the page. On DRAM, the time is the one in which
lines leave the caches. The seconds of a chunk are those of undisturbed moments; the first half of each batch is left
out.
Source: document 002 (20 GB, three instructions, five chunk sizes); statistics: `stats.contrast`.
"""

import math
from typing import ClassVar

import numpy as np

from tierscope.record.result import SIZING, Record, Run
from tierscope.stats.contrast import Contrast
from tierscope.stats.median import Interval, beyond
from tierscope.stats.takes import blocks_of
from tierscope.suites.flush.findings import sentences
from tierscope.suites.flush.labels import FlushLabels
from tierscope.suites.flush.row import FlushRow
from tierscope.tables import Asked, Insight, Main, tables
from tierscope.tables.measured import closing, judged, page_bytes, records

KERNELS = "flush_"  # how their names begin


class Flush:
    """One row for each instruction, chunk size, kind of fence and order.

    The instructions of one chunk size alternate. A row is conclusive if its ratio is. A row that is compared with
    itself is conclusive if its own time is within the precision.
    """

    name: ClassVar[str] = "flush"
    title: ClassVar[str] = "Stores that are flushed"
    asked: ClassVar[Asked] = Asked(
        question="What does a flush cost?",
        answers=("flush_time", "flush_ratio", "fence_per_line", "random_chunks"),
        keys={"flush_time": "a line, flushed", "flush_ratio": "time of {}", "fence_per_line": "a fence for each line"},
    )
    topics: ClassVar[tuple[str, ...]] = ("latency",)
    keys: ClassVar[tuple[str, ...]] = ("instruction", "chunk_bytes", "fence", "order", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("line_s", less_is_better=True),)
    row: ClassVar[type[FlushRow]] = FlushRow
    says: ClassVar[dict[str, str]] = {
        "flush_time": "time per line with clwb, in chunks of 4 KiB or the size in the middle",
        "flush_ratio INSTRUCTION over BASE": "its time over that of the base, in the same chunks; the interval is "
        "widened for the number of chunk sizes",
        "fence_per_line": "time per line with a fence after each line over that with one after each chunk",
        "random_chunks": "time per line of chunks in random order over that in sequence",
    }

    def rows(self, run: Run) -> list[FlushRow]:
        return [row for record in records(run, self.name) for row in _rows(run, record)]

    def insights(self, run: Run, rows: list[FlushRow]) -> list[Insight]:
        return sentences(rows, run.result.machine.line_bytes())


def _rows(run: Run, record: Record) -> list[FlushRow]:
    written = _written(run, record)
    return [_row(run, record, take, found, written[take]) for take, found in enumerate(judged(run, record).contrasts)]


def _row(run: Run, record: Record, take: int, found: Contrast, written: int) -> FlushRow:
    facts, labels = record.groups[_group(record, take)], FlushLabels.read(record.experiment)
    chunk, total = labels.chunk_bytes, labels.total_bytes
    line, reasons = found.seconds.times(run.result.machine.line_bytes() / chunk), _reasons(record, take, found)
    verdict = closing(record, judged(run, record).points[take]) | {
        "conclusive": not reasons,
        "reasons": reasons,
        "left_out_share": found.left_out_share,
    }
    return FlushRow(
        instruction=instruction_of(facts.kernel),
        chunk_bytes=chunk,
        fence=labels.fence,
        order=labels.order,
        target=facts.target,
        persistence=facts.persistence or None,
        line=line,
        line_ticks=line.middle * record.clock.hz,
        bandwidth=_rate(found.seconds, chunk),
        ratio=found.ratio,
        against=instruction_of(record.groups[_group(record, record.experiment.against[take])].kernel),
        seconds=found.seconds.times(total / chunk),
        total_bytes=total,
        written_bytes=written * chunk,
        rounds=found.ratio.count,
        cpu=facts.cpus[0],
        footprint_bytes=facts.footprint_bytes,
        page_bytes=page_bytes(facts),
        clock=record.clock.source,
        clock_hz=record.clock.hz,
        **verdict,
    )


def _group(record: Record, take: int) -> int:
    return record.experiment.takes[take][0]


def instruction_of(kernel: str) -> str:
    """Return the instruction of a kernel: 'flush_clwb' -> 'clwb'."""
    return kernel.removeprefix(KERNELS)


def _rate(seconds: Interval, amount: int) -> Interval:
    """Return amount / seconds; NaN where there is no time."""
    low, middle, high = (amount / s if s > 0 else math.nan for s in (seconds.high, seconds.middle, seconds.low))
    return Interval(low, middle, high, seconds.count)


def _written(run: Run, record: Record) -> list[int]:
    """Return the chunks of all timed blocks of each take in all visits, disturbed ones too."""
    visits = [record, *(visit for visit in run.result.visits if visit.number == record.number)]
    return [sum(counts) for counts in zip(*(_chunks(run, visit) for visit in visits), strict=True)]


def _chunks(run: Run, visit: Record) -> list[int]:
    blocks = run.blocks(visit)
    timed = blocks[(blocks["flags"] & SIZING) == 0]
    takes = range(len(visit.experiment.takes))
    return [int(np.sum(blocks_of(timed, visit.experiment, visit.takes, t)["operations"])) for t in takes]


def _reasons(record: Record, take: int, found: Contrast) -> tuple[str, ...]:
    """Return the reasons for doubt about the ratio, or about the row's own time if it is compared with itself."""
    precision = record.experiment.schedule.precision
    if record.experiment.against[take] == take and not found.seconds.relative <= precision:
        return (*found.reasons, f"time {beyond(found.seconds, precision)}")
    return found.reasons


tables.add(Flush())
