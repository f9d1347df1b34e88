"""Counters: performance events in the timed blocks, and the metrics that follow from them.

    value          = raw count * time it was to be counted / time it was counted          [1], task-clock [s]
    per operation  = value / operations of the counted blocks                             [1], task-clock [s]
    multiplexed    = 1 - time it was counted / time it was to be counted                  [1]. 0 is an exact count.

Counting begins just before the first read of the clock and ends just after the second one. So a count includes both
reads of the clock and the system's own path out and in. `empty_per_block` is the count of a block without work, and is
not subtracted. Metrics are those of the processor's file in `tierscope/metrics`. An event that could not be counted,
and a metric that requires it, appear with the reason. A simulated machine counts for all groups together.

Events of memory controllers count for the whole machine, from the start of a batch to its end:

    traffic            = count * bytes of one count                                             [B]
    over program bytes = traffic of a batch / program bytes of all blocks in it                 [1]

The second is the Hodges-Lehmann estimate over the batches, of logarithms; it has an interval from FEWEST of them.
Blind to blocks that others cut short: counts are of all blocks, also of those that summaries leave out.
Source: Linux, perf_event_open(2), on time_enabled and time_running.
"""

import math
from collections.abc import Iterator, Sequence
from typing import ClassVar, TypedDict

import numpy as np
from msgspec.structs import replace

from tierscope.metrics import Metrics, metrics_for
from tierscope.metrics.formula import KNOWN
from tierscope.metrics.read import Metric
from tierscope.record.counting import Counted, EventCount, mixed
from tierscope.record.result import Record, Run
from tierscope.record.work.key import KeyedWork
from tierscope.stats.contrast import estimate
from tierscope.stats.median import Interval
from tierscope.stats.takes import takes_of
from tierscope.suites.counters.findings import ALL, sentences
from tierscope.suites.counters.row import CountersRow
from tierscope.tables import BESIDE, Insight, Main, tables

GIVEN = frozenset(KNOWN)
FEWEST = 6  # batches: the range of fewer is not an interval of 95 %
NO_TURN = "the PMU never counted it; ask for fewer events at the same time"
NO_BLOCK = "the kernel reported no time for which it was to be counted"
NANOSECONDS = ("task-clock", "cpu-clock")  # events that are times


class Counters:
    """One row for each performance event and each metric of a group, in runs with [`counters=`](../how-to/counters.md);
    an entry without a value appears only at the first point, for each reason. Groups of a simulated machine share
    their rows.
    """

    name: ClassVar[str] = "counters"
    title: ClassVar[str] = "Performance events in the timed blocks"
    topics: ClassVar[tuple[str, ...]] = ()  # the tables that they explain have their own topics
    place: ClassVar[int] = BESIDE
    keys: ClassVar[tuple[str, ...]] = ("experiment", "group", "take", "counter")
    main: ClassVar[tuple[Main, ...]] = ()  # counts explain what other tables measured
    row: ClassVar[type[CountersRow]] = CountersRow
    says: ClassVar[dict[str, str]] = {
        "not_counted": "how many events there are no counts of, for one reason",
        "simulated_counts": "none: some rows are of simulated caches",
        "user_mode_alone": "none: the kernel's part was not counted",
        "multiplexed": "largest share of the time for which an event was not counted",
        "counting_cost": "time of starting and stopping the counters, for each block",
        "memory_factor": "bytes that all memory controllers moved over the program bytes, of the first kernel",
    }

    def rows(self, run: Run) -> list[CountersRow]:
        metrics = metrics_for(run.result.machine.identity.family)
        line = run.result.machine.line_bytes()
        every = (
            row for record in run.result.records for one in record.counted for row in _rows(record, one, metrics, line)
        )
        return list(_once(every))

    def insights(self, run: Run, rows: list[CountersRow]) -> list[Insight]:
        blocks = [one for record in run.result.records for one in record.counted]
        return sentences(rows, blocks)


def _once(rows: Iterator[CountersRow]) -> Iterator[CountersRow]:
    told: set[tuple[str, str, str | None]] = set()
    for row in rows:
        said = (row.counter, row.origin, row.reason)
        if row.value is not None or said not in told:
            yield row
        if row.value is None:
            told.add(said)


def _rows(record: Record, counted: Counted, metrics: Metrics, line_bytes: int) -> Iterator[CountersRow]:
    nothing = _nothing(record, counted)
    if counted.reason:
        yield nothing
        return
    known: dict[str, EventCount] = {}
    for event in counted.events:
        name = metrics.called(event.event)
        known[name] = event
        yield replace(nothing, counter=name, scope=event.scope or None, **_event(counted, event))
    named = {name.replace("-", "_"): event for name, event in known.items()}
    if counted.program_bytes:  # of memory controllers, which no metric needs
        return
    for metric in metrics.metrics:
        found = _metric(counted, metric, named, line_bytes)
        yield replace(nothing, kind="metric", counter=metric.name, unit=metric.unit, **found)
    if counted.origin == "real":
        for absent in metrics.absent:
            yield replace(nothing, kind="metric", counter=absent.name, reason=absent.reason)


