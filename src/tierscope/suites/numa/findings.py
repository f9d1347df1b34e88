"""Sentences from the rows of the table `numa`: remote nodes, nodes with memory alone, errors of the firmware."""

from collections.abc import Callable
from statistics import median
from typing import NamedTuple

from tierscope.stats.compare import compare
from tierscope.stats.median import Interval
from tierscope.suites.numa.row import NumaRow
from tierscope.tables import Insight, Number
from tierscope.tables.measured import left_out, ratio_word, sure, sure_rows
from tierscope.units import show_rate, show_seconds

APART = 1.25  # measured over reported, either way: tables of the firmware are rounded, and made for one model of many


class Measure(NamedTuple):
    """Latency or bandwidth: what a row knows of it, and how it is shown."""

    name: str
    of: Callable[[NumaRow], Interval | None]
    ratio: Callable[[NumaRow], float | None]
    reported: Callable[[NumaRow], float | None]
    show: Callable[[float], str]


LATENCY = Measure(
    "latency",
    lambda row: row.latency,
    lambda row: row.latency_ratio,
    lambda row: row.reported_latency_s,
    show_seconds,
)
BANDWIDTH = Measure(
    "bandwidth",
    lambda row: row.bandwidth,
    lambda row: row.bandwidth_ratio,
    lambda row: row.reported_bandwidth_bytes_per_s,
    show_rate,
)
LOADED = Measure("latency under load", lambda row: row.loaded_latency, lambda _: None, lambda _: None, show_seconds)


def said(rows: list[NumaRow]) -> list[Insight]:
    """Return own memory, remote nodes, nodes without CPUs, disagreement with the firmware, pages on other nodes.

    If there are several kernels, the sentences are about the first; the matrices show all.
    """
    rows = [row for row in rows if row.kernel == rows[0].kernel]
    return [
        *_own(rows),
        *_farthest(rows, LATENCY),
        *_farthest(rows, BANDWIDTH),
        *_memory_only(rows),
        *_reported(rows),
        *_elsewhere(rows),
    ]


def local(rows: list[NumaRow], row: NumaRow, what: Measure) -> NumaRow | None:
    """Return the row that is the base of this row's ratio."""
    return next((one for one in rows if one.initiator == row.initiator and what.ratio(one) == 1.0), None)


def _sure(row: NumaRow | None, what: Measure) -> Interval | None:
    return sure(row, what.of(row)) if row else None


def _own(rows: list[NumaRow]) -> list[Insight]:
    """Return what nodes reach of their own memory, with the range over them, or the interval of the only one."""
    every = [row for row in rows if row.initiator == row.target]
    own = sure_rows(every, LATENCY.of)
    if not own:
        return []
    waits = sorted(interval.middle for _, interval in own)
    speeds = sorted(interval.middle for _, interval in sure_rows(every, BANDWIDTH.of))
    first, interval = own[0]
    low, high = (interval.low, interval.high) if len(own) == 1 else (waits[0], waits[-1])
    which = f"node {first.initiator}" if len(own) == 1 else f"{len(own)} nodes"
    return [
        Insight(
            name="local",
            text=f"Local memory of {which}: {_span(waits, LATENCY)}"
            + (f", {_span(speeds, BANDWIDTH)}" if speeds else "")
            + left_out(len(own), len(every), "nodes"),
            value=median(waits),
            low=low,
            high=high,
            unit="s",
        )
    ]


def _span(values: list[float], what: Measure) -> str:
    """Return the value, or the lowest and the highest."""
    ends = [what.show(value) for value in (values[0], values[-1])]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def _farthest(rows: list[NumaRow], what: Measure) -> list[Insight]:
    """Return the remote node with CPUs that costs most, against local memory of the same initiator; both conclusive."""
    remote = [row for row in rows if row.cpus and row.initiator != row.target]
    known = []
    for row, interval in sure_rows(remote, what.of):
        base = local(rows, row, what)
        beside = _sure(base, what)
        if base is not None and beside is not None:
            known.append((compare(beside, interval), row, base, interval, beside))
    if not known:
        return []
    known.sort(key=lambda one: one[0].middle, reverse=what == LATENCY)
    ratio, row, base, interval, beside = known[0]
    low, middle, high = map(ratio_word, (ratio.low, ratio.middle, ratio.high))
    ends = sorted(one[0].middle for one in known)
    cells = f"{len(known)} remote cells, {ratio_word(ends[0])}x to {ratio_word(ends[-1])}x"
    span = f"; {cells}" if len(known) > 1 else ""
    slit, firmware = _slit(row, base, what)
    return [
        Insight.of(
            ratio,
            name=f"remote {what.name}",
            text=f"{what.name.capitalize()} from node {row.initiator} to node {row.target}: {middle}x that to "
            f"{_place(row, base)} ({low} to {high}), {what.show(interval.middle)} compared with "
            f"{what.show(beside.middle)}"
            f"{slit}{span}{left_out(len(known), len(remote), 'remote cells')}",
            unit="1",
            others=(*(Number(value=end) for end in ends), *firmware),
        )
    ]


