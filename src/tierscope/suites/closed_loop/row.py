"""One row of the table `closed_loop`, which its findings, figure and terminal form read."""

from typing import Annotated

from tierscope.tables import Row
from tierscope.tables.rows import Col, Count, Ratio


class ClosedLoopRow(Row, frozen=True, kw_only=True):
    """A parameter of a device, as it was built and as a prober found it."""

    device: Annotated[Count, Col("device", help="its number; number and seed define the whole device")]
    prober: Annotated[str, Col("prober", help="`buffers` or `policy`")]
    parameter: Annotated[
        str,
        Col(
            "parameter",
            help=(
                "`buffers` (how many), `capacity` of all memories together, `unit`, `latency`, `medium` (its "
                "latency); `ways`, `grain`; `period`, `stall`, `moved unit` of migrations; `entries` of the queue, "
                "`joined unit`"
            ),
        ),
    ]
    level: Annotated[
        Count | None, Col("buffer", help="number of the buffer, from the nearest; null for parameters of other parts")
    ]
    measure: Annotated[str, Col("in", help="unit of the four keys that follow: `B`, `s` or `1`")]
    truth: Annotated[float | None, Col("built", help="as it was built; null: there is none")]
    found: Annotated[float | None, Col("found", help="as the prober found it; null: nothing was found")]
    low: Annotated[float | None, Col("low", help="interval")]
    high: Annotated[float | None, Col("high", help="interval")]
    bound: Annotated[
        bool, Col("lower bound", help="whether the answer states a lower bound, or that no buffer is smaller than one")
    ]
    verdict: Annotated[
        str,
        Col(
            "verdict",
            help=(
                "`recovered`; `in range`: the answer is a range that contains what was built; `wrong`, `missed`, "
                "`false alarm`"
            ),
        ),
    ]
    sure: Annotated[
        bool,
        Col(
            "conclusive",
            help=("whether the prober calls its answer conclusive; false where it gives none"),
        ),
    ]
    noise: Annotated[Ratio, Col("noise", help="of the device")]
    repeat: Annotated[str, Col("to repeat it", help="command that repeats the prober on this device alone")]
    origin: Annotated[str, Col("origin", help="as of other rows")]
