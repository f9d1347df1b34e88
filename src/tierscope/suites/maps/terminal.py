"""Operations on structures in a terminal."""

from tierscope.draw import cells
from tierscope.draw.forms import flat_with_interval, forms, of_rows
from tierscope.draw.grid import Grid
from tierscope.record.experiment import real
from tierscope.suites.maps.points import chart, varying, words
from tierscope.tables import Flat
from tierscope.units import show_seconds

HEADS = [("M ops/s", True), ("p50", True), ("p99", True), ("p99.9", True), ("rehash", True), ("fill", True)]
LINES = [("lines read", True), ("written", True), ("flushed", True), ("fences", True), ("flushed/written", True)]
COUNTED = ("lines_read", "lines_written", "lines_flushed", "fences", "flushed_per_written")


def grids(rows: list[Flat]) -> list[Grid]:
    """Return the times of each operation, and the lines that it touches where accesses were recorded."""
    parts, head = _parts(rows)
    timed = [
        (f"{name} (95 % interval)", [(head, False), *HEADS], [[word, *_line(row)] for word, row in part])
        for name, part in parts.items()
    ]
    return timed + _counted(parts, head)


def _parts(rows: list[Flat]) -> tuple[dict[str, list[tuple[str, Flat]]], str]:
    """Tables by title, each a list of (first cell, row); head of the first cells.

    A sweep of one structure has a line for each point, else each point has a table with a line for each structure.
    """
    names = varying(rows)
    parts: dict[str, list[tuple[str, Flat]]] = {}
    if len({row["structure"] for row in rows}) > 1 or not names:
        for row in rows:
            parts.setdefault(chart(row, names), []).append((str(row["structure"]), row))
        return parts, "structure"
    for operation in dict.fromkeys(row["operation"] for row in rows):
        part = [row for row in rows if row["operation"] == operation]
        inside = varying(part) or names[:1]
        title = ", ".join([str(part[0]["structure"]), chart(part[0], [name for name in names if name not in inside])])
        parts[title] = [(", ".join(words(row, inside)), row) for row in part]
    return parts, "point"


def _counted(parts: dict[str, list[tuple[str, Flat]]], head: str) -> list[Grid]:
    """Of one operation on average, where accesses were recorded."""
    found = []
    for name, part in parts.items():
        lines = [[word, *(_count(row[key]) for key in COUNTED)] for word, row in part if row["lines_read"] is not None]
        if lines:
            found.append((f"{name}: lines of one operation", [(head, False), *LINES], lines))
    return found


def _count(value: object) -> str:
    return f"{float(value):.2f}" if isinstance(value, int | float) else cells.NOTHING


def _line(row: Flat) -> list[str]:
    rate = flat_with_interval(row, "ops_per_s", "ops", lambda value: f"{value / 1e6:.3g}")
    times = [_time(row, f"latency_{name}_s") for name in ("p50", "p99", "p999")]
    return [rate, *times, _share(row), _time(row, "init_s")]


def _time(row: Flat, key: str) -> str:
    return show_seconds(float(row[key] or 0)) if row[key] else cells.NOTHING


def _share(row: Flat) -> str:
    """Of the time of the same rounds."""
    share = real(row["rehash_share"])
    return f"{100 * share:.1f} %" if share else cells.NOTHING


forms.add(of_rows("maps", grids))
