"""Another tool's readings in the terminal: what was set, then the few numbers that most of them hold."""

from tierscope.draw import cells
from tierscope.draw.forms import forms, of_rows
from tierscope.draw.grid import Grid
from tierscope.suites.imported.table import ImportedRow
from tierscope.tables import Flat, columns_of

SHOWN = (
    "test", "setting", "operation_bytes", "threads", "footprint_bytes", "delay_cycles", "bandwidth_bytes_per_s",
    "latency_s", "rate_per_s", "count", "busy_s", "elapsed_s",
)  # fmt: skip


def grid(rows: list[Flat]) -> Grid:
    """Title, heads and lines; columns of which no row knows the value are left out."""
    columns = [
        c for c in columns_of(ImportedRow) if c.name in SHOWN and any(row.get(c.name) not in (None, "") for row in rows)
    ]
    heads = [(cells.head(column), cells.is_number(column)) for column in columns]
    lines = [[cells.cell(row.get(column.name), column) for column in columns] for row in rows]
    return f"Imported from {rows[0]['tool']}", heads, lines


forms.add(of_rows("imported", lambda rows: [grid(rows)]))
