"""Operations on structures in a terminal: a table for each operation and size, a line for each structure."""

from tierscope.report import cells
from tierscope.report.grid import Cell, Grid
from tierscope.report.maps_points import chart, varying
from tierscope.tables import Row
from tierscope.units import show_seconds

HEADS = [
    ("structure", False), ("M ops/s", True), ("p50", True), ("p99", True), ("p99.9", True), ("rehash", True),
    ("fill", True),
]  # fmt: skip
LINES = [("lines read", True), ("written", True), ("flushed", True), ("fences", True), ("flushed/written", True)]
COUNTED = ("lines_read", "lines_written", "lines_flushed", "fences", "flushed_per_written")


def grids(rows: list[Row], with_interval: Cell) -> list[Grid]:
    """with_interval: '3.62 ±0.4%' of a key whose bounds are stem_low and stem_high."""
    names = varying(rows)
    charts = list(dict.fromkeys(chart(row, names) for row in rows))
    parts = {name: [row for row in rows if chart(row, names) == name] for name in charts}
    return [
        (f"{name} (95 % interval)", HEADS, [_line(row, with_interval) for row in part]) for name, part in parts.items()
    ] + _counted(parts)


def _counted(parts: dict[str, list[Row]]) -> list[Grid]:
    """Of one operation on average, where accesses were recorded."""
    found = []
    for name, part in parts.items():
        lines = [[str(row["structure"]), *(_count(row[key]) for key in COUNTED)] for row in part if row["lines_read"]]
        if lines:
            found.append((f"{name}: lines of one operation", [HEADS[0], *LINES], lines))
    return found


def _count(value: object) -> str:
    return f"{float(value):.2f}" if isinstance(value, int | float) else cells.NOTHING


def _line(row: Row, with_interval: Cell) -> list[str]:
    rate = with_interval(row, "ops_per_s", "ops", lambda value: f"{value / 1e6:.3g}")
    times = [_time(row, f"latency_{name}_s") for name in ("p50", "p99", "p999")]
    return [str(row["structure"]), rate, *times, _share(row), _time(row, "init_s")]


def _time(row: Row, key: str) -> str:
    return show_seconds(float(row[key] or 0)) if row[key] else cells.NOTHING


def _share(row: Row) -> str:
    """Of the time of a round."""
    whole = float(row["seconds"] or 0) * float(row["threads"] or 1)
    return f"{100 * float(row['rehash_s'] or 0) / whole:.1f} %" if row["rehash_s"] and whole else cells.NOTHING
