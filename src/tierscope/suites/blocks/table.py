"""Blocks of fixed memory: throughput and latency of one block operation over threads and block sizes.

    throughput = median rate * program bytes of one operation          [bytes/s], a copied byte counts twice
    latency    = median time of one operation in its thread             [s], the clock's cost taken off
    in a row   = threads / median rate                                  [s], of one operation among others of its thread
    efficiency = throughput / (threads * throughput of one thread)      the memory stays the same: strong scaling
    peak share = throughput / theoretical peak of all channels

The two may come from two experiments, see `suites.blocks.experiments`; a row joins them. Where threads take turns on
CPUs, the rate is that of `suites.blocks.turns`, and operations that waited for a turn belong to the percentiles.
A call returns while its last stores, some 4 to 8 KB, wait in the core's store buffer; a timed block ends only when they
have left it, by a fence. So the latency of one operation holds its stores, and where operations follow one another some
of the waiting overlaps with the next one: the time in a row may be the shorter one.
Blind to what `memcpy` and `memset` do on the bus: they may read lines before they write them, or pass the caches by.
Source: D. Molka et al., "Memory Performance and Cache Coherency Effects on an Intel Nehalem Multiprocessor System",
PACT 2009 (cost of a measurement taken off); "Memory Benchmarking" (document 001) for the question.
"""

from typing import Annotated, ClassVar

from tierscope.record.experiment import real
from tierscope.record.result import Record, Run
from tierscope.stats.compare import compare
from tierscope.stats.judged import share_cpus
from tierscope.stats.median import Interval, beyond
from tierscope.stats.together import SHARED, UNCLEAN
from tierscope.suites.blocks.findings import best_row, sentences
from tierscope.suites.blocks.percentiles import Times, operation_times, percentiles
from tierscope.suites.blocks.row import BlocksRow
from tierscope.suites.blocks.turns import turns
from tierscope.tables import Column, Flat, Insight, JudgedRow, Main, tables
from tierscope.tables.measured import (
    CLOSING,
    bounds,
    closing_flat,
    interval_of,
    measured,
    number,
    page_bytes,
    records,
    whole,
)
from tierscope.tables.rows import Bandwidth, Col, Count, Quotient, Ratio, Seconds, Size, Time

PERCENTILE = "{:g} % of the operations take at most this time; null if there are too few operations to determine it"
PERCENTILES = {"latency_p90": 0.9, "latency_p99": 0.99, "latency_p999": 0.999}
COLUMNS = (
    Column("operation", "operation", "", help="`copy`, `write`, `random_write`"),
    Column("block_bytes", "block", "B", help="bytes that one operation moves"),
    Column("threads", "threads", "1", help="that share the memory"),
    Column("cpus", "CPUs", "1", help="that they run on"),
    Column("shared", "take turns", "", help="true: there are more threads than CPUs, and they share them"),
    Column(
        "throughput_bytes_per_s",
        "throughput",
        "B/s",
        help="median, program bytes of all threads: a copied byte counts twice, as STREAM counts",
    ),
    Column("throughput_low", "low", "B/s"),
    Column("throughput_high", "high", "B/s"),
    Column(
        "best",
        "best count",
        "",
        help="true: this number of threads is faster than every other one of its operation and size, by "
        "intervals widened for their number; false: another is faster; null: none is distinguished from all others",
    ),
    Column(
        "efficiency",
        "efficiency",
        "1",
        help="throughput over threads times that of one thread; null where one thread was not measured",
    ),
    Column("efficiency_low", "low", "1"),
    Column("efficiency_high", "high", "1"),
    Column("peak_share", "share of peak", "1", help="throughput over the theoretical peak; null where that is unknown"),
    Column(
        "latency_s",
        "latency",
        "s",
        help="median time of one operation, without the cost of the clock; null: not measured, or too few operations",
    ),
    Column("latency_low", "low", "s"),
    Column("latency_high", "high", "s"),
    *(
        column
        for name, part in PERCENTILES.items()
        for column in (
            Column(f"{name}_s", f"p{100 * part:g}", "s", help=PERCENTILE.format(100 * part)),
            Column(f"{name}_low", "low", "s"),
            Column(f"{name}_high", "high", "s"),
        )
    ),
    Column(
        "in_a_row_s",
        "in a row",
        "s",
        help="time of one operation in its thread while operations follow one another: threads over the rate of all",
    ),
    Column(
        "batched",
        "operations timed at once",
        "1",
        help="operations in one timed block; above 1, all percentiles are of the means of this number of operations",
    ),
    Column("timer_cost_s", "clock's cost", "s", help="subtracted from each timed block: two reads of the clock"),
    Column("latency_blocks", "blocks for latency", "1", help="timed blocks that the percentiles rest on"),
    Column(
        "latency_left_out",
        "of them left out",
        "1",
        help="timed blocks that were left out because the thread was disturbed",
    ),
    Column("target", "target", "", tier=True, help="as `node:0`"),
    Column("footprint_bytes", "footprint", "B", help="all arrays together"),
    Column("page_bytes", "pages", "B", help="page size of most of the bytes, as verified"),
    *CLOSING,
)


