"""Latency of one chaser while others load the same tier: one bandwidth-latency curve per mix.

    bandwidth = program bytes/s of the load group; 0 where the chaser is alone
    latency   = 1 / median rate of the chaser's dependent accesses     [s]
    idle      = the same of the chaser alone, in batches that alternate with those of the load
    over_idle = latency / idle of the same round: Hodges-Lehmann over the rounds (`stats.contrast`)

A machine that drifts moves `latency` and `idle` alike, and `over_idle` not at all. No load makes an access faster, so a
row that says so is inconclusive: by its own rounds, or because the row of the chaser alone, measured at another time,
lies above it, which then makes that one inconclusive.
`bus_bytes_per_s` is what both groups move over the bus, `chaser_bytes_per_s` the chaser's part: a line per access.
Load is lowered by an injected delay or by fewer threads; `read_share` is that of the load's program bytes.
Blind to single slow accesses: a block's mean hides them.
"""

from collections.abc import Iterator
from typing import Annotated, ClassVar, NamedTuple

import msgspec
import numpy as np

from tierscope.record.experiment import real, whole
from tierscope.record.result import GroupFacts, Record, Run
from tierscope.stats.contrast import CHASER, Contrast
from tierscope.stats.knee import knee
from tierscope.stats.median import Interval
from tierscope.tables import Audited, Insight, JudgedRow, Main, Number, tables
from tierscope.tables.measured import closing, judged, left_out, records, sure
from tierscope.tables.rows import Bandwidth, BytesPerS, Col, Count, Quotient, Ratio, Time
from tierscope.units import show_rate, show_seconds


class LoadedLatencyRow(JudgedRow, frozen=True, kw_only=True):
    """One row of `loaded_latency`."""

    read_share: Annotated[
        Ratio | None, Col("reads", help="share of the load's program bytes that are read; null: the chaser alone")
    ]
    store: Annotated[
        str, Col("stores", help="how the load stores: `plain`, `nt`; `none`: it does not, or there is no load")
    ]
    delay_cycles: Annotated[
        Count | None,
        Col("delay, cycles", help="core cycles of delay after each burst of the load; null: the chaser alone"),
    ]
    load_threads: Annotated[Count, Col("load threads", help="threads of the load; 0: the chaser alone")]
    bandwidth: Annotated[Bandwidth | None, Col("bandwidth", help="median program bytes of the load; 0 without load")]
    latency: Annotated[Time | None, Col("latency", help="median time of one access of the chaser")]
    over_idle: Annotated[
        Quotient | None,
        Col(
            "over idle",
            help="ratio of `latency` to `idle`, from batches that follow each other; null without load, and in runs of "
            "versions that did not alternate",
        ),
    ]
    idle: Annotated[
        Time | None,
        Col("idle beside it", help="median time of one access without load, in the batches between; null as above"),
    ]
    kernel: Annotated[str | None, Col("kernel", help="of the load; null without")]
    target: Annotated[str, Col("target", help="as `node:0`", tier=True)]
    chaser_bytes_per_s: Annotated[
        BytesPerS | None, Col("chaser", help="what the chaser itself moves, 8 bytes for each access")
    ]
    bus_bytes_per_s: Annotated[
        BytesPerS | None, Col("on the bus", help="both on the bus; null if only a counter could measure it")
    ]


