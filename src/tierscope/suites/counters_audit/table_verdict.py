"""The quantity that each event really counts: the verdicts of `judge` on the counts of an audit."""

from typing import ClassVar

from tierscope.record.result import Run
from tierscope.suites.counters_audit.gathered import Gathered, gathered
from tierscope.suites.counters_audit.judge import VERDICTS, judge
from tierscope.suites.counters_audit.known import promised
from tierscope.suites.counters_audit.row import EventVerdictRow
from tierscope.tables import Asked, Insight, Main, tables

MOST = 6  # names in a sentence
SENTENCES = {
    "counts": "count what their names state",
    "factor": "follow what their names state, with another factor than 1",
    "other": "follow another quantity than their names state",
    "follows": "follow a known quantity that their names do not promise",
    "unrelated": "follow none of the known quantities",
    "nothing": "were always 0",
    "not known": "are not decided, or not counted here",
}


class EventVerdict:
    """One row for each event of an audit: the known quantity that it follows, its factor, and the verdict."""

    name: ClassVar[str] = "event_verdict"
    title: ClassVar[str] = "What the events of this machine count"
    topics: ClassVar[tuple[str, ...]] = ()
    place: ClassVar[int] = 90
    asked: ClassVar[Asked] = Asked(question="Which events can be trusted?", answers=("events",))
    keys: ClassVar[tuple[str, ...]] = ("event", "origin")
    main: ClassVar[tuple[Main, ...]] = ()  # what an event counts is neither slower nor faster
    row: ClassVar[type[EventVerdictRow]] = EventVerdictRow
    says: ClassVar[dict[str, str]] = {"events VERDICT": "how many events have this verdict"}

    def rows(self, run: Run) -> list[EventVerdictRow]:
        return [_row(one) for one in gathered(run)]

    def insights(self, run: Run, rows: list[EventVerdictRow]) -> list[Insight]:
        del run
        return [_said(verdict, rows) for verdict in VERDICTS if any(row.verdict == verdict for row in rows)]


def _row(one: Gathered) -> EventVerdictRow:
    promise = promised(one.event, one.moves)
    found = judge(one.counts, one.known, promise, one.share) if one.counts else None
    repeats = min(map(len, one.counts.values()), default=0)
    return EventVerdictRow(
        event=one.event,
        verdict=found.verdict if found else "not known",
        promised=promise.name if promise else None,
        follows=(found.follows if found else "") or None,
        factor=found.factor if found else None,
        kernels=len(one.counts),
        repeats=repeats,
        scope=one.scope or None,
        origin=one.origin,
        reason=(found.why if found else one.reason) or None,
    )


def _said(verdict: str, rows: list[EventVerdictRow]) -> Insight:
    mine = [row for row in rows if row.verdict == verdict]
    names = ", ".join(row.event for row in mine[:MOST]) + (f" and {len(mine) - MOST} more" if len(mine) > MOST else "")
    return Insight(
        name=f"events {verdict}",
        text=f"{len(mine)} of {len(rows)} events {SENTENCES[verdict]}: {names}",
        value=float(len(mine)),
        unit="1",
        conclusive=verdict != "not known",
    )


tables.add(EventVerdict())
