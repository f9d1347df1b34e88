"""The table in a terminal. Without this file the columns are shown as they are."""

from tierscope.draw.forms import flat_rate, forms, of_rows
from tierscope.draw.grid import Grid
from tierscope.tables import Flat
from tierscope.units import show_bytes


def grid(rows: list[Flat]) -> Grid:
    """Return title, heads with whether they are numbers, and lines."""
    lines = [[show_bytes(float(row["footprint_bytes"] or 0)), flat_rate(row)] for row in rows]
    return "Read bandwidth of one CPU", [("footprint", False), ("GB/s (95 % interval)", True)], lines


forms.add(of_rows("skeleton", lambda rows: [grid(rows)]))
