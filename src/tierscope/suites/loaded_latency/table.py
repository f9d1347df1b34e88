"""Latency of one chaser while others load the same tier: one bandwidth-latency curve per mix.

    bandwidth = program bytes/s of the load group; 0 where the chaser is alone
    latency   = 1 / median rate of the chaser's dependent accesses     [s]
    idle      = the same of the chaser alone, in batches that alternate with those of the load
    over_idle = latency / idle of the same round: Hodges-Lehmann over the rounds (`stats.contrast`)

A machine that drifts moves `latency` and `idle` alike, and does not move `over_idle`. A load does not make an access
faster, so a row with such a result is inconclusive. Its own rounds may show it. Or the row of the chaser alone,
measured at another time, is above it; then the row of the chaser alone becomes inconclusive.
`bus_bytes_per_s` is what both groups move over the bus, `chaser_bytes_per_s` the chaser's part: a line per access. An
injected delay or fewer threads lower the load; `read_share` is that of the load's program bytes.
Blind to single slow accesses: a block's mean hides them.
"""

from collections.abc import Iterator
from typing import ClassVar, NamedTuple, TypedDict

import msgspec
import numpy as np

from tierscope.plans.loaded import LoadLabels
from tierscope.record.experiment import Group
from tierscope.record.machine import Machine
from tierscope.record.result import GroupFacts, Record, Run
from tierscope.record.work.block import BlockWork
from tierscope.record.work.hop import HopWork
from tierscope.stats.contrast import CHASER, Contrast
from tierscope.stats.knee import knee
from tierscope.stats.median import Interval
from tierscope.suites.loaded_latency.family import said, with_model
from tierscope.suites.loaded_latency.row import LoadedLatencyRow, apart_names
from tierscope.tables import Audited, Insight, Main, Number, OverTime, tables
from tierscope.tables.in_cache import asked_in_cache
from tierscope.tables.measured import closing, judged, left_out, records, sure
from tierscope.units import LINE_BYTES, show_rate, show_seconds


class LoadedLatency:
    """One row for each mix, delay and number of load threads.

    In the first one the chaser is alone.
    """

    name: ClassVar[str] = "loaded_latency"
    title: ClassVar[str] = "Loaded latency"
    place: ClassVar[int] = 30
    over_time: ClassVar[OverTime] = OverTime.FEW
    audited: ClassVar[Audited] = Audited(memory=True)
    keys: ClassVar[tuple[str, ...]] = (
        "read_share", "store", "delay_cycles", "load_threads", "target", "stride_bytes", "order", "load_stride_bytes",
        "load_order", "chaser_node", "load_target", "load_nodes",
    )  # fmt: skip
    main: ClassVar[tuple[Main, ...]] = (Main("latency_s", less_is_better=True),)
    row: ClassVar[type[LoadedLatencyRow]] = LoadedLatencyRow
    says: ClassVar[dict[str, str]] = {
        "idle_latency": "latency without load",
        "saturation MIX": "latency at the most bandwidth that the mix reached",
        "knee MIX": "bandwidth at the knee",
        "model PLACE, STORES": "mean of the absolute relative errors of the model `loaded_family` at the loads that it "
        "was not given; null where it is not known",
    }

    def rows(self, run: Run) -> list[LoadedLatencyRow]:
        rows = [_row(run, record) for record in records(run, self.name)]
        return with_model([_beside(row, rows) for row in rows])

    def insights(self, run: Run, rows: list[LoadedLatencyRow]) -> list[Insight]:
        del run
        found = []
        names = apart_names(rows)
        for chaser in dict.fromkeys(row.chaser for row in rows):
            here = [row for row in rows if row.chaser == chaser]
            idle = next((time for row in here if row.load_threads == 0 and (time := sure(row, row.latency))), None)
            found += _idle(idle, chaser, several=len({row.chaser for row in rows}) > 1)
            curves: dict[tuple[object, ...], list[LoadedLatencyRow]] = {}
            for row in here:
                if row.load_threads != 0:
                    curves.setdefault((*row.curve, row.read_share, row.store), []).append(row)
            for every in curves.values():
                curve, name = list(_sure(every)), _mix(every[0], names[every[0].curve])
                if curve:
                    found += _saturation(curve, idle, len(every), name) + _knee(curve, idle, name)
        return [*found, *said(rows, names)]


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
    """Return the row of the last take, the chaser with the load; in runs of older versions it is the only take."""
    found, labels = judged(run, record), LoadLabels.read(record.experiment)
    point, contrast = found.points[-1], found.contrasts[-1] if found.contrasts else None
    roles = [group.role for group in record.experiment.groups]
    chaser = roles.index(CHASER) if CHASER in roles else 0
    load = next((i for i in range(len(roles)) if i != chaser), None)
    rates = [summary.interval for summary in point.groups]
    nothing = Interval(0.0, 0.0, 0.0, point.groups[chaser].interval.count)
    facts = record.groups[chaser if load is None else load]
    doubts = (*(_doubts(contrast) if contrast else ()), *asked_in_cache(run, record))
    reasons = tuple(dict.fromkeys((*point.reasons, *doubts)))
    return LoadedLatencyRow(
        read_share=labels.read_share,
        store=labels.store or facts.store,
        delay_cycles=labels.delay_cycles,
        load_threads=0 if load is None else len(facts.cpus),
        bandwidth=nothing if load is None else rates[load].times(facts.program_bytes_per_operation),
        latency=rates[chaser].inverse(),
        over_idle=contrast.ratio if contrast else None,
        idle=found.points[0].groups[0].interval.inverse() if contrast else None,
        **_steps(record.experiment.groups[chaser], None if load is None else record.experiment.groups[load]),
        kernel=None if load is None else facts.kernel,
        target=record.groups[chaser].target,
        chaser_node=_nodes(run.result.machine, record.groups[chaser])[0],
        load_target=None if load is None else facts.target,
        load_nodes=None if load is None else ",".join(map(str, _nodes(run.result.machine, facts))),
        chaser_bytes_per_s=_on_bus((record.groups[chaser],), rates[chaser : chaser + 1]),
        bus_bytes_per_s=_on_bus(record.groups, rates),
        **closing(record, point) | {"conclusive": not reasons, "reasons": reasons},
    )