class LoadedLatency:
    """One row for each mix, delay and number of load threads.

    In the first one the chaser is alone.
    """

    name: ClassVar[str] = "loaded_latency"
    title: ClassVar[str] = "Loaded latency"
    place: ClassVar[int] = 30
    audited: ClassVar[Audited] = Audited(memory=True)
    keys: ClassVar[tuple[str, ...]] = ("read_share", "store", "delay_cycles", "load_threads", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("latency_s", less_is_better=True),)
    row: ClassVar[type[LoadedLatencyRow]] = LoadedLatencyRow
    says: ClassVar[dict[str, str]] = {
        "idle_latency": "latency without load",
        "saturation MIX": "latency at the most bandwidth that the mix reached",
        "knee MIX": "bandwidth at the knee",
    }

    def rows(self, run: Run) -> list[LoadedLatencyRow]:
        rows = [_row(run, record) for record in records(run, self.name)]
        return [_beside(row, rows) for row in rows]

    def insights(self, run: Run, rows: list[LoadedLatencyRow]) -> list[Insight]:
        del run
        found = []
        for target in dict.fromkeys(row.target for row in rows):
            here = [row for row in rows if row.target == target]
            idle = next((time for row in here if row.load_threads == 0 and (time := sure(row, row.latency))), None)
            found += _idle(idle)
            mixes: dict[tuple[float | None, str], list[LoadedLatencyRow]] = {}
            for row in here:
                if row.load_threads != 0:
                    mixes.setdefault((row.read_share, row.store), []).append(row)
            for every in mixes.values():
                curve = list(_sure(every))
                if curve:
                    found += _saturation(curve, idle, len(every)) + _knee(curve, idle)
        return found


def loads(rows: list[LoadedLatencyRow]) -> Iterator[LoadedLatencyRow]:
    """Yield the rows with a load that have both numbers: the points of the curves."""
    for row in rows:
        if row.load_threads and row.latency and row.bandwidth and row.bandwidth.middle:
            yield row


class Load(NamedTuple):
    """A conclusive point of a curve."""

    row: LoadedLatencyRow
    bandwidth: float
    latency: Interval


def _sure(rows: list[LoadedLatencyRow]) -> Iterator[Load]:
    for row in rows:
        bandwidth, latency = sure(row, row.bandwidth), sure(row, row.latency)
        if bandwidth and latency:
            yield Load(row, bandwidth.middle, latency)


def _row(run: Run, record: Record) -> LoadedLatencyRow:
    """Of the last take: the chaser beside the load; in runs of older versions it is the only one."""
    found, labels = judged(run, record), record.experiment.labels
    point, contrast = found.points[-1], found.contrasts[-1] if found.contrasts else None
    roles = [group.role for group in record.experiment.groups]
    chaser = roles.index(CHASER) if CHASER in roles else 0
    load = next((i for i in range(len(roles)) if i != chaser), None)
    rates = [summary.interval for summary in point.groups]
    nothing = Interval(0.0, 0.0, 0.0, point.groups[chaser].interval.count)
    facts = record.groups[chaser if load is None else load]
    reasons = tuple(dict.fromkeys((*point.reasons, *(_doubts(contrast) if contrast else ()))))
    return LoadedLatencyRow(
        read_share=real(labels.get("read_share")),
        store=str(labels.get("store", facts.store)),
        delay_cycles=whole(labels.get("delay_cycles", 0)),
        load_threads=0 if load is None else len(facts.cpus),
        bandwidth=nothing if load is None else rates[load].times(facts.program_bytes_per_operation),
        latency=rates[chaser].inverse(),
        over_idle=contrast.ratio if contrast else None,
        idle=found.points[0].groups[0].interval.inverse() if contrast else None,
        kernel=None if load is None else facts.kernel,
        target=facts.target,
        chaser_bytes_per_s=_on_bus((record.groups[chaser],), rates[chaser : chaser + 1]),
        bus_bytes_per_s=_on_bus(record.groups, rates),
        **closing(record, point) | {"conclusive": not reasons, "reasons": reasons},
    )


def _doubts(contrast: Contrast) -> tuple[str, ...]:
    """Why a comparison with the chaser alone may not be believed."""
    if contrast.ratio.high >= 1 or not contrast.ratio.count:
        return contrast.reasons
    less = f"{contrast.ratio.middle:.3f}x idle, and no load makes an access faster"
    return (*contrast.reasons, f"{less}: clocks or neighbours change with the load")


