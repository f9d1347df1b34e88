"""The traffic of others in one window, or in all of them."""

from typing import Annotated

from tierscope.tables import JudgedRow
from tierscope.tables.rows import Bandwidth, BytesPerS, Col, Count, Quotient, Ratio, Seconds, Time
from tierscope.tables.usual import Where


class BackgroundRow(JudgedRow, frozen=True, kw_only=True):
    """One row of `background`."""

    window: Annotated[Count | None, Col("window", help="its number, from 0; null: all windows together")]
    at: Annotated[str, Col("at", help="its start, UTC, ISO 8601")]
    begin_s: Annotated[Seconds, Col("from", help="its start, since the probe began")]
    end_s: Annotated[Seconds, Col("to", help="its end, since the probe began")]
    state: Annotated[
        str,
        Col(
            "traffic",
            help="`some`: the interval is above 0; `more`: above 0, and beyond the end of the curve; `below`: less "
            "than this probe can see, at most `traffic_high`; `not known`",
        ),
    ]
    traffic: Annotated[
        Bandwidth | None,
        Col("of others", help="bytes on the bus; `traffic_high` is null where the curve ends before"),
    ]
    latency: Annotated[Time | None, Col("latency", help="mean over the pieces of the median time of one access")]
    over_idle: Annotated[
        Quotient | None,
        Col("over idle", help="ratio to the latency without load; the interval contains how much that one varies"),
    ]
    slower: Annotated[
        Ratio | None,
        Col("core slower", help="time of additions in registers over their fastest; null on a simulated machine"),
    ]
    curve_end_bytes_per_s: Annotated[
        BytesPerS | None, Col("curve ends", help="largest load of the curve that ends first, bytes on the bus")
    ]
    target: Where
