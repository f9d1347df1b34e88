"""Operations on structures in a terminal."""

from tierscope.draw import cells
from tierscope.draw.forms import forms, of_rows, with_interval
from tierscope.draw.grid import Grid
from tierscope.suites.maps.points import chart, varying, words
from tierscope.suites.maps.row import MapsRow
from tierscope.units import show_seconds

HEADS = [("M ops/s", True), ("p50", True), ("p99", True), ("p99.9", True), ("rehash", True), ("fill", True)]
LINES = [("lines read", True), ("written", True), ("flushed", True), ("fences", True), ("flushed/written", True)]


def grids(rows: list[MapsRow]) -> list[Grid]:
    """Return the times of each operation, and the lines that it touches where accesses were recorded."""
    parts, head = _parts(rows)
    timed = [
        (f"{name} (95 % interval)", [(head, False), *HEADS], [[word, *_line(row)] for word, row in part])
        for name, part in parts.items()
    ]
    return timed + _counted(parts, head) + _delayed(parts, head)


def _parts(rows: list[MapsRow]) -> tuple[dict[str, list[tuple[str, MapsRow]]], str]:
    """Return tables by title, each a list of (first cell, row); and the head of the first cells.

    A sweep of one structure has a line for each point, else each point has a table with a line for each structure.
    """
    names = varying(rows)
    parts: dict[str, list[tuple[str, MapsRow]]] = {}
    if len({row.structure for row in rows}) > 1 or not names:
        for row in rows:
            parts.setdefault(chart(row, names), []).append((row.structure, row))
        return parts, "structure"
    for operation in dict.fromkeys(row.operation for row in rows):
        part = [row for row in rows if row.operation == operation]
        inside = varying(part) or names[:1]
        title = ", ".join([part[0].structure, chart(part[0], [name for name in names if name not in inside])])
        parts[title] = [(", ".join(words(row, inside)), row) for row in part]
    return parts, "point"


def _counted(parts: dict[str, list[tuple[str, MapsRow]]], head: str) -> list[Grid]:
    """Return the lines of one operation on average, where accesses were recorded."""
    found = []
    for name, part in parts.items():
        lines = [[word, *_lines(row)] for word, row in part if row.lines_read is not None]
        if lines:
            found.append((f"{name}: lines of one operation", [(head, False), *LINES], lines))
    return found


def _delayed(parts: dict[str, list[tuple[str, MapsRow]]], head: str) -> list[Grid]:
    """Return the loads of one operation that an emulated floor delayed, with its time."""
    found = []
    for name, part in parts.items():
        lines = [
            [word, f"{row.delayed_loads:.2f}", _time(row.latency.middle if row.latency else None)]
            for word, row in part
            if row.delayed_loads is not None
        ]
        if lines:
            heads = [(head, False), ("delayed loads", True), ("latency", True)]
            found.append((f"{name}: loads of one operation under the emulated floor", heads, lines))
    return found


def _lines(row: MapsRow) -> list[str]:
    counts = (row.lines_read, row.lines_written, row.lines_flushed, row.fences, row.flushed_per_written)
    return [cells.NOTHING if count is None else f"{count:.2f}" for count in counts]


def _line(row: MapsRow) -> list[str]:
    rate = with_interval(row, row.ops, lambda value: f"{value / 1e6:.3g}")
    percentiles = (row.latency_p50, row.latency_p99, row.latency_p999)
    times = [_time(one.middle if one else None) for one in percentiles]
    return [rate, *times, _share(row), _time(row.init_s)]


def _time(seconds: float | None) -> str:
    return show_seconds(seconds) if seconds else cells.NOTHING


def _share(row: MapsRow) -> str:
    """Return the rehashes' share of the time of the same rounds."""
    share = row.rehash_share
    return f"{100 * share.middle:.1f} %" if share and share.middle else cells.NOTHING


forms.add(of_rows("maps", grids))
