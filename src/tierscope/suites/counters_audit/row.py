"""Rows of the tables `event_counts` and `event_verdict`."""

from typing import Annotated

from tierscope.tables import Row
from tierscope.tables.rows import Col, Count, Quotient, Ratio, Seconds, Share
from tierscope.tables.usual import Where


class EventCountsRow(Row, frozen=True, kw_only=True):
    """An event next to one kernel, with what the kernel is known to do."""

    event: Annotated[str, Col("event", help="as perf names it, or from the file of the metrics")]
    kernel: Annotated[str, Col("kernel", help="of the catalogue")]
    per_operation: Annotated[
        Ratio | None,
        Col("of one operation", help="mean count, without that of an empty block; of clocks, seconds"),
    ]
    factor: Annotated[
        Quotient | None,
        Col("factor", help="count over the known quantity that its name promises; null where it promises none"),
    ]
    lines_read: Annotated[Ratio | None, Col("lines read", help="known: of one operation, with those for plain stores")]
    lines_written: Annotated[Ratio | None, Col("lines written", help="known: of one operation")]
    lines_loaded: Annotated[Ratio | None, Col("lines loaded", help="known: that the program loads, of one operation")]
    operation_s: Annotated[Seconds | None, Col("time", help="known: of one operation")]
    repeats: Annotated[Count, Col("repeats", help="experiments that the mean is of")]
    counted_share: Annotated[Share | None, Col("time counted", help="least share of the time for which it was counted")]
    target: Where
    origin: Annotated[str, Col("origin", help="`perf_event` or `simulated`")]


class EventVerdictRow(Row, frozen=True, kw_only=True):
    """The quantity that an event really counts."""

    event: Annotated[str, Col("event", help="as perf names it, or from the file of the metrics")]
    verdict: Annotated[
        str, Col("verdict", help="`counts`, `factor`, `other`, `follows`, `unrelated`, `nothing`, `not known`")
    ]
    promised: Annotated[str | None, Col("promised", help="what its name states; null for none of the known quantities")]
    follows: Annotated[str | None, Col("follows", help="the known quantity that it follows over all kernels, if any")]
    factor: Annotated[Quotient | None, Col("factor", help="counts for one of that quantity")]
    kernels: Annotated[Count, Col("kernels", help="with which it was counted")]
    repeats: Annotated[Count, Col("repeats", help="of each kernel, at least")]
    scope: Annotated[str | None, Col("mode", help="`user`, `user+kernel`; null of simulated ones")]
    origin: Annotated[str, Col("origin", help="`perf_event` or `simulated`")]
    reason: Annotated[str | None, Col("why", help="of verdicts without a factor, and what else fits")]
