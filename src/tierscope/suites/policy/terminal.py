"""Policy in a terminal: one line for each property that was looked for, with its range."""

from tierscope.draw import cells
from tierscope.draw.forms import forms, of_rows
from tierscope.draw.grid import Grid
from tierscope.suites.policy.row import PolicyRow
from tierscope.units import show_bytes, show_seconds

HEADS = [("property", False), ("number", True), ("of", True), ("time", True), ("evidence", False)]


def policy(rows: list[PolicyRow]) -> Grid:
    """Return the grid. Its number is memories side by side, writes until a migration, or lines of a queue."""
    return "Policies of the memory (95 % range)", HEADS, [_line(row) for row in rows]


def _line(row: PolicyRow) -> list[str]:
    part = f"{row.part}{'' if row.conclusive else ' ?'}"
    if not row.count:
        return [part, "none", cells.NOTHING, cells.NOTHING, row.evidence]
    low, middle, high = (round(end) for end in (row.count.low, row.count.middle, row.count.high))
    count = str(middle) if low == high else f"{middle} ({low} to {high})"
    unit = row.unit_bytes or row.unit_low
    least = "" if row.unit_bytes else ">= "
    size = f"{least}{show_bytes(unit)}" if unit else cells.NOTHING
    return [part, count, size, _time(row), row.evidence]


def _time(row: PolicyRow) -> str:
    if row.seconds_least is not None:
        return f">= {show_seconds(row.seconds_least)}"
    return show_seconds(row.seconds.middle) if row.seconds else cells.NOTHING


forms.add(of_rows("policy", lambda rows: [policy(rows)]))
