"""One row of the table `blocks`, which its findings, figures and terminal form read."""

from typing import Annotated

from tierscope.tables import JudgedRow
from tierscope.tables.rows import AskedSize, Bandwidth, Col, Count, PeakShare, Quotient, Seconds, Time
from tierscope.tables.usual import AllArrays, PageSize, Where


class BlocksRow(JudgedRow, frozen=True, kw_only=True):
    """An operation at a block size, with one number of threads."""

    operation: Annotated[str, Col("operation", help="`copy`, `write`, `random_write`")]
    block_bytes: Annotated[AskedSize, Col("block", help="bytes that one operation moves")]
    threads: Annotated[Count, Col("threads", help="that share the memory")]
    cpus: Annotated[Count, Col("CPUs", help="that they run on")]
    shared: Annotated[bool, Col("share CPUs", help="true: there are more threads than CPUs, and they share them")]
    throughput: Annotated[
        Bandwidth | None,
        Col("throughput", help="median, program bytes of all threads: a copied byte counts twice, as STREAM counts"),
    ]
    best: Annotated[
        bool | None,
        Col(
            "best count",
            help=(
                "true: this number of threads is faster than every other one of its operation and size, by "
                "intervals widened for their number; false: another is faster; null: none is distinguished from all"
                " others"
            ),
        ),
    ]
    efficiency: Annotated[
        Quotient | None,
        Col(
            "efficiency",
            help=(
                "throughput divided by threads and by the throughput of one thread; null where one thread was not "
                "measured"
            ),
        ),
    ]
    peak_share: Annotated[
        PeakShare | None, Col("share of peak", help="throughput over the theoretical peak; null where that is unknown")
    ]
    latency: Annotated[
        Time | None,
        Col(
            "latency",
            help=(
                "median time of one operation, without the cost of the clock; null: not measured, or too few operations"
            ),
        ),
    ]
    latency_p90: Annotated[
        Time | None,
        Col(
            "p90",
            help=(
                "90 % of the operations take at most this time; null if there are too few operations to determine it"
            ),
        ),
    ]
    latency_p99: Annotated[
        Time | None,
        Col(
            "p99",
            help=(
                "99 % of the operations take at most this time; null if there are too few operations to determine it"
            ),
        ),
    ]
    latency_p999: Annotated[
        Time | None,
        Col(
            "p99.9",
            help=(
                "99.9 % of the operations take at most this time; null if there are too few operations to determine it"
            ),
        ),
    ]
    in_a_row_s: Annotated[
        Seconds | None,
        Col(
            "in a row",
            help=(
                "time of one operation in its thread while operations follow one another: threads over the rate of all"
            ),
        ),
    ]
    batched: Annotated[
        Count | None,
        Col(
            "operations timed together",
            help=(
                "operations in one timed block; above 1, all percentiles are of the means of this number of operations"
            ),
        ),
    ]
    timer_cost_s: Annotated[
        Seconds | None, Col("clock's cost", help="subtracted from each timed block: two reads of the clock")
    ]
    latency_blocks: Annotated[Count | None, Col("blocks for latency", help="timed blocks that the percentiles rest on")]
    latency_left_out: Annotated[
        Count | None, Col("of them left out", help="timed blocks that were left out because the thread was disturbed")
    ]
    target: Where
    footprint_bytes: AllArrays
    page_bytes: PageSize

    @property
    def point(self) -> tuple[str, int]:
        """Return the operation and block size, which rows of several thread counts share."""
        return self.operation, self.block_bytes
