"""Rows of the tables `response`, `response_fit` and `response_tiers`, which figure and terminal forms also read."""

from typing import Annotated

from tierscope.stats.median import Interval
from tierscope.tables import JudgedRow, Row
from tierscope.tables.rows import Bandwidth, Col, Count, LongTime, Quotient, Ratio, Share, Time, Unit
from tierscope.tables.usual import Origin

Task = LongTime
Signed = Annotated[Interval, Unit("1")]


class ResponseRow(JudgedRow, frozen=True, kw_only=True):
    """The victim at one step of a lever."""

    command: Annotated[str, Col("victim", private=True, help="the command line, or `flow test`")]
    lever: Annotated[str, Col("lever", help="`load`, `node`, `resctrl`, `uncore`, `clock`")]
    number: Annotated[Count, Col("number", help="of the step, the weakest first; 0 is without the lever")]
    step: Annotated[str, Col("step", help="what it is; `without`: the lever is not used")]
    latency: Annotated[Time | None, Col("latency", help="time of one access of a chase at this step")]
    over: Annotated[
        Quotient | None,
        Col(
            "latency over that without",
            help="in the same rounds; of the lever `clock` both in cycles of the core",
        ),
    ]
    bandwidth: Annotated[Bandwidth | None, Col("bandwidth left", help="that one CPU reads with at this step")]
    load: Annotated[
        Bandwidth | None,
        Col("load", help="program bytes/s of the CPUs that load, together with the chase; null without"),
    ]
    seconds: Annotated[Task | None, Col("time of a run", help="of the victim, from its start to its end")]
    slowdown: Annotated[
        Quotient | None,
        Col("slowdown", help="`seconds` over those without the lever, in the same rounds; of `clock` both in cycles"),
    ]
    rounds: Annotated[Count, Col("rounds", help="that the slowdown rests on")]
    coverage: Annotated[Share, Col("ran together", help="share of the victim's time in which the load ran")]


class FitRow(Row, frozen=True, kw_only=True):
    """The response of the victim to one lever."""

    command: Annotated[str, Col("victim", private=True, help="the command line, or `flow test`")]
    lever: Annotated[str, Col("lever", help="`load`, `node`, `resctrl`, `uncore`, `clock`")]
    answer: Annotated[str, Col("answer", help="`known`, `not known`")]
    reach: Annotated[
        Quotient | None,
        Col("range of latency", help="largest over smallest latency, less 1; below 0.25 the lever is refused"),
    ]
    share: Annotated[
        Signed | None, Col("share", help="of the time that grows with latency: slope of slowdown over latency")
    ]
    latency: Annotated[Time | None, Col("latency here", help="without the lever")]
    seconds: Annotated[Task | None, Col("time here", help="of a run without the lever")]
    left: Annotated[
        Ratio | None, Col("bandwidth left", help="least bandwidth of one reading CPU at a step, over that without")
    ]
    steps: Annotated[Count, Col("steps", help="that the fit rests on, without the one that uses no lever")]
    why: Annotated[str, Col("because", help='why it is not known, or what limits it; "" if nothing does')]
    origin: Origin


class TierRow(Row, frozen=True, kw_only=True):
    """The victim on a tier, by one lever."""

    command: Annotated[str, Col("victim", private=True, help="the command line, or `flow test`")]
    lever: Annotated[str, Col("lever", help="`load`, `node`, `resctrl`, `uncore`, `clock`")]
    tier: Annotated[str, Col("tier", help="as it was named")]
    over: Annotated[Ratio | None, Col("latency over that here", help="of the tier")]
    answer: Annotated[str, Col("answer", help="`known`, `not known`")]
    slowdown: Annotated[Quotient | None, Col("slowdown", help="with bounds that widen with the distance")]
    seconds: Annotated[Task | None, Col("time there", help="slowdown times the time here")]
    far: Annotated[Ratio | None, Col("distance", help="in ranges of the lever; up to 1 it was measured")]
    why: Annotated[str, Col("because", help='why it is not known; "" if it is')]
    origin: Origin
