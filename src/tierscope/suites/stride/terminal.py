"""Strided accesses in a terminal: a line for each stride, a column for each access size, a table for each way."""

from tierscope.draw import cells
from tierscope.draw.forms import forms, of_rows, rate
from tierscope.draw.grid import Grid
from tierscope.draw.words import threads_name
from tierscope.suites.stride.row import StrideRow
from tierscope.units import show_size


def way(row: StrideRow) -> str:
    """Return 'read, 4 threads, sequential', 'write (nt), ...'."""
    store = f" ({row.store})" if row.store else ""
    return f"{row.op}{store}, {threads_name(row.threads)}, {row.order}"


def grids(rows: list[StrideRow]) -> list[Grid]:
    """Return a table for each way of access: a line for each stride, a column for each access size."""
    kinds = dict.fromkeys(row.kind for row in rows)
    return [_grid([row for row in rows if row.kind == kind]) for kind in kinds]


def _grid(rows: list[StrideRow]) -> Grid:
    by = {(row.stride_bytes, row.access_bytes): rate(row, row.bandwidth) for row in rows}
    sizes = sorted({row.access_bytes for row in rows})
    strides = sorted({row.stride_bytes for row in rows})
    heads = [("stride", True), *((f"of {show_size(size)}", True) for size in sizes)]
    lines = [[show_size(stride), *(by.get((stride, size), cells.NOTHING) for size in sizes)] for stride in strides]
    return f"Bytes touched, GB/s ({way(rows[0])}; 95 % interval)", heads, lines


forms.add(of_rows("stride", grids))
