"""Another tool's readings in the terminal: the settings, then the few numbers that most of them contain."""

from tierscope.draw import cells
from tierscope.draw.forms import forms, of_rows
from tierscope.draw.grid import Grid
from tierscope.suites.imported.table import ImportedRow
from tierscope.tables import columns_of, flat

SHOWN = (
    "test", "setting", "operation_bytes", "threads", "footprint_bytes", "delay_cycles", "bandwidth_bytes_per_s",
    "latency_s", "rate_per_s", "count", "busy_s", "elapsed_s",
)  # fmt: skip


def grid(rows: list[ImportedRow]) -> Grid:
    """Return title, heads and lines; a column is left out if no row has a value for it."""
    values = [flat(row) for row in rows]
    known = {name for row in values for name, value in row.items() if value not in (None, "")}
    columns = [column for column in columns_of(ImportedRow) if column.name in SHOWN and column.name in known]
    heads = [(cells.head(column), cells.is_number(column)) for column in columns]
    lines = [[cells.cell(row[column.name], column) for column in columns] for row in values]
    return f"Imported from {rows[0].tool}", heads, lines


forms.add(of_rows("imported", lambda rows: [grid(rows)]))
