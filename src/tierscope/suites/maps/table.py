"""Maps: operations on structures, with the latency of single ones and what lies beside them.

    operations/s = threads / seconds of one operation, rehash and waits for a lock counted     [1/s]
    seconds      = operations of one round / operations/s                                      [s]
    latency      = ticks of the operations alone / operations                                  [s]

`rehash_share` is the share of a round's time, of the same rounds, that rehashes take (`suites.maps.keyed`).
A round is a sequence of operations that every thread has drawn before it; batches of whole rounds give one value each,
and their Hodges-Lehmann estimate is the value of the row, with its interval. Percentiles come from histograms whose
steps are at most 1/64 of a time. Each operation holds one look at the clock, `clock_s`, in all of these numbers.
On simulated memory the lines of each operation are counted, too: distinct ones that are read and written, each time
that one is flushed, and fences. More flushes than written lines mean that lines are flushed again and again.
Blind to what the first touch of new memory costs by itself: it is part of an insert, as in any program.
Source: document 004 (pmembench's map_insert, map_get, map_remove); statistics: `stats.contrast`, `suites.maps.keyed`.
"""

from typing import Annotated, ClassVar

from tierscope.record.result import Record, Run
from tierscope.stats.median import Interval
from tierscope.suites.maps.findings import sentences
from tierscope.suites.maps.keyed import Keyed, Lines, keyed
from tierscope.tables import Flat, Insight, JudgedRow, Main, tables
from tierscope.tables.measured import bounds, closing_flat, judged, number, records
from tierscope.tables.rows import Col, Count, Quotient, Rate, Ratio, Seconds, Size, Time, Unit

SHARES = {"p50": 0.5, "p99": 0.99, "p999": 0.999}


class MapsRow(JudgedRow, frozen=True, kw_only=True):
    """One row of `maps`."""

    structure: Annotated[str, Col("structure", help="its name in the catalogue")]
    target: Annotated[str, Col("target", help="as `node:0`, `pool:PATH`", tier=True)]
    operation: Annotated[
        str, Col("operation", help="`insert`, `get`, `remove`, or shares as `get:2+insert:1+remove:1`")
    ]
    keys: Annotated[str, Col("keys drawn", help="how they are drawn: `uniform`, `zipf:0.99`")]
    count: Annotated[Count, Col("keys", help="keys of all threads")]
    value_bytes: Annotated[Size, Col("value", help="of one value")]
    threads: Annotated[Count, Col("threads", help="one on each CPU")]
    sharing: Annotated[str, Col("sharing", help="`own`: a structure for each thread; `one`: one for all")]
    operations: Annotated[Count, Col("operations of a round", help="of one round, all threads")]
    seconds: Annotated[
        Annotated[Interval, Unit("s", "")] | None,
        Col("time of a round", help="time of a round, rehashes and waits for a lock included"),
    ]
    ops: Annotated[Rate | None, Col("operations per second", help="operations of all threads over the same time")]
    latency: Annotated[Time | None, Col("latency", help="mean time of one operation, without rehash and lock")]
    latency_p50_s: Annotated[Seconds, Col("p50", help="half of the operations take no longer")]
    latency_p50_low: Annotated[Seconds | None, Col("low", help="interval; null where it is of all batches together")]
    latency_p50_high: Annotated[Seconds | None, Col("high")]
    latency_p99: Annotated[Time | None, Col("p99", help="99 of 100 take no longer; null if fewer than ten take longer")]
    latency_p999: Annotated[
        Time | None, Col("p99.9", help="999 of 1000 take no longer; null if fewer than ten take longer")
    ]
    latency_min_s: Annotated[Seconds, Col("least", help="the shortest operation")]
    latency_max_s: Annotated[Seconds, Col("most", help="the longest")]
    init_s: Annotated[
        Seconds | None,
        Col(
            "time to fill",
            help=(
                "to make one structure and fill it as its first round needs; mean. On simulated memory to fill it "
                "alone: making is not simulated; null where nothing is filled in there"
            ),
        ),
    ]
    rehashes: Annotated[Ratio, Col("rehashes of a round", help="in one round, all threads")]
    moved: Annotated[Ratio, Col("entries moved", help="entries that they moved")]
    rehash_s: Annotated[
        Seconds,
        Col(
            "time of rehashes",
            help=("time that they took in one round, threads added up; Hodges-Lehmann estimate over the rounds"),
        ),
    ]
    rehash_share: Annotated[
        Quotient | None,
        Col("share of rehashes", help="share of a round's time that they took, both of the same rounds"),
    ]
    lock_s: Annotated[
        Seconds,
        Col(
            "wait for the lock", help="wait for the lock of a shared structure, per operation; estimate over the rounds"
        ),
    ]
    clock_s: Annotated[
        Seconds,
        Col("time of the clock", help="time of one read of the clock and its count, which each operation includes"),
    ]
    done_share: Annotated[
        Ratio, Col("share that found or changed", help="operations that found their key, or changed something")
    ]
    lines_read: Annotated[
        Ratio | None,
        Col(
            "lines read",
            help=(
                "distinct lines of 64 bytes that one operation reads, mean; this and the next four on simulated "
                "memory alone, else null"
            ),
        ),
    ]
    lines_written: Annotated[Ratio | None, Col("lines written", help="distinct lines that it writes")]
    lines_flushed: Annotated[
        Ratio | None,
        Col(
            "lines flushed",
            help=("lines that it writes back by an instruction or a store past the caches, each time counted"),
        ),
    ]
    fences: Annotated[Ratio | None, Col("fences", help="that it waits for")]
    flushed_per_written: Annotated[
        Ratio | None,
        Col(
            "flushed over written lines",
            help=(
                "flushed over written lines: above 1 lines are flushed again; null where nothing is written or "
                "nothing is flushed, as by volatile structures"
            ),
        ),
    ]
    batches: Annotated[Count, Col("batches", help="of whole rounds, on which the intervals rest")]
    persistence: Annotated[
        str | None,
        Col(
            "persists by",
            help=(
                "of the pool's file system, or of the simulated memory: `adr`, `eadr`, `msync`, `none`; null if it "
                "is not known"
            ),
        ),
    ]


