"""Flush in a terminal: one line for each chunk size, one column for each instruction, three small tables."""

from collections.abc import Callable

from tierscope.draw import cells
from tierscope.draw.forms import forms, of_rows, with_interval
from tierscope.draw.grid import Grid
from tierscope.stats.median import Interval
from tierscope.suites.flush.points import kind_name
from tierscope.suites.flush.row import FlushRow
from tierscope.units import show_size, three_digits

ABREAST = 5  # ratios with their intervals that fit next to each other in 80 columns


def grids(rows: list[FlushRow]) -> list[Grid]:
    """Return three small tables for each kind of fence and order: time per line, its ratio, seconds for all bytes."""
    kinds = dict.fromkeys(map(kind_name, rows))
    return [grid for kind in kinds for grid in _grids([row for row in rows if kind_name(row) == kind])]


def _grids(rows: list[FlushRow]) -> list[Grid]:
    names = list(dict.fromkeys(row.instruction for row in rows))
    base, total = rows[0].against, show_size(rows[0].total_bytes)
    others = [name for name in names if name != base]
    written = all(row.written_bytes >= row.total_bytes for row in rows)
    found = [
        _grid(f"Time per line, ns ({kind_name(rows[0])})", rows, names, lambda row: _plain(row, row.line, 1e9)),
        *(
            _grid(f"Time over that of {base} (95 % interval)", rows, others[first : first + ABREAST],
                  lambda row: with_interval(row, row.ratio, three_digits))
            for first in range(0, len(others), ABREAST)
        ),
        _grid(f"Seconds for {total}, {'written' if written else 'extrapolated'}", rows, names,
              lambda row: _plain(row, row.seconds, 1.0)),
    ]  # fmt: skip
    return [grid for grid in found if len(grid[1]) > 1]


def _grid(title: str, rows: list[FlushRow], names: list[str], text: Callable[[FlushRow], str]) -> Grid:
    by = {(row.chunk_bytes, row.instruction): text(row) for row in rows}
    sizes = dict.fromkeys(row.chunk_bytes for row in rows)
    lines = [[show_size(size), *(by.get((size, name), cells.NOTHING) for name in names)] for size in sizes]
    return title, [("chunk", True), *((name, True) for name in names)], lines


def _plain(row: FlushRow, found: Interval | None, scale: float) -> str:
    """Return three digits; '?' for what is inconclusive."""
    if found is None:
        return cells.NOTHING
    return f"{three_digits(found.middle * scale)}{'' if row.conclusive else ' ?'}"


forms.add(of_rows("flush", grids))
