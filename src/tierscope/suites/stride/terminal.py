"""Strided accesses in a terminal: a line for each stride, a column for each access size, a table for each way."""

from tierscope.draw import cells, vega
from tierscope.draw.forms import flat_with_interval, forms, of_rows
from tierscope.draw.grid import Grid
from tierscope.draw.words import threads_name
from tierscope.suites.stride.findings import KIND
from tierscope.tables import Flat
from tierscope.units import show_size


def way(row: Flat) -> str:
    """'read, 4 threads, sequential', 'write (nt), ...'."""
    store = f" ({row['store']})" if row["store"] else ""
    return f"{row['op']}{store}, {threads_name(int(row['threads'] or 0))}, {row['order']}"


def grids(rows: list[Flat]) -> list[Grid]:
    """Return a table for each way of access: a line for each stride, a column for each access size."""
    kinds = list(dict.fromkeys(tuple(row[key] for key in KIND) for row in rows))
    parts = [[row for row in rows if tuple(row[key] for key in KIND) == kind] for kind in kinds]
    return [_grid(part) for part in parts]


def _grid(rows: list[Flat]) -> Grid:
    by = {(row["stride_bytes"], row["access_bytes"]): row for row in rows}
    sizes = sorted({int(row["access_bytes"] or 0) for row in rows})
    strides = sorted({int(row["stride_bytes"] or 0) for row in rows})

    def cell(stride: int, access: int) -> str:
        row = by.get((stride, access))
        return flat_with_interval(row, "bandwidth_bytes_per_s", "bandwidth", _rate) if row else cells.NOTHING

    heads = [("stride", True), *((f"of {show_size(size)}", True) for size in sizes)]
    lines = [[show_size(stride), *(cell(stride, size) for size in sizes)] for stride in strides]
    return f"Bytes touched, GB/s ({way(rows[0])}; 95 % interval)", heads, lines


def _rate(value: float) -> str:
    return f"{vega.gb(value):.2f}"


forms.add(of_rows("stride", grids))