def _beside(row: LoadedLatencyRow, rows: list[LoadedLatencyRow]) -> LoadedLatencyRow:
    """The chaser alone is inconclusive if loads that compare with it beside them are below it."""
    alone = sure(row, row.latency)
    if row.load_threads or alone is None:
        return row
    loads = [one for one in rows if one.target == row.target and one.over_idle]
    below = [time for one in loads if (time := sure(one, one.latency)) and time.high < alone.low]
    if not below:
        return row
    least = show_seconds(min(time.middle for time in below))
    reason = f"an access took {least} beside a load at another time: the machine has changed between them"
    return msgspec.structs.replace(row, conclusive=False, reasons=(*row.reasons, reason))


def _on_bus(groups: tuple[GroupFacts, ...], rates: list[Interval]) -> float | None:
    total = 0.0
    for facts, rate in zip(groups, rates, strict=True):
        if facts.bus_bytes_per_operation is None:
            return None
        total += rate.middle * facts.bus_bytes_per_operation
    return total


def _idle(time: Interval | None) -> list[Insight]:
    if time is None:
        return []
    return [
        Insight(
            name="idle_latency",
            text=f"Idle latency: {show_seconds(time.middle)}",
            value=time.middle,
            low=time.low,
            high=time.high,
            unit="s",
        )
    ]


def _saturation(curve: list[Load], idle: Interval | None, total: int) -> list[Insight]:
    """The point of the most bandwidth of one mix; total: its points with the inconclusive ones."""
    most = max(curve, key=lambda load: load.bandwidth)
    time, mix = most.latency, _mix(most.row)
    times, ratio = _over_idle(most, idle)
    rest = left_out(len(curve), total, "loads")
    return [
        Insight(
            name=f"saturation {mix}",
            text=f"{mix}: {show_seconds(time.middle)} at the highest bandwidth, {show_rate(most.bandwidth)}"
            f"{times}{rest}",
            value=time.middle,
            low=time.low,
            high=time.high,
            unit="s",
            others=ratio,
        )
    ]


def _over_idle(load: Load, idle: Interval | None) -> tuple[str, tuple[Number, ...]]:
    """Return ' (1.32x idle, 1.30 to 1.35)' and its numbers; without an interval where takes did not alternate."""
    if over := sure(load.row, load.row.over_idle):
        words = f" ({over.middle:.2f}x idle, {over.low:.2f} to {over.high:.2f})"
        return words, (Number(value=over.middle, low=over.low, high=over.high),)
    if idle is None or load.row.over_idle:
        return "", ()
    return f" ({load.latency.middle / idle.middle:.1f}x idle)", (Number(value=load.latency.middle / idle.middle),)


def _knee(curve: list[Load], idle: Interval | None) -> list[Insight]:
    """The knee of one mix, the idle point being the first of every curve; low and high are the neighbours' load."""
    first = [(0.0, idle.middle)] if idle else []
    points = np.array([*first, *((load.bandwidth, load.latency.middle) for load in curve)])
    found = knee(points[:, 0], points[:, 1])
    if found is None:
        return []
    steps = np.unique(points[:, 0])
    place, mix = int(np.searchsorted(steps, found.bandwidth_bytes_per_s)), _mix(curve[-1].row)
    return [
        Insight(
            name=f"knee {mix}",
            text=f"{mix}: knee at {show_rate(found.bandwidth_bytes_per_s)} and {show_seconds(found.latency_s)}; "
            f"beyond it, load adds more latency than bandwidth",
            value=found.bandwidth_bytes_per_s,
            low=float(steps[place - 1]),
            high=float(steps[place + 1]),
            unit="B/s",
        )
    ]


def _mix(row: LoadedLatencyRow) -> str:
    reads = "unknown mix" if row.read_share is None else f"{row.read_share * 100:.0f} % reads"
    return reads if row.store == "none" else f"{reads}, {row.store} stores"


tables.add(LoadedLatency())
