"""One row of the table `policy`, which its findings and terminal form read."""

from typing import Annotated

from tierscope.stats.median import Interval
from tierscope.tables import JudgedRow
from tierscope.tables.rows import Col, Count, Quotient, Ratio, Seconds, Size, Unit
from tierscope.tables.usual import Where


class PolicyRow(JudgedRow, frozen=True, kw_only=True):
    """A property that was looked for, found or not."""

    part: Annotated[str, Col("part", help="`interleaving`, `migration`, `combining`")]
    found: Annotated[
        bool,
        Col(
            "found",
            help=("false: the curves show no such structure; `count`, `unit_bytes` and `seconds` are then null"),
        ),
    ]
    count: Annotated[
        Quotient | None,
        Col(
            "number",
            help=(
                "memories side by side; writes of 256 B from one migration to the next; lines that fit into the "
                "queue; bounds: the least and the most that are not excluded"
            ),
        ),
    ]
    unit_bytes: Annotated[
        Size | None,
        Col(
            "unit",
            help=(
                "consecutive bytes of each memory; bytes that migrate together (null: larger than all places "
                "tried); unit to which lines are joined"
            ),
        ),
    ]
    unit_low: Annotated[Size | None, Col("low", help="smallest that is not excluded")]
    unit_high: Annotated[Size | None, Col("high", help="largest; null where it is not known")]
    seconds: Annotated[
        Annotated[Interval, Unit("s", "")] | None, Col("time", help="a stall; one write of a joined unit")
    ]
    seconds_least: Annotated[
        Seconds | None,
        Col(
            "time at least",
            help=(
                "lower bound of a stall, where the bytes that were written may be in several memories, which hide a "
                "part of it; null if the time is known"
            ),
        ),
    ]
    better: Annotated[
        Ratio | None,
        Col("better than none", help="twice the logarithm of its likelihood over that of none; null for migrations"),
    ]
    evidence: Annotated[str, Col("evidence", help="as text")]
    points: Annotated[Count, Col("points", help="strides, places or regions that it rests on")]
    target: Where
