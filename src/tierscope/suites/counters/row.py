"""One row of the table `counters`, which its findings, figure and terminal form read."""

from typing import Annotated

from tierscope.tables import Row
from tierscope.tables.rows import Col, Count, Quotient, Ratio, Seconds, Size
from tierscope.tables.usual import Threads


class CountersRow(Row, frozen=True, kw_only=True):
    """An event or a metric of a group, or why it has no value."""

    experiment: Annotated[Count, Col("experiment", help="number of the record")]
    group: Annotated[
        Count | None, Col("group", help="number of the group in it; null: all of them together, on a simulated machine")
    ]
    take: Annotated[
        Count | None,
        Col(
            "take",
            help=(
                "number of the set of groups that ran at the same time, if several sets alternated, such as victims"
                " alone and victims with others; null: of all blocks"
            ),
        ),
    ]
    kernel: Annotated[str, Col("kernel", help="of the group, or of all, joined by `+`")]
    task: Annotated[str | None, Col("task", help="of structures: `get of 50000 keys`; null of all others")]
    target: Annotated[str, Col("target", help="of the group, or of all, joined by `+`", tier=True)]
    threads: Threads
    footprint_bytes: Annotated[Size, Col("footprint", help="of the group, or of all")]
    kind: Annotated[str, Col("kind", help="`event` or `metric`")]
    counter: Annotated[
        str,
        Col(
            "event or metric",
            help=(
                "its name: as perf names it, from the file of the metrics, or `all` in a row with the reason why "
                "there are none"
            ),
        ),
    ]
    value: Annotated[
        Ratio | None,
        Col(
            "value",
            help=(
                "count, scaled where `multiplexed_share` is above 0; a metric in its `unit`; null where there is none"
            ),
        ),
    ]
    per_operation: Annotated[Ratio | None, Col("of one operation", help="value over `operations`; null of metrics")]
    unit: Annotated[str | None, Col("unit", help="`1`, `B`, `s`, `1/s`")]
    traffic_bytes: Annotated[
        Size | None,
        Col("traffic", help="bytes that the count of a memory controller stands for; null of other events"),
    ] = None
    over_program: Annotated[
        Quotient | None,
        Col(
            "over program bytes",
            help=(
                "these bytes over the program bytes of all blocks in the same batch, estimate over the batches; null "
                "if the groups request no bytes"
            ),
        ),
    ] = None
    multiplexed_share: Annotated[
        Ratio | None, Col("time not counted", help="share of the time for which it was not counted")
    ]
    empty_per_block: Annotated[
        Ratio | None, Col("of an empty block", help="count of a block without work; it is not subtracted")
    ]
    operations: Annotated[Count | None, Col("operations", help="of the blocks that were counted")]
    blocks: Annotated[Count | None, Col("blocks", help="that were counted")]
    pair_s: Annotated[Seconds | None, Col("start and stop", help="of one start and stop, outside of the timed part")]
    scope: Annotated[str | None, Col("mode", help="`user`, `user+kernel`; null of simulated ones")]
    origin: Annotated[str, Col("origin", help="`perf_event` or `simulated`")]
    origin_by: Annotated[str | None, Col("counted by", help="the simulated machine")]
    reason: Annotated[str | None, Col("why not", help="why there is no value; null where there is one")]

    @property
    def shown(self) -> float | None:
        """Return the value of a metric; for an event, its count of one operation."""
        return self.value if self.kind == "metric" else self.per_operation