class _Steps(TypedDict):
    stride_bytes: int
    order: str
    load_stride_bytes: int | None
    load_order: str | None


def _steps(chaser: Group, load: Group | None) -> _Steps:
    """Return how the accesses of both follow each other."""
    hops, blocks = chaser.workload.work, load.workload.work if load else None
    own = hops if isinstance(hops, HopWork) else HopWork()
    in_turn = own.order == "sequential" and own.locality_bytes == own.element_bytes
    wide = blocks if isinstance(blocks, BlockWork) else BlockWork(element_bytes=LINE_BYTES)
    return {
        "stride_bytes": own.element_bytes,
        "order": "sequential" if in_turn else "random",
        "load_stride_bytes": wide.element_bytes if load else None,
        "load_order": (wide.order or "sequential") if load else None,
    }


def _nodes(machine: Machine, facts: GroupFacts) -> list[int]:
    """Return the nodes of the CPUs of a group; 0 where the machine names none."""
    nodes = {cpu.number: cpu.node for cpu in machine.identity.cpus}
    return sorted({nodes.get(cpu, 0) for cpu in facts.cpus}) or [0]


def _doubts(contrast: Contrast) -> tuple[str, ...]:
    """Return the reasons for doubt about a comparison with the chaser alone."""
    if contrast.ratio.high >= 1 or not contrast.ratio.count:
        return contrast.reasons
    less = f"{contrast.ratio.middle:.3f}x idle, and no load makes an access faster"
    return (*contrast.reasons, f"{less}: something else changed with the load")


def _beside(row: LoadedLatencyRow, rows: list[LoadedLatencyRow]) -> LoadedLatencyRow:
    """Return a row of the chaser alone as inconclusive if loads that are compared with it are below it."""
    alone = sure(row, row.latency)
    if row.load_threads or alone is None:
        return row
    loads = [one for one in rows if one.chaser == row.chaser and one.over_idle]
    below = [time for one in loads if (time := sure(one, one.latency)) and time.high < alone.low]
    if not below:
        return row
    least = show_seconds(min(time.middle for time in below))
    reason = f"an access took {least} under a load at another time: the machine has changed between them"
    return msgspec.structs.replace(row, conclusive=False, reasons=(*row.reasons, reason))


def _on_bus(groups: tuple[GroupFacts, ...], rates: list[Interval]) -> float | None:
    total = 0.0
    for facts, rate in zip(groups, rates, strict=True):
        if facts.bus_bytes_per_operation is None:
            return None
        total += rate.middle * facts.bus_bytes_per_operation
    return total


def _idle(time: Interval | None, chaser: tuple[str, int, int, str], *, several: bool) -> list[Insight]:
    if time is None:
        return []
    target, node, stride, order = chaser
    which = f" of {target} from node {node}, {order}, {stride} B apart" if several else ""
    return [
        Insight.of(
            time,
            name=f"idle_latency{which}",
            text=f"Idle latency{which}: {show_seconds(time.middle)}",
            unit="s",
        )
    ]


def _saturation(curve: list[Load], idle: Interval | None, total: int, mix: str) -> list[Insight]:
    """Return the point of the most bandwidth of one mix; total: its points with the inconclusive ones."""
    most = max(curve, key=lambda load: load.bandwidth)
    time = most.latency
    times, ratio = _over_idle(most, idle)
    rest = left_out(len(curve), total, "loads")
    return [
        Insight.of(
            time,
            name=f"saturation {mix}",
            text=f"{mix}: {show_seconds(time.middle)} at the highest bandwidth, {show_rate(most.bandwidth)}"
            f"{times}{rest}",
            unit="s",
            others=ratio,
        )
    ]


def _over_idle(load: Load, idle: Interval | None) -> tuple[str, tuple[Number, ...]]:
    """Return ' (1.32x idle, 1.30 to 1.35)' and its numbers; without an interval where takes did not alternate."""
    if over := sure(load.row, load.row.over_idle):
        words = f" ({over.middle:.2f}x idle, {over.low:.2f} to {over.high:.2f})"
        return words, (Number.of(over),)
    if idle is None or load.row.over_idle:
        return "", ()
    return f" ({load.latency.middle / idle.middle:.1f}x idle)", (Number(value=load.latency.middle / idle.middle),)


def _knee(curve: list[Load], idle: Interval | None, mix: str) -> list[Insight]:
    """Return the knee of one mix; every curve begins with the idle point. low and high are the neighbours' load."""
    first = [(0.0, idle.middle)] if idle else []
    points = np.array([*first, *((load.bandwidth, load.latency.middle) for load in curve)])
    found = knee(points[:, 0], points[:, 1])
    if found is None:
        return []
    steps = np.unique(points[:, 0])
    place = int(np.searchsorted(steps, found.bandwidth_bytes_per_s))
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


def _mix(row: LoadedLatencyRow, which: str) -> str:
    """Return '75 % reads, nt stores', and what distinguishes the curve from others of the run."""
    reads = "unknown mix" if row.read_share is None else f"{row.read_share * 100:.0f} % reads"
    stores = "" if row.store == "none" else f", {row.store} stores"
    return f"{reads}{stores}{f', {which}' if which else ''}"


tables.add(LoadedLatency())
