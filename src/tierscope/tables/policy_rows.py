"""Rows of the three curves behind `policy`, which `tables.policy_found` makes and reads."""

from typing import Annotated

from tierscope.stats.median import Interval
from tierscope.tables import JudgedRow
from tierscope.tables.rows import Bandwidth, Col, Count, Quotient, Ratio, Seconds, Size, Time, Unit


class InterleaveRow(JudgedRow, frozen=True, kw_only=True):
    """A stride between lines that several threads store."""

    stride_bytes: Annotated[Size, Col("stride", help="between two lines")]
    control: Annotated[bool, Col("control", help="whether it is a control, which meets memories of any grain alike")]
    bandwidth: Annotated[Bandwidth | None, Col("bandwidth", help="of the lines alone")]
    ratio: Annotated[Quotient | None, Col("over the control's", help="over that of the control nearest to it")]
    fitted: Annotated[Ratio | None, Col("as found", help="ratio that the layout found gives")]
    threads: Annotated[Count, Col("threads", help="that stored")]
    target: Annotated[str, Col("target", help="such as `node:0`", tier=True)]


class PairsRow(JudgedRow, frozen=True, kw_only=True):
    """Reads that start together, one timed block each."""

    reads: Annotated[Count, Col("reads", help="that start together, at random places")]
    near: Annotated[
        bool, Col("near", help="true: a cache serves them, which shows whether the processor overlaps reads")
    ]
    together: Annotated[Time | None, Col("time", help="median time until all are back")]
    target: Annotated[str, Col("target", help="such as `node:0`", tier=True)]


class MigrationRow(JudgedRow, frozen=True, kw_only=True):
    """A place that single writes overwrote again and again."""

    region_bytes: Annotated[Size, Col("place", help="the place")]
    writes: Annotated[Count, Col("writes", help="of 256 B")]
    typical_s: Annotated[Seconds | None, Col("median write", help="median of one write")]
    stalls: Annotated[Count, Col("far slower writes", help="writes that took more than 4x this time, for any reason")]
    alike: Annotated[
        Quotient,
        Col(
            "as long as those in step",
            help=(
                "in a million writes, those that stall as long as the ones in step at the smallest place; bounds: the "
                "range of such a count"
            ),
        ),
    ]
    period: Annotated[
        Annotated[Interval, Unit("1", "_writes")] | None,
        Col("writes between stalls", help="writes between two stalls in step; null where none are"),
    ]
    between_s: Annotated[Seconds | None, Col("time between stalls", help="time between two")]
    stall: Annotated[Time | None, Col("stall", help="median stall of those in step")]
    target: Annotated[str, Col("target", help="such as `node:0`", tier=True)]


class CombiningRow(JudgedRow, frozen=True, kw_only=True):
    """Fresh regions of one size that were stored."""

    region_bytes: Annotated[Size, Col("region", help="each of its lines is stored once, then a fence")]
    line: Annotated[Time | None, Col("time per line", help="time of one line")]
    fitted_s: Annotated[Seconds | None, Col("as found", help="what the queue found gives")]
    target: Annotated[str, Col("target", help="such as `node:0`", tier=True)]
