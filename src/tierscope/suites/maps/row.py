"""One row of the table `maps`, which its points, findings, figure and terminal form read."""

from typing import Annotated

from tierscope.tables import JudgedRow
from tierscope.tables.rows import Col, Count, LongTime, Quotient, Rate, Ratio, Seconds, Share, Size, Time
from tierscope.tables.usual import Threads


class MapsRow(JudgedRow, frozen=True, kw_only=True):
    """An operation on a structure, with its keys, values and threads."""

    structure: Annotated[str, Col("structure", help="its name in the catalogue")]
    target: Annotated[str, Col("target", help="such as `node:0`, `pool:PATH`", tier=True)]
    operation: Annotated[
        str, Col("operation", help="`insert`, `get`, `remove`, or shares such as `get:2+insert:1+remove:1`")
    ]
    keys: Annotated[str, Col("keys drawn", help="how they are drawn: `uniform`, `zipf:0.99`")]
    count: Annotated[Count, Col("keys", help="keys of all threads")]
    value_bytes: Annotated[Size, Col("value", help="of one value")]
    threads: Threads
    sharing: Annotated[str, Col("sharing", help="`own`: a structure for each thread; `one`: one for all")]
    operations: Annotated[Count, Col("operations of a round", help="of one round, all threads")]
    seconds: Annotated[
        LongTime | None,
        Col("time of a round", help="time of a round, rehashes and waits for a lock included"),
    ]
    ops: Annotated[Rate | None, Col("operations per second", help="operations of all threads over the same time")]
    latency: Annotated[Time | None, Col("latency", help="mean time of one operation, without rehash and lock")]
    latency_p50: Annotated[
        Time | None,
        Col(
            "p50",
            help=(
                "half of the operations take no longer; bounds of a percentile are null where it is that of all "
                "batches together"
            ),
        ),
    ]
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
                "alone: making is not simulated; null where nothing is filled in there, and on an emulated tier, which "
                "delays no fill"
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
        Share, Col("share that found or changed", help="operations that found their key, or changed something")
    ]
    lines_read: Annotated[
        Ratio | None,
        Col(
            "lines read",
            help=(
                "distinct lines of the caches that one operation reads, mean; this and the next four on simulated "
                "memory alone, else null"
            ),
        ),
    ]
    lines_written: Annotated[Ratio | None, Col("lines written", help="distinct lines that it writes")]
    lines_flushed: Annotated[
        Ratio | None,
        Col(
            "lines flushed",
            help=("64 bytes each that it writes back by an instruction or a store past the caches, each time counted"),
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
    delayed_loads: Annotated[
        Ratio | None,
        Col(
            "delayed loads",
            help="loads of one operation that the floor of an emulated tier delayed, mean; null on other targets",
        ),
    ] = None
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
