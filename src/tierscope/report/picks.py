"""The rows that a headline rests on; picked, not computed."""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from tierscope.report.content import Content
from tierscope.stats.median import Interval
from tierscope.suites.latency.row import LatencyRow
from tierscope.suites.loaded_latency.row import LoadedLatencyRow
from tierscope.suites.stream.table import StreamRow
from tierscope.tables import Flat, JudgedRow
from tierscope.tables.measured import sure, sure_rows

R = TypeVar("R", bound=JudgedRow)


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
    """Return the conclusive row of the most bandwidth under load, of one target; see `best`."""
    known: list[LoadedLatencyRow] = content.typed("loaded_latency")
    rows = [row for row in known if row.target == target and row.load_threads]
    found = best(content, "loaded_latency", rows, lambda row: row.bandwidth)
    latency = sure(found[0], found[0].latency) if found else None
    return Load(*found, latency) if found and latency else None


def best(
    content: Content, table: str, rows: Iterable[R], of: Callable[[R], Interval | None]
) -> tuple[R, Interval] | None:
    """Return the conclusive one of these rows of a table with the highest number; None where it may not be the best.

    It may not where most of the table is inconclusive, and one of these rows that is inconclusive has a higher number.
    """
    section, every = content.sections.get(table), list(rows)
    known = sure_rows(every, of)
    measured = known if section and section.sure else [(row, found) for row in every if (found := of(row))]
    first, _ = max(measured, key=lambda pair: pair[1].middle, default=(None, None))
    return next((pair for pair in known if pair[0] is first), None)


def judged(content: Content) -> list[Flat]:
    return [row for section in content.sections.values() for row in section.judged]


def reaches_memory(content: Content) -> bool:
    """Return whether the staircase ends on memory's plateau, so that the largest footprint may be called memory."""
    return any(insight.name == "memory" and insight.value is not None for insight in content.conclusions)
