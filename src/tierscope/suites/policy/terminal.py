"""Policy in a terminal: one line for each property that was looked for, with its range."""

from tierscope.draw import cells
from tierscope.draw.forms import forms, of_rows
from tierscope.draw.grid import Grid
from tierscope.tables import Flat
from tierscope.units import show_bytes, show_seconds

HEADS = [("property", False), ("number", True), ("of", True), ("time", True), ("evidence", False)]


def policy(rows: list[Flat]) -> Grid:
    """number: memories side by side; writes until a migration; lines that a queue holds."""
    return "Policies of the memory (95 % range)", HEADS, [_line(row) for row in rows]


def _line(row: Flat) -> list[str]:
    part = f"{row['part']}{'' if row['conclusive'] else ' ?'}"
    if not row["found"]:
        return [part, "none", cells.NOTHING, cells.NOTHING, str(row["evidence"])]
    low, middle, high = (round(float(row[key] or 0)) for key in ("count_low", "count", "count_high"))
    count = str(middle) if low == high else f"{middle} ({low} to {high})"
    unit = row["unit_bytes"] or row["unit_low"]
    least = "" if row["unit_bytes"] else ">= "
    size = f"{least}{show_bytes(int(unit))}" if unit else cells.NOTHING
    time = show_seconds(float(row["seconds"])) if row["seconds"] else cells.NOTHING
    return [part, count, size, time, str(row["evidence"])]


forms.add(of_rows("policy", lambda rows: [policy(rows)]))
