"""Counters: performance events in the timed blocks, and the metrics that follow from them.

    value          = raw count * time it was to be counted / time it was counted          [1], task-clock [s]
    per operation  = value / operations of the counted blocks                              [1], task-clock [s]
    multiplexed    = 1 - time it was counted / time it was to be counted                   [1]; 0 is an exact count

Counting begins just before the clock is read for the first time and ends just behind the second reading, so that it
holds the clock's two looks and the system's own way out and in; `empty_per_block` says what a block without work
counts, and is not taken off. Metrics are those of the processor's file in `tierscope/metrics`; what could not be
counted, and metrics that need it, stand with the reason. A simulated machine counts for all groups together.
Blind to blocks that were cut short by others: counts are of all blocks, also of those that summaries leave out.
Source: Linux, perf_event_open(2), on time_enabled and time_running.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar

from tierscope.metrics import Metrics, metrics_for
from tierscope.metrics.formula import KNOWN
from tierscope.metrics.read import Metric
from tierscope.record.counting import Counted, EventCount, mixed
from tierscope.record.experiment import Label
from tierscope.record.result import GroupFacts, Record, Run
from tierscope.stats.takes import takes_of
from tierscope.suites.counters.findings import ALL, sentences
from tierscope.tables import BESIDE, Flat, Insight, Main, Row, tables
from tierscope.tables.rows import Col, Count, Ratio, Seconds, Size
from tierscope.units import LINE_BYTES

GIVEN = frozenset(KNOWN)
NO_TURN = "it never had its turn on the PMU; ask for fewer events at once"
NO_BLOCK = "the kernel told no time for which it was to be counted"
NANOSECONDS = ("task-clock", "cpu-clock")  # events that are times


class CountersRow(Row, frozen=True, kw_only=True):
    """One row of `counters`."""

    experiment: Annotated[Count, Col("experiment", help="number of the record")]
    group: Annotated[
        Count | None, Col("group", help="number of the group in it; null: all of them together, on a simulated machine")
    ]
    take: Annotated[
        Ratio | None,
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
    threads: Annotated[Count, Col("threads", help="one on each CPU")]
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
    multiplexed_share: Annotated[
        Ratio | None, Col("time not counted", help="share of the time for which it was not counted")
    ]
    empty_per_block: Annotated[
        Ratio | None, Col("of an empty block", help="count of a block without work; it is not subtracted")
    ]
    operations: Annotated[Count, Col("operations", help="of the blocks that were counted")]
    blocks: Annotated[Count, Col("blocks", help="that were counted")]
    pair_s: Annotated[Seconds | None, Col("start and stop", help="of one start and stop, outside of the timed part")]
    scope: Annotated[str | None, Col("mode", help="`user`, `user+kernel`; null of simulated ones")]
    origin: Annotated[str, Col("origin", help="`perf_event` or `simulated`")]
    origin_by: Annotated[str | None, Col("counted by", help="the simulated machine")]
    reason: Annotated[str | None, Col("why not", help="why there is no value; null where there is one")]


class Counters:
    """One row for each performance event and each metric of a group, in runs with [`counters=`](../how-to/counters.md);
    an entry without a value appears only at the first point, for each reason. Groups of a simulated machine share
    their rows.
    """

    name: ClassVar[str] = "counters"
    title: ClassVar[str] = "Performance events in the timed blocks"
    topics: ClassVar[tuple[str, ...]] = ()  # what they explain states its own
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
    }

    def rows(self, run: Run) -> list[Flat]:
        metrics = metrics_for(run.result.machine.identity.family)
        every = (row for record in run.result.records for one in record.counted for row in _rows(record, one, metrics))
        return list(_once(every))

    def insights(self, run: Run, rows: list[Flat]) -> list[Insight]:
        blocks = [one for record in run.result.records for one in record.counted]
        return sentences(rows, blocks)


def _once(rows: Iterator[Flat]) -> Iterator[Flat]:
    told: set[tuple[Label, ...]] = set()
    for row in rows:
        said = (row["counter"], row["origin"], row["reason"])
        if row["value"] is not None or said not in told:
            yield row
        if row["value"] is None:
            told.add(said)


def _rows(record: Record, counted: Counted, metrics: Metrics) -> Iterator[Flat]:
    chosen = [record.groups[number] for number in _numbers(record, counted)]
    head = _head(record, counted, chosen)
    if counted.reason:
        yield {**head, **_tail(counted), "kind": "event", "counter": ALL, "reason": counted.reason}
        return
    known: dict[str, EventCount] = {}
    for event in counted.events:
        name = metrics.called(event.event)
        known[name] = event
        yield {**head, **_event(counted, event, name)}
    for metric in metrics.metrics:
        yield {**head, **_metric(counted, metric, {name.replace("-", "_"): event for name, event in known.items()})}


def _head(record: Record, counted: Counted, groups: Sequence[GroupFacts]) -> Flat:
    return {
        "experiment": record.number,
        "group": counted.group,
        "take": counted.take,
        "kernel": "+".join(dict.fromkeys(one.kernel for one in groups)),
        "task": _task(record, counted),
        "target": "+".join(dict.fromkeys(one.target for one in groups)),
        "threads": sum(len(one.cpus) for one in groups),
        "footprint_bytes": sum(one.footprint_bytes for one in groups),
    }


def _numbers(record: Record, counted: Counted) -> Sequence[int]:
    """Of the groups that were counted together."""
    if counted.group is not None:
        return (counted.group,)
    return range(len(record.groups)) if counted.take is None else takes_of(record.experiment)[counted.take]


def _task(record: Record, counted: Counted) -> str | None:
    """Of groups on structures: 'get of 50000 keys'."""
    works = [record.experiment.groups[number].workload for number in _numbers(record, counted)]
    return "+".join(dict.fromkeys(f"{one.operation} of {one.count} keys" for one in works if one.count)) or None


def _tail(counted: Counted) -> Flat:
    """Every key, in order; what an event or a metric knows replaces it."""
    return {
        "kind": None, "counter": None, "value": None, "per_operation": None, "unit": None, "multiplexed_share": None,
        "empty_per_block": None, "operations": counted.operations or None, "blocks": counted.blocks or None,
        "pair_s": counted.pair_s or None, "scope": None, "origin": counted.origin, "origin_by": counted.by or None,
        "reason": None,
    }  # fmt: skip


def _event(counted: Counted, event: EventCount, name: str) -> Flat:
    row: Flat = {**_tail(counted), "kind": "event", "counter": name, "scope": event.scope or None}
    if not event.counted:
        never = NO_TURN if event.enabled_ns else NO_BLOCK
        return {**row, "reason": event.reason or never}
    factor = 1e-9 if event.event in NANOSECONDS else 1.0
    value = event.estimate * factor
    empty = event.empty * factor / counted.empty_blocks if counted.empty_blocks else None
    return {
        **row,
        "value": value,
        "per_operation": value / counted.operations if counted.operations else None,
        "unit": "s" if event.event in NANOSECONDS else "1",
        "multiplexed_share": 1 - event.running_share,
        "empty_per_block": empty,
    }


def _metric(counted: Counted, metric: Metric, known: dict[str, EventCount]) -> Flat:
    """known: events by their names in formulas."""
    row: Flat = {**_tail(counted), "kind": "metric", "counter": metric.name, "unit": metric.unit}
    needed = sorted(metric.formula.names - GIVEN)
    events = [known[name] for name in needed if name in known and known[name].counted]
    lacking = [name for name in needed if name not in known or not known[name].counted]
    if lacking:
        return {**row, "reason": f"not counted: {', '.join(lacking)}"}
    counts = {name: event.estimate for name, event in known.items() if event.counted}
    given = {"operations": float(counted.operations), "seconds": counted.seconds, "line": float(LINE_BYTES)}
    if len(scopes := {event.scope for event in events}) > 1:
        return {**row, "reason": mixed(events)}
    value = metric.formula.value({**counts, **given})
    if value is None:
        return {**row, "reason": "it divides by a count of 0"}
    share = max((1 - event.running_share for event in events), default=0.0)
    return {**row, "value": value, "multiplexed_share": share, "scope": next(iter(scopes), None) or None}


tables.add(Counters())
