"""One row of the table `flush`, which its findings, figures and terminal form read."""

from typing import Annotated

from tierscope.stats.median import Interval
from tierscope.tables import JudgedRow
from tierscope.tables.column import Shown
from tierscope.tables.rows import AskedSize, Bandwidth, Col, Count, PerS, Quotient, Ratio, Size, Time, Unit
from tierscope.tables.usual import Where


class FlushRow(JudgedRow, frozen=True, kw_only=True):
    """An instruction at a chunk size, with one kind of fence and order."""

    instruction: Annotated[
        str, Col("instruction", help="`clflush`, `clflushopt`, `clwb`, `nt`, `movdir64b`, `msync`, `none`")
    ]
    chunk_bytes: Annotated[Size, Col("chunk", help="stored before its lines are flushed")]
    fence: Annotated[str, Col("fence after", help="after each `chunk`, each `line`, `never`")]
    order: Annotated[str, Col("order", help="of the chunks: `sequential`, `random`")]
    target: Where
    persistence: Annotated[
        str | None,
        Col(
            "persists by",
            help=(
                "until its bytes survive: `none` (they never do), `adr`, `eadr`, `msync`; null where it is not known"
            ),
        ),
    ]
    line: Annotated[Time | None, Col("time per line", help="time per line of the caches: store, flush and fence")]
    line_ticks: Annotated[
        Ratio | None,
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
    against: Annotated[
        str, Col("that of", help="`clwb` or `cvac`, where that was measured; else the first instruction")
    ]
    seconds: Annotated[
        Annotated[Interval, Unit("s", "_total", shown=Shown.LONG)] | None,
        Col("time of all", help="time for `total_bytes`"),
    ]
    total_bytes: Annotated[AskedSize, Col("all", help="20 GB, or what was asked for")]
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
    page_bytes: Annotated[Size | None, Col("pages", help="page size of most of the bytes")]
    clock: Annotated[str, Col("clock", help="`tsc`, as a rule")]
    clock_hz: Annotated[PerS, Col("ticks of the clock", help="its ticks")]
