"""Latency of one chaser while others load the same tier: one bandwidth-latency curve per mix.

    bandwidth = program bytes/s of the load group; 0 where the chaser is alone
    latency   = 1 / median rate of the chaser's dependent accesses     [s]

`bus_bytes_per_s` is what both groups move over the bus, `chaser_bytes_per_s` the chaser's part: a line per access.
Load is lowered by an injected delay or by fewer threads; `read_share` is that of the load's program bytes.
Blind to single slow accesses: a block's mean hides them.
"""

from collections.abc import Iterator
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from tierscope.record.experiment import real, whole
from tierscope.record.result import GroupFacts, Record, Run
from tierscope.stats.knee import knee
from tierscope.stats.median import Interval
from tierscope.tables import Audited, Insight, JudgedRow, Main, Number, tables
from tierscope.tables.measured import closing, left_out, measured, records, sure
from tierscope.tables.rows import Bandwidth, BytesPerS, Col, Count, Ratio, Time
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
        return [_row(run, record) for record in records(run, self.name)]

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
    point, labels = measured(run, record), record.experiment.labels
    roles = [group.role for group in record.experiment.groups]
    chaser = roles.index("chaser") if "chaser" in roles else 0
    load = next((i for i in range(len(roles)) if i != chaser), None)
    rates = [summary.interval for summary in point.groups]
    nothing = Interval(0.0, 0.0, 0.0, point.groups[chaser].interval.count)
    facts = record.groups[chaser if load is None else load]
    return LoadedLatencyRow(
        read_share=real(labels.get("read_share")),
        store=str(labels.get("store", facts.store)),
        delay_cycles=whole(labels.get("delay_cycles", 0)),
        load_threads=0 if load is None else len(facts.cpus),
        bandwidth=nothing if load is None else rates[load].times(facts.program_bytes_per_operation),
        latency=rates[chaser].inverse(),
        kernel=None if load is None else facts.kernel,
        target=facts.target,
        chaser_bytes_per_s=_on_bus((record.groups[chaser],), rates[chaser : chaser + 1]),
        bus_bytes_per_s=_on_bus(record.groups, rates),
        **closing(record, point),
    )


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
    times = f" ({time.middle / idle.middle:.1f}x idle)" if idle else ""
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
            others=(Number(value=time.middle / idle.middle),) if idle else (),
        )
    ]


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