def _nothing(record: Record, counted: Counted) -> CountersRow:
    """Return the row that shows why there are no counts; what an event or a metric provides replaces its fields."""
    groups = [record.groups[number] for number in _numbers(record, counted)]
    return CountersRow(
        experiment=record.number,
        group=counted.group,
        take=counted.take,
        kernel="+".join(dict.fromkeys(one.kernel for one in groups)),
        task=_task(record, counted),
        target="+".join(dict.fromkeys(one.target for one in groups)),
        threads=sum(len(one.cpus) for one in groups),
        footprint_bytes=sum(one.footprint_bytes for one in groups),
        kind="event",
        counter=ALL,
        value=None,
        per_operation=None,
        unit=None,
        multiplexed_share=None,
        empty_per_block=None,
        operations=counted.operations or None,
        blocks=counted.blocks or None,
        pair_s=counted.pair_s or None,
        scope=None,
        origin=counted.origin,
        origin_by=counted.by or None,
        reason=counted.reason or None,
    )


def _numbers(record: Record, counted: Counted) -> Sequence[int]:
    """Return the groups that were counted together."""
    if counted.group is not None:
        return (counted.group,)
    return range(len(record.groups)) if counted.take is None else takes_of(record.experiment)[counted.take]


def _task(record: Record, counted: Counted) -> str | None:
    """Return the task of groups on structures, such as 'get of 50000 keys'."""
    works = [record.experiment.groups[number].workload.work for number in _numbers(record, counted)]
    keyed = [one for one in works if isinstance(one, KeyedWork)]
    return "+".join(dict.fromkeys(f"{one.operation} of {one.count} keys" for one in keyed if one.count)) or None


class _Fields(TypedDict, total=False):
    """The fields of a row that an event or a metric provides; the others are those of `_nothing`."""

    value: float
    per_operation: float | None
    unit: str
    multiplexed_share: float
    empty_per_block: float | None
    scope: str | None
    reason: str
    traffic_bytes: int | None
    over_program: Interval | None


def _event(counted: Counted, event: EventCount) -> _Fields:
    if not event.counted:
        never = NO_TURN if event.enabled_ns else NO_BLOCK
        return {"reason": event.reason or never}
    factor = 1e-9 if event.event in NANOSECONDS else 1.0
    value = event.estimate * factor
    return {
        "value": value,
        "per_operation": value / counted.operations if counted.operations else None,
        "unit": "s" if event.event in NANOSECONDS else "1",
        "multiplexed_share": 1 - event.running_share,
        "empty_per_block": event.empty * factor / counted.empty_blocks if counted.empty_blocks else None,
        "traffic_bytes": round(value * event.bytes) if event.moves else None,
        "over_program": _over_program(counted, event),
    }


def _over_program(counted: Counted, event: EventCount, confidence: float = 0.95) -> Interval | None:
    """Return the bytes that a controller moved for each program byte; None for other events, or without such bytes."""
    pairs = zip(event.by_batch, counted.program_bytes, strict=True) if event.moves else ()
    ratios = [count * event.bytes / program for count, program in pairs if program > 0]
    if not ratios or min(ratios) <= 0:
        return None
    found = estimate(np.log(np.array(ratios)), confidence)
    if found.count < FEWEST:
        return Interval(math.nan, math.exp(found.middle), math.nan, found.count)
    return Interval(math.exp(found.low), math.exp(found.middle), math.exp(found.high), found.count)


def _metric(counted: Counted, metric: Metric, known: dict[str, EventCount], line_bytes: int) -> _Fields:
    """Return the fields of a metric. known: events by their names in formulas."""
    needed = sorted(metric.formula.names - GIVEN)
    events = [known[name] for name in needed if name in known and known[name].counted]
    lacking = [name for name in needed if name not in known or not known[name].counted]
    if lacking:
        return {"reason": f"not counted: {', '.join(lacking)}"}
    counts = {name: event.estimate for name, event in known.items() if event.counted}
    given = {"operations": float(counted.operations), "seconds": counted.seconds, "line": float(line_bytes)}
    if len(scopes := {event.scope for event in events}) > 1:
        return {"reason": mixed(events)}
    value = metric.formula.value({**counts, **given})
    if value is None:
        return {"reason": "it divides by a count of 0"}
    share = max((1 - event.running_share for event in events), default=0.0)
    return {"value": value, "multiplexed_share": share, "scope": next(iter(scopes), None) or None}


tables.add(Counters())
