"""Rows of `prediction`, `prediction_grid` and `prediction_phases`, which figures and terminal forms also read."""

from typing import Annotated

from tierscope.tables import Row
from tierscope.tables.rows import Col, Count, LongSeconds, LongTime, Quotient, Ratio, Share

Wall = LongTime


class PredictionRow(Row, frozen=True, kw_only=True):
    """The program on one tier."""

    command: Annotated[str, Col("program", private=True, help="with its arguments")]
    tier: Annotated[str, Col("tier", help="as it was named")]
    answer: Annotated[str, Col("answer", help="`known`, `not known`")]
    slowdown: Annotated[Quotient | None, Col("slowdown", help="wall time there over that here, with its bounds")]
    seconds: Annotated[Wall | None, Col("time there", help="wall time there, with its bounds")]
    waits_latency: Annotated[
        Share | None, Col("waits for misses", help="share of the time there that goes away if memory takes no time")
    ]
    waits_bandwidth: Annotated[
        Share | None, Col("waits for bandwidth", help="share that goes away if no access waits for another")
    ]
    large_pages: Annotated[Share | None, Col("2 MiB pages save", help="share of the time there, by the model alone")]
    latency_over: Annotated[
        Ratio | None, Col("latency over that here", help="of the tier; null: a simulated machine states none")
    ]
    bandwidth_over: Annotated[Ratio | None, Col("bandwidth over that here", help="of the tier; null as before")]
    lever: Annotated[str, Col("lever", help='of a run of `response` of the program; "": there is none')]
    by_lever: Annotated[Quotient | None, Col("slowdown by the lever", help="null: not known")]
    why: Annotated[str, Col("because", help='why it is not known; "" if it is')]
    origin: Annotated[str, Col("origin", help="`simulated`: models of this machine and of each memory")]


class PhaseRow(Row, frozen=True, kw_only=True):
    """A phase of the program on one tier."""

    command: Annotated[str, Col("program", private=True, help="with its arguments")]
    phase: Annotated[str, Col("phase", help="as the program names it, or `1 of 10` of equal parts")]
    tier: Annotated[str, Col("tier", help="as it was named")]
    visits: Annotated[Count, Col("times", help="that the program enters it")]
    share: Annotated[Share, Col("share", help="of the time here")]
    seconds: Annotated[LongSeconds | None, Col("time here", help="null: the model does not match the time here")]
    slowdown: Annotated[Quotient | None, Col("slowdown", help="time of the phase there over that here")]
    seconds_there: Annotated[Wall | None, Col("time there", help="of the phase, with its bounds")]
    waits_latency: Annotated[
        Share | None, Col("waits for misses", help="share of its time there that goes away if memory takes no time")
    ]
    waits_bandwidth: Annotated[
        Share | None, Col("waits for bandwidth", help="share that goes away if no access waits for another")
    ]
    origin: Annotated[str, Col("origin", help="`simulated`")]


class CellRow(Row, frozen=True, kw_only=True):
    """The program on a memory that differs from that here in latency and bandwidth alone."""

    command: Annotated[str, Col("program", private=True, help="with its arguments")]
    latency_over: Annotated[Ratio, Col("latency over that here", help="1 is the memory here")]
    bandwidth_over: Annotated[Ratio, Col("bandwidth over that here", help="1 is the memory here")]
    slowdown: Annotated[Ratio, Col("slowdown", help="wall time there over that here, by the own core")]
    origin: Annotated[str, Col("origin", help="`simulated`")]
