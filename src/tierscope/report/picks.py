"""The rows that a headline rests on; picked, not computed."""

from typing import NamedTuple

from tierscope.report.content import Content
from tierscope.stats.median import Interval
from tierscope.suites.latency.row import LatencyRow
from tierscope.suites.loaded_latency.row import LoadedLatencyRow
from tierscope.suites.stream.table import StreamRow
from tierscope.tables import Flat
from tierscope.tables.measured import sure, sure_rows


class Speed(NamedTuple):
    """A kernel with a number of threads, and its bandwidth."""

    row: StreamRow
    bandwidth: Interval


class Wait(NamedTuple):
    """A footprint, and the time of an access to it."""

    row: LatencyRow
    latency: Interval


class Load(NamedTuple):
    """A load, its bandwidth, and the time of an access under it."""

    row: LoadedLatencyRow
    bandwidth: Interval
    latency: Interval


def fastest(content: Content) -> Speed | None:
    known: list[StreamRow] = content.sure_rows("stream")
    speeds = [Speed(*pair) for pair in sure_rows(known, lambda row: row.bandwidth)]
    return max(speeds, key=lambda speed: speed.bandwidth.middle, default=None)


def passed_over(content: Content) -> StreamRow | None:
    """Return the fastest of all, where it is inconclusive and another one is the headline."""
    chosen = fastest(content)
    rows: list[StreamRow] = content.typed("stream")
    speeds = [Speed(row, row.bandwidth) for row in rows if row.bandwidth and row.bandwidth.middle]
    best = max(speeds, key=lambda speed: speed.bandwidth.middle, default=None)
    return best.row if best and chosen and best.row is not chosen.row else None


def most_loaded(content: Content, target: str) -> Load | None:
    """Return the conclusive row of the most bandwidth under load, of one target."""
    known: list[LoadedLatencyRow] = content.sure_rows("loaded_latency")
    rows = [row for row in known if row.target == target]
    loads = [
        Load(row, bandwidth, latency)
        for row, bandwidth in sure_rows(rows, lambda row: row.bandwidth)
        if row.load_threads and (latency := sure(row, row.latency))
    ]
    return max(loads, key=lambda load: load.bandwidth.middle, default=None)


def judged(content: Content) -> list[Flat]:
    return [row for section in content.sections.values() for row in section.judged]


def reaches_memory(content: Content) -> bool:
    """Return whether the staircase ends on memory's plateau, so that the largest footprint may be called memory."""
    return any(insight.name == "memory" and insight.value is not None for insight in content.conclusions)
