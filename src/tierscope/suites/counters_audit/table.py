"""Counts of one operation of each kernel next to its known lines.

of one operation = count / operations, without the count of starting and stopping, the mean of the repeats
factor           = that / the quantity that the name of the event promises (`known.PROMISES`)
"""

from typing import ClassVar

from tierscope.record.result import Run
from tierscope.stats.median import Interval
from tierscope.suites.counters_audit.gathered import TABLE, Gathered, gathered
from tierscope.suites.counters_audit.judge import mean_of
from tierscope.suites.counters_audit.known import promised
from tierscope.suites.counters_audit.row import EventCountsRow
from tierscope.tables import BESIDE, Insight, Main, tables


class EventCounts:
    """One row for each event that was counted and each kernel of an audit."""

    name: ClassVar[str] = TABLE
    title: ClassVar[str] = "Events next to known bytes"
    topics: ClassVar[tuple[str, ...]] = ()
    place: ClassVar[int] = BESIDE
    keys: ClassVar[tuple[str, ...]] = ("event", "kernel", "target", "origin")
    main: ClassVar[tuple[Main, ...]] = ()  # what an event counts is neither slower nor faster
    row: ClassVar[type[EventCountsRow]] = EventCountsRow
    says: ClassVar[dict[str, str]] = {}

    def rows(self, run: Run) -> list[EventCountsRow]:
        return [_row(one, kernel) for one in gathered(run) for kernel in one.counts]

    def insights(self, run: Run, rows: list[EventCountsRow]) -> list[Insight]:
        del run, rows
        return []


def _row(one: Gathered, kernel: str) -> EventCountsRow:
    values, did = one.counts[kernel], one.known[kernel]
    promise = promised(one.event, one.moves)
    base = promise.of(did) if promise else 0.0
    return EventCountsRow(
        event=one.event,
        kernel=kernel,
        per_operation=sum(values) / len(values),
        factor=_whole(mean_of([value / base for value in values])) if base > 0 else None,
        lines_read=did.read,
        lines_written=did.written,
        lines_loaded=did.loaded,
        operation_s=did.time,
        repeats=len(values),
        counted_share=one.share,
        target=one.target,
        origin=one.origin,
    )


def _whole(found: Interval) -> Interval | None:
    """Return an interval that has both ends."""
    return found if found.low == found.low and found.high == found.high else None


tables.add(EventCounts())