def _place(row: NumaRow, base: NumaRow) -> str:
    return "its own memory" if base.target == row.initiator else f"its nearest, node {base.target}"


def _slit(row: NumaRow, base: NumaRow, what: Measure) -> tuple[str, tuple[Number, ...]]:
    """Return the firmware's ratio of distances, which should be that of latencies."""
    far, near = row.distance, base.distance
    if what != LATENCY or far is None or not near:
        return "", ()
    return f" (the firmware's distances: {far / near:.2f})", (Number(value=far / near),)


def _memory_only(rows: list[NumaRow]) -> list[Insight]:
    """Return each node without CPUs, from the initiator that is shown to reach it soonest."""
    found = []
    for target in dict.fromkeys(row.target for row in rows if row.cpus == 0):
        mine = sure_rows((row for row in rows if row.target == target), LATENCY.of)
        if mine:
            found += _alone(rows, *min(mine, key=lambda pair: pair[1].middle))
    return found


def _alone(rows: list[NumaRow], row: NumaRow, wait: Interval) -> list[Insight]:
    speed = _sure(row, BANDWIDTH)
    base = local(rows, row, LATENCY)
    beside = _sure(base, LATENCY)
    text = f"Node {row.target} is memory without CPUs: {show_seconds(wait.middle)} from node {row.initiator}"
    text += f", {show_rate(speed.middle)}" if speed else ""
    ratio, others = None, []
    if base is not None and beside is not None and base is not row:
        ratio, near = compare(beside, wait), _sure(base, BANDWIDTH)
        low, middle, high = map(ratio_word, (ratio.low, ratio.middle, ratio.high))
        text += f"; {middle}x the latency of node {base.target} ({low} to {high})"
        if speed and near:
            others.append(Number(value=speed.middle / near.middle))
            text += f" and {ratio_word(speed.middle / near.middle)}x its bandwidth"
    return [
        Insight(
            name=f"memory_only {row.target}",
            text=text,
            value=ratio.middle if ratio else None,
            low=ratio.low if ratio else None,
            high=ratio.high if ratio else None,
            unit="1",
            others=tuple(others),
        )
    ]


def _reported(rows: list[NumaRow]) -> list[Insight]:
    """Return where the measured value and the firmware's differ by more than APART."""
    found = []
    for row in rows:
        for what in (LATENCY, BANDWIDTH):
            told, interval = what.reported(row), _sure(row, what)
            if told is not None and told > 0 and interval and not 1 / APART <= interval.middle / told <= APART:
                found.append(
                    Insight(
                        name=f"reported {what.name} {row.initiator} {row.target}",
                        text=f"The firmware reports {what.show(told)} from node {row.initiator} to node "
                        f"{row.target}; measured: {what.show(interval.middle)}, "
                        f"{ratio_word(interval.middle / told)}x the reported value",
                        value=interval.middle / told,
                        low=interval.low / told,
                        high=interval.high / told,
                        unit="1",
                    )
                )
    return found


def _elsewhere(rows: list[NumaRow]) -> list[Insight]:
    """Return cells with pages that are not all on their target: they measure something else."""
    strayed = [(share, row) for row in rows if (share := row.on_target_share) is not None and share < 1]
    if not strayed:
        return []
    share, row = min(strayed, key=lambda pair: pair[0])
    return [
        Insight(
            name="placement",
            text=f"{len(strayed)} of {len(rows)} cells had pages on nodes other than their target; the worst, from "
            f"node {row.initiator} to node {row.target}, had {100 * share:.0f} % on it",
            value=share,
            unit="1",
            kind="share",
            conclusive=row.conclusive,
            others=(Number(value=float(len(strayed)), whole=float(len(rows))),),
        )
    ]
