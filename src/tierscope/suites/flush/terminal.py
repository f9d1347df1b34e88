"""Flush in a terminal: one line for each chunk size, one column for each instruction, three small tables."""

from collections.abc import Callable

from tierscope.draw import cells
from tierscope.draw.forms import flat_with_interval, forms, of_rows
from tierscope.draw.grid import Grid
from tierscope.suites.flush.points import FENCES
from tierscope.tables import Flat
from tierscope.units import show_size

ABREAST = 5  # ratios with their intervals that stand side by side in 80 columns


def grids(rows: list[Flat]) -> list[Grid]:
    """Return three small tables for each kind of fence and order: time per line, its ratio, seconds for all bytes."""
    kinds = list(dict.fromkeys((row["fence"], row["order"]) for row in rows))
    parts = [[row for row in rows if (row["fence"], row["order"]) == kind] for kind in kinds]
    return [grid for part in parts for grid in _grids(part)]


def _grids(rows: list[Flat]) -> list[Grid]:
    names = list(dict.fromkeys(str(row["instruction"]) for row in rows))
    base, total = str(rows[0]["against"]), show_size(int(rows[0]["total_bytes"] or 0))
    others = [name for name in names if name != base]
    written = all(int(row["written_bytes"] or 0) >= int(row["total_bytes"] or 0) for row in rows)
    kind = f"{FENCES[str(rows[0]['fence'])]}{'' if rows[0]['order'] == 'sequential' else ', random order'}"

    def ratio(row: Flat | None) -> str:
        return flat_with_interval(row, "ratio", "ratio", three_digits)

    found = [
        _grid(f"Time per line, ns ({kind})", rows, names, lambda row: _plain(row, "line_s", 1e9)),
        *(
            _grid(f"Time over that of {base} (95 % interval)", rows, others[first : first + ABREAST], ratio)
            for first in range(0, len(others), ABREAST)
        ),
        _grid(f"Seconds for {total}, {'written' if written else 'extrapolated'}", rows, names,
              lambda row: _plain(row, "seconds_total", 1.0)),
    ]  # fmt: skip
    return [grid for grid in found if len(grid[1]) > 1]


def _grid(title: str, rows: list[Flat], names: list[str], text: Callable[[Flat | None], str]) -> Grid:
    by = {(row["chunk_bytes"], row["instruction"]): row for row in rows}
    sizes = list(dict.fromkeys(row["chunk_bytes"] for row in rows))
    lines = [[show_size(int(size or 0)), *(text(by.get((size, name))) for name in names)] for size in sizes]
    return title, [("chunk", True), *((name, True) for name in names)], lines


def _plain(row: Flat | None, key: str, scale: float) -> str:
    """Three digits; '?' for what is inconclusive."""
    if row is None or not row[key]:
        return cells.NOTHING
    return f"{three_digits(float(row[key] or 0) * scale)}{'' if row['conclusive'] else ' ?'}"


def three_digits(value: float) -> str:
    """'8.40', '133'; more only before the point."""
    return f"{value:#.3g}".rstrip(".") if value < 1000 else f"{value:.0f}"


forms.add(of_rows("flush", grids))