class Maps:
    """One row for each structure, operation, number of keys, size of a value and number of threads."""

    name: ClassVar[str] = "maps"
    title: ClassVar[str] = "Operations on structures"
    keys: ClassVar[tuple[str, ...]] = (
        "structure",
        "operation",
        "keys",
        "count",
        "operations",
        "value_bytes",
        "threads",
        "sharing",
        "target",
    )
    main: ClassVar[tuple[Main, ...]] = (Main("seconds", less_is_better=True),)
    row: ClassVar[type[MapsRow]] = MapsRow
    says: ClassVar[dict[str, str]] = {
        "fastest WHAT": "time of the second structure over that of the fastest; 1 is between low and high if "
        "they are not distinguished",
        "alone OPERATION": "latency among the fewest keys, of a run of one structure; its text has that of the most",
        "flushed WHAT": "flushed over written lines, of the structure where it is most",
        "rehash WHAT": "share of the time that rehashes take, of the structure where it is most",
    }

    def rows(self, run: Run) -> list[Flat]:
        return [_row(run, record) for record in records(run, self.name) if record.timings]

    def insights(self, run: Run, rows: list[Flat]) -> list[Insight]:
        del run
        return sentences(rows)


def _row(run: Run, record: Record) -> Flat:
    judgement, facts, work = judged(run, record), record.groups[0], record.experiment.groups[0].workload
    found, threads = judgement.contrasts[0], len(facts.cpus)
    timings = record.timings[0]
    measured = keyed(timings, record.clock.hz, tuple(SHARES.values()))
    operations = round(sum(one.operations for one in timings) / max(sum(one.rounds for one in timings), 1) * threads)
    return {
        "structure": facts.kernel,
        "target": facts.target,
        "operation": work.operation or "get",
        "keys": work.keys or "uniform",
        "count": work.count,
        "value_bytes": work.value_bytes,
        "threads": threads,
        "sharing": work.sharing or "own",
        "operations": operations,
        **_seconds(found.seconds.times(operations / threads)),
        **bounds("ops", "per_s", found.seconds.times(1 / threads).inverse()),
        **bounds("latency", "s", measured.latency),
        **_percentiles(measured),
        **_beside(measured, threads),
        "batches": found.seconds.count,
        "persistence": facts.persistence or None,
        **closing_flat(record, judgement.points[0]),
        "conclusive": found.conclusive,
        "reasons": "; ".join(found.reasons),
        "left_out_share": found.left_out_share,
    }


def _seconds(one: Interval) -> Flat:
    return {"seconds": number(one.middle), "seconds_low": number(one.low), "seconds_high": number(one.high)}


def _percentiles(found: Keyed) -> Flat:
    row: Flat = {}
    for name, one in zip(SHARES, found.percentiles, strict=True):
        row |= bounds(f"latency_{name}", "s", one)
    return row


def _beside(found: Keyed, threads: int) -> Flat:
    """Per round of all threads, where it counts rehashes."""
    return {
        "latency_min_s": found.least_s,
        "latency_max_s": found.most_s,
        "init_s": found.init_s,
        "rehashes": found.rehashes * threads,
        "moved": found.moved * threads,
        "rehash_s": found.rehash_s * threads,
        "rehash_share": number(found.rehash_share.middle),
        "rehash_share_low": number(found.rehash_share.low),
        "rehash_share_high": number(found.rehash_share.high),
        "lock_s": found.lock_s,
        "clock_s": found.clock_s,
        "done_share": found.done_share,
        **_lines(found.lines),
    }


def _lines(found: Lines | None) -> Flat:
    """Of one operation on average; None where accesses were not recorded, on all memory but simulated one."""
    return {
        "lines_read": found.read if found else None,
        "lines_written": found.written if found else None,
        "lines_flushed": found.flushed if found else None,
        "fences": found.fences if found else None,
        "flushed_per_written": found.flushed_per_written if found else None,
    }


tables.add(Maps())
