"""The table in a terminal. Without this file the columns are shown unchanged."""

from tierscope.draw.forms import forms, of_rows, rate
from tierscope.draw.grid import Grid
from tierscope.suites.skeleton.row import SkeletonRow
from tierscope.units import show_bytes


def grid(rows: list[SkeletonRow]) -> Grid:
    """Return the title, the heads with whether they are numbers, and the lines."""
    lines = [[show_bytes(row.footprint_bytes), rate(row, row.bandwidth)] for row in rows]
    return "Read bandwidth of one CPU", [("footprint", False), ("GB/s (95 % interval)", True)], lines


forms.add(of_rows("skeleton", lambda rows: [grid(rows)]))
