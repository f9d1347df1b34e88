"""Latency of one chaser while others load the same tier: one bandwidth-latency curve per mix.

    bandwidth = program bytes/s of the load group; 0 where the chaser is alone
    latency   = 1 / median rate of the chaser's dependent accesses     [s]

`bus_bytes_per_s` is what both groups move over the bus, `chaser_bytes_per_s` the chaser's part: a line per access.
Load is lowered by an injected delay or by fewer threads; `read_share` is that of the load's program bytes.
Blind to single slow accesses: a block's mean hides them.
"""

from typing import ClassVar

import numpy as np

from tierscope.record.experiment import real
from tierscope.record.result import GroupFacts, Record, Run
from tierscope.stats.knee import knee
from tierscope.stats.median import Interval
from tierscope.tables import Audited, Column, Flat, Insight, Main, Number, tables
from tierscope.tables.measured import (
    CLOSING,
    bounds,
    closing_flat,
    interval_of,
    left_out,
    measured,
    number,
    records,
    sure_flat,
)
from tierscope.units import show_rate, show_seconds


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
    columns: ClassVar[tuple[Column, ...]] = (
        Column(
            "read_share", "reads", "1", help="share of the load's program bytes that are read; null: the chaser alone"
        ),
        Column(
            "store", "stores", "", help="how the load stores: `plain`, `nt`; `none`: it does not, or there is no load"
        ),
        Column(
            "delay_cycles",
            "delay, cycles",
            "1",
            help="core cycles of delay after each burst of the load; null: the chaser alone",
        ),
        Column("load_threads", "load threads", "1", help="threads of the load; 0: the chaser alone"),
        Column("bandwidth_bytes_per_s", "bandwidth", "B/s", help="median program bytes of the load; 0 without load"),
        Column("bandwidth_low", "low", "B/s"),
        Column("bandwidth_high", "high", "B/s"),
        Column("latency_s", "latency", "s", help="median time of one access of the chaser"),
        Column("latency_low", "low", "s"),
        Column("latency_high", "high", "s"),
        Column("kernel", "kernel", "", help="of the load; null without"),
        Column("target", "target", "", tier=True, help="as `node:0`"),
        Column("chaser_bytes_per_s", "chaser", "B/s", help="what the chaser itself moves, 8 bytes for each access"),
        Column("bus_bytes_per_s", "on the bus", "B/s", help="both on the bus; null if only a counter could measure it"),
        *CLOSING,
    )
    says: ClassVar[dict[str, str]] = {
        "idle_latency": "latency without load",
        "saturation MIX": "latency at the most bandwidth that the mix reached",
        "knee MIX": "bandwidth at the knee",
    }

    def rows(self, run: Run) -> list[Flat]:
        return [_row(run, record) for record in records(run, self.name)]

    def insights(self, run: Run, rows: list[Flat]) -> list[Insight]:
        del run
        found = []
        for target in dict.fromkeys(str(row["target"]) for row in rows):
            here = [row for row in rows if row["target"] == target]
            idle = [row for row in here if row["load_threads"] == 0 and sure_flat(row, "latency", "s")]
            found += _idle(idle[:1])
            mixes: dict[tuple[object, object], list[Flat]] = {}
            for row in here:
                if row["load_threads"] != 0:
                    mixes.setdefault((row["read_share"], row["store"]), []).append(row)
            for every in mixes.values():
                curve = [
                    row
                    for row in every
                    if sure_flat(row, "latency", "s") and sure_flat(row, "bandwidth", "bytes_per_s")
                ]
                if curve:
                    found += _saturation(curve, idle[:1], len(every)) + _knee(idle[:1] + curve)
        return found


def _row(run: Run, record: Record) -> Flat:
    point, labels = measured(run, record), record.experiment.labels
    roles = [group.role for group in record.experiment.groups]
    chaser = roles.index("chaser") if "chaser" in roles else 0
    load = next((i for i in range(len(roles)) if i != chaser), None)
    rates = [summary.interval for summary in point.groups]
    nothing = Interval(0.0, 0.0, 0.0, point.groups[chaser].interval.count)
    facts = record.groups[chaser if load is None else load]
    bandwidth = nothing if load is None else rates[load].times(facts.program_bytes_per_operation)
    return {
        "read_share": labels.get("read_share"),
        "store": labels.get("store", facts.store),
        "delay_cycles": labels.get("delay_cycles", 0),
        "load_threads": 0 if load is None else len(facts.cpus),
        **bounds("bandwidth", "bytes_per_s", bandwidth),
        **bounds("latency", "s", rates[chaser].inverse()),
        "kernel": None if load is None else facts.kernel,
        "target": facts.target,
        "chaser_bytes_per_s": _on_bus((record.groups[chaser],), rates[chaser : chaser + 1]),
        "bus_bytes_per_s": _on_bus(record.groups, rates),
        **closing_flat(record, point),
    }


def _on_bus(groups: tuple[GroupFacts, ...], rates: list[Interval]) -> float | None:
    total = 0.0
    for facts, rate in zip(groups, rates, strict=True):
        if facts.bus_bytes_per_operation is None:
            return None
        total += rate.middle * facts.bus_bytes_per_operation
    return number(total)


def _idle(rows: list[Flat]) -> list[Insight]:
    return [
        Insight(
            name="idle_latency",
            text=f"Idle latency: {show_seconds(time.middle)}",
            value=time.middle,
            low=time.low,
            high=time.high,
            unit="s",
        )
        for time in _latencies(rows)
    ]


def _saturation(curve: list[Flat], idle: list[Flat], total: int) -> list[Insight]:
    """The conclusive row of the most bandwidth of one mix; total: its rows with the others."""
    most = max(curve, key=_bandwidth)
    time, mix = _latencies([most])[0], _mix(most)
    alone = next(iter(_latencies(idle)), None)
    times = f" ({time.middle / alone.middle:.1f}x idle)" if alone else ""
    rest = left_out(len(curve), total, "loads")
    return [
        Insight(
            name=f"saturation {mix}",
            text=f"{mix}: {show_seconds(time.middle)} at the highest bandwidth, {show_rate(_bandwidth(most))}"
            f"{times}{rest}",
            value=time.middle,
            low=time.low,
            high=time.high,
            unit="s",
            others=(Number(value=time.middle / alone.middle),) if alone else (),
        )
    ]


def _knee(curve: list[Flat]) -> list[Insight]:
    """The knee of one mix, the idle point being the first of every curve; low and high are the neighbours' load."""
    bandwidth = np.array([_bandwidth(row) for row in curve])
    found = knee(bandwidth, np.array([time.middle for time in _latencies(curve)]))
    if found is None:
        return []
    steps = np.unique(bandwidth)
    place, mix = int(np.searchsorted(steps, found.bandwidth_bytes_per_s)), _mix(curve[-1])
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


def _mix(row: Flat) -> str:
    share, store = row["read_share"], row["store"]
    reads = f"{share * 100:.0f} % reads" if isinstance(share, float | int) else "unknown mix"
    return reads if store in ("none", None) else f"{reads}, {store} stores"


def _bandwidth(row: Flat) -> float:
    return real(row["bandwidth_bytes_per_s"]) or 0.0


def _latencies(rows: list[Flat]) -> list[Interval]:
    return [time for row in rows if (time := interval_of(row, "latency", "s")) is not None]


tables.add(LoadedLatency())
