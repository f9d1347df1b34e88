"""Blocks of fixed memory: throughput and latency of one block operation over threads and block sizes.

    throughput = median rate * program bytes of one operation          [bytes/s], a copied byte counts twice
    latency    = median time of one operation in its thread             [s], without the clock's cost
    in a row   = threads / median rate                                  [s], of one operation among others of its thread
    efficiency = throughput / (threads * throughput of one thread)      the memory stays the same: strong scaling
    peak share = throughput / theoretical peak of all channels

Throughput and latency may come from two experiments, see `suites.blocks.experiments`; a row joins them. If threads
share CPUs, the rate is that of `suites.blocks.turns`, and the percentiles include operations that waited for a CPU.

A call returns while its last stores, some 4 to 8 KB, wait in the core's store buffer. A timed block ends only after a
fence, when they have left it. So the latency of one operation includes its stores. If operations follow one another,
some of the waiting overlaps with the next one, and the time in a row may be shorter.

Blind to what `memcpy` and `memset` do on the bus: they may read lines before they write them, or bypass the caches.
Source: D. Molka et al., "Memory Performance and Cache Coherency Effects on an Intel Nehalem Multiprocessor System",
PACT 2009 (subtraction of a measurement's cost); "Memory Benchmarking" (document 001) for the question.
"""

from functools import partial
from statistics import mean
from typing import ClassVar

from msgspec.structs import replace

from tierscope.record.result import Record, Run
from tierscope.stats.judged import share_cpus
from tierscope.stats.median import Interval, beyond
from tierscope.stats.summary import too_wide
from tierscope.stats.visited import ONCE, doubts
from tierscope.suites.blocks.findings import best_row, sentences
from tierscope.suites.blocks.labels import BlocksLabels
from tierscope.suites.blocks.latencies import SHARES, Latencies
from tierscope.suites.blocks.row import BlocksRow
from tierscope.suites.blocks.turns import Turns, turns
from tierscope.tables import Asked, Insight, Main, tables
from tierscope.tables.measured import (
    Closing,
    closing,
    measured,
    over_visits,
    page_bytes,
    quotient,
    records,
    visits_of,
)


class Blocks:
    """One row for each operation, block size and number of threads."""

    name: ClassVar[str] = "blocks"
    title: ClassVar[str] = "Blocks of fixed memory"
    asked: ClassVar[Asked] = Asked(
        question="What is the best way to move blocks?",
        answers=("most_throughput", "best_threads", "block_efficiency"),
        keys={
            "most_throughput": "most throughput",
            "block_efficiency": "scaling efficiency",
            "call_cost": "time of the smallest block",
        },
    )
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

    def rows(self, run: Run) -> list[BlocksRow]:
        """Return a row for each throughput; its latency is absent until it has been measured."""
        own = [(BlocksLabels.read(record.experiment), record) for record in records(run, self.name)]
        latencies = {_key(labels): record for labels, record in own if labels.part != "throughput"}
        rates = [(labels, record) for labels, record in own if labels.part != "latency"]
        times = Latencies(run)
        rows = [_row(run, labels, record, latencies.get(_key(labels)), times) for labels, record in rates]
        alone = {row.point: row.throughput for row in rows if row.threads == 1}
        told = [replace(row, efficiency=_efficiency(row, alone.get(row.point))) for row in rows]
        return [replace(row, best=best_row(row, told)) for row in told]

    def insights(self, run: Run, rows: list[BlocksRow]) -> list[Insight]:
        return sentences(run, rows)


def _key(labels: BlocksLabels) -> tuple[str, int, int]:
    return labels.operation, labels.block_bytes, labels.threads


def _row(run: Run, labels: BlocksLabels, record: Record, latency: Record | None, times: Latencies) -> BlocksRow:
    facts, peak = record.groups[0], run.result.machine.peak_bytes_per_s
    rate, ending = _rate(run, record)
    throughput, threads = rate.times(facts.program_bytes_per_operation), len(facts.cpus)
    found = times.of(latency) if latency else None
    p50, p90, p99, p999 = found.percentiles if found else (None,) * len(SHARES)
    doubt = _doubt(p50, record.experiment.schedule.precision) if found else ""
    if doubt:
        ending |= {"conclusive": False, "reasons": (*ending["reasons"], doubt)}
    return BlocksRow(
        operation=labels.operation,
        block_bytes=labels.block_bytes,
        threads=threads,
        cpus=len(set(facts.cpus)),
        shared=share_cpus(record.groups),
        throughput=throughput,
        best=None,
        efficiency=None,
        peak_share=throughput.middle / peak if peak else None,
        latency=p50,
        latency_p90=p90,
        latency_p99=p99,
        latency_p999=p999,
        in_a_row_s=threads / rate.middle if rate.middle > 0 else None,
        batched=found.batched if found else None,
        timer_cost_s=latency.clock.read_cost_s if latency else None,
        latency_blocks=found.blocks if found else None,
        latency_left_out=found.left_out if found else None,
        target=facts.target,
        footprint_bytes=facts.footprint_bytes,
        page_bytes=page_bytes(facts),
        **ending,
    )


def _rate(run: Run, record: Record) -> tuple[Interval, Closing]:
    """Return the operations/s, and the last columns of the row."""
    point = measured(run, record)
    ending = closing(record, point)
    if not share_cpus(record.groups):
        return point.groups[0].interval, ending
    visits = {visit.visit: _turns(run, visit) for visit in visits_of(run, record)}
    first, precision = next(iter(visits.values())).summary, record.experiment.schedule.precision
    interval = over_visits(run, record, "turns", partial(_shared_rate, run)) or first.interval
    reasons = [reason for reason in point.reasons if reason == ONCE]
    reasons += [reason for one in visits.values() for reason in doubts(one.summary, precision)]
    if interval.count and (wide := too_wide(interval, precision)):
        reasons.append(wide)
    ending |= {
        "conclusive": not reasons,
        "reasons": tuple(dict.fromkeys(reasons)),
        "left_out_share": mean(one.left_out_share for one in visits.values()),
    }
    return interval, ending


def _shared_rate(run: Run, visit: Record) -> Interval | None:
    return _turns(run, visit).summary.interval if share_cpus(visit.groups) else None


def _turns(run: Run, visit: Record) -> Turns:
    return turns(run.blocks(visit), visit.clock.hz, visit.experiment.schedule)


def _doubt(latency: Interval | None, precision: float) -> str:
    """Return why the latency is not conclusive; "" if it is."""
    if latency is None:
        return "latency: too few clean blocks"
    return "" if latency.relative <= precision else f"latency {beyond(latency, precision)}"


def _efficiency(row: BlocksRow, alone: Interval | None) -> Interval | None:
    """Return the rate over `threads` times that of one thread; None if one thread was not measured."""
    if row.throughput is None or alone is None or alone.middle <= 0:
        return None
    if row.threads == 1:
        return Interval(1.0, 1.0, 1.0, alone.count)
    return quotient(alone.times(row.threads), row.throughput)


tables.add(Blocks())
