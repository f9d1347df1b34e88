"""Performance events in a terminal: a line for each group of each experiment, a column for what was counted."""

import textwrap

from tierscope.draw import cells
from tierscope.draw.forms import forms, of_rows
from tierscope.draw.grid import Grid
from tierscope.draw.words import threads_name
from tierscope.suites.counters.row import CountersRow
from tierscope.units import show_bytes, show_seconds

FIRST = (
    "ipc", "stall_share", "memory_stall_share", "LLC-load-misses", "memory_traffic", "llc_load_miss_ratio",
    "llc_miss_ratio", "memory_bytes", "l1_fill_bytes_from_memory", "instructions", "cycles", "LLC-loads",
    "L1-dcache-load-misses", "L1d-load-line-misses", "memory-reads", "memory-writes", "memory-lines", "page-faults",
    "task-clock", "on_cpu_share", "context-switches",
)  # fmt: skip
"""In the order in which they are shown; others follow while there is free space."""
MOST = 4  # columns next to the name of the point: 80 characters
WIDTH = 11  # characters of one column
LINES = 20


def grid(rows: list[CountersRow]) -> list[Grid]:
    """Return a grid for each origin, without columns that are always 0; events per operation, metrics unchanged."""
    shown = [row for row in rows if row.value is not None]
    origins = dict.fromkeys(row.origin for row in shown)
    return [_of(origin, [row for row in shown if row.origin == origin]) for origin in origins]


def _of(origin: str, rows: list[CountersRow]) -> Grid:
    names = {row.counter: row for row in rows if row.value}
    order = [name for name in FIRST if name in names] + [name for name in names if name not in FIRST]
    chosen = order[:MOST]
    points: dict[tuple[int, int | None, int | None], dict[str, CountersRow]] = {}
    for row in rows:
        points.setdefault((row.experiment, row.group, row.take), {})[row.counter] = row
    lines = [_line(point, chosen) for point in list(points.values())[:LINES]]
    if len(points) > LINES:
        lines.append([f"... {len(points) - LINES} more in the report", *("" for _ in chosen)])
    heads = [("point", False), *((_head(names[name]), True) for name in chosen)]
    return f"Counted in the timed blocks, by {origin} (events: of one operation)", heads, lines


def _head(row: CountersRow) -> str:
    name = row.counter.replace("_", " ")
    return textwrap.fill(f"{name}, B" if row.unit == "B" else name, WIDTH)


def _line(point: dict[str, CountersRow], chosen: list[str]) -> list[str]:
    first = next(iter(point.values()))
    group = f".{first.group}" if first.group else ""
    what = f"{first.task or show_bytes(first.footprint_bytes)}, {threads_name(first.threads)}"
    take = "" if first.take is None else f" take {first.take}"
    name = f"#{first.experiment}{group}{take} {first.kernel}, {what}"
    return [name, *(_cell(point.get(counter)) for counter in chosen)]


def _cell(row: CountersRow | None) -> str:
    if row is None or row.shown is None:
        return cells.NOTHING
    return show_seconds(row.shown) if row.unit == "s" else f"{row.shown:.3g}"


forms.add(of_rows("counters", grid))