class Blocks:
    """One row for each operation, block size and number of threads."""

    name: ClassVar[str] = "blocks"
    title: ClassVar[str] = "Blocks of fixed memory"
    keys: ClassVar[tuple[str, ...]] = ("operation", "block_bytes", "threads", "target", "page_bytes")
    main: ClassVar[tuple[Main, ...]] = (Main("throughput_bytes_per_s"),)
    row: ClassVar[type[BlocksRow]] = BlocksRow
    says: ClassVar[dict[str, str]] = {
        "most_throughput": "highest throughput of the conclusive rows",
        "block_peak_share": "its share of the theoretical peak; null where it is more than all of it",
        "block_efficiency": "efficiency of the most threads that have a CPU each: median and range over "
        "operations and sizes",
        "beyond_cpus THREADS": "throughput of this number of threads, which share CPUs, over that of one "
        "thread on each CPU: median and range",
        "call_cost OPERATION": "time of the smallest block, at most a line, with one thread",
        "best_threads OPERATION BYTES": "the best number of threads; null if none is distinguished from all others",
    }

    def rows(self, run: Run) -> list[Flat]:
        """A row for each throughput; its latency is absent while that has not been measured yet."""
        own = records(run, self.name)
        latencies = {_key(record): record for record in own if record.experiment.labels["part"] != "throughput"}
        rates = [record for record in own if record.experiment.labels["part"] != "latency"]
        rows = [_row(run, record, latencies.get(_key(record))) for record in rates]
        alone = {(row["operation"], row["block_bytes"]): row for row in rows if row["threads"] == 1}
        told = [row | _efficiency(row, alone.get((row["operation"], row["block_bytes"]))) for row in rows]
        return [{c.name: (row | {"best": best_row(row, told)})[c.name] for c in COLUMNS} for row in told]

    def insights(self, run: Run, rows: list[Flat]) -> list[Insight]:
        return sentences(run, rows)


def _key(record: Record) -> tuple[object, ...]:
    labels = record.experiment.labels
    return labels["operation"], labels["block_bytes"], labels["threads"]


def _row(run: Run, record: Record, latency: Record | None) -> Flat:
    facts, labels, peak = record.groups[0], record.experiment.labels, run.result.machine.peak_bytes_per_s
    rate, ending = _rate(run, record)
    throughput = bounds("throughput", "bytes_per_s", rate.times(facts.program_bytes_per_operation))
    middle = real(throughput["throughput_bytes_per_s"])
    times = _latency(run, latency)
    doubt = _doubt(times, record.experiment.schedule.precision)
    return {
        "operation": labels["operation"],
        "block_bytes": labels["block_bytes"],
        "threads": len(facts.cpus),
        "cpus": len(set(facts.cpus)),
        "shared": share_cpus(record.groups),
        **throughput,
        "peak_share": middle / peak if middle is not None and peak else None,
        **times,
        "in_a_row_s": len(facts.cpus) / rate.middle if rate.middle > 0 else None,
        "target": facts.target,
        "footprint_bytes": facts.footprint_bytes,
        "page_bytes": page_bytes(facts),
        **ending,
        "conclusive": bool(ending["conclusive"]) and not doubt,
        "reasons": "; ".join(part for part in (str(ending["reasons"]), doubt) if part),
    }


def _rate(run: Run, record: Record) -> tuple[Interval, Flat]:
    """Operations/s, and how the row ends."""
    point = measured(run, record)
    ending = closing_flat(record, point)
    if not share_cpus(record.groups):
        return point.groups[0].interval, ending
    own = turns(run.blocks(record), record.clock.hz, record.experiment.schedule)
    summary = own.summary
    ending |= {
        "conclusive": summary.conclusive,
        "reasons": "; ".join(summary.reasons),
        "left_out_share": own.left_out_share,
    }
    return summary.interval, ending


def _latency(run: Run, record: Record | None) -> Flat:
    """Percentiles with their bounds, and what they rest on; None where nothing was measured."""
    found: list[Interval | None] = [None] * (1 + len(PERCENTILES))
    times: Times | None = None
    if record is not None:
        unclean = SHARED if share_cpus(record.groups) else UNCLEAN
        times = operation_times(run.blocks(record), record.clock.hz, record.clock.read_cost_s, unclean)
        found = percentiles(times.seconds, (0.5, *PERCENTILES.values()), record.experiment.schedule.confidence)
    row: Flat = {}
    for name, interval in zip(("latency", *PERCENTILES), found, strict=True):
        absent = {f"{name}_{end}": None for end in ("s", "low", "high")}
        row |= bounds(name, "s", interval) if interval else absent
    return row | {
        "batched": max(1, record.experiment.groups[0].workload.per_block) if record else None,
        "timer_cost_s": record.clock.read_cost_s if record else None,
        "latency_blocks": int(times.seconds.size) if times else None,
        "latency_left_out": times.left_out if times else None,
    }


def _doubt(times: Flat, precision: float) -> str:
    """Why the latency is not conclusive; "" where it is, or was not measured."""
    if times["batched"] is None:
        return ""
    half = interval_of({**times, "blocks": 1}, "latency", "s")
    if half is None:
        return "latency: too few clean blocks"
    return "" if half.relative <= precision else f"latency {beyond(half, precision)}"


def _efficiency(row: Flat, alone: Flat | None) -> Flat:
    """Of `threads` times one thread, with its interval; None where one thread was not measured."""
    own, one = (interval_of(r, "throughput", "bytes_per_s") if r else None for r in (row, alone))
    names = ("efficiency", "efficiency_low", "efficiency_high")
    if own is None or one is None or one.middle <= 0:
        return dict.fromkeys(names)
    if row["threads"] == 1:
        return dict.fromkeys(names, 1.0)
    ratio = compare(one.times(whole(row, "threads")), own)
    return dict(zip(names, (number(end) for end in (ratio.middle, ratio.low, ratio.high)), strict=True))


tables.add(Blocks())
