"""Neighbours in a terminal: one line per pair of numbers, the time of one victim and its slowdown."""

from tierscope.draw import cells
from tierscope.draw.forms import forms, of_rows, with_interval
from tierscope.draw.grid import Grid
from tierscope.suites.neighbors.table import NeighborsRow, aggressor_name, victim_name
from tierscope.units import show_seconds

NUMBERS = ("victims", "aggressors", "time of one", "slowdown")


def grid(rows: list[NeighborsRow]) -> Grid:
    """Return one line for each pair of numbers of victims and aggressors."""
    kinds = {aggressor_name(row) for row in rows if row.aggressors}
    heads = [(name, name in NUMBERS) for name in ("victim", *NUMBERS, "against")]
    lines = [[victim_name(row), str(row.victims), str(row.aggressors), _time(row), *_slowdown(row)] for row in rows]
    return f"Neighbours: {', '.join(sorted(kinds)) or 'victims alone'} (95 % interval)", heads, lines


def _time(row: NeighborsRow) -> str:
    return show_seconds(row.seconds.middle) if row.seconds else cells.NOTHING


def _slowdown(row: NeighborsRow) -> list[str]:
    """Return the slowdown and the row that it is compared with; nothing for a row that is compared with itself."""
    if row.against == "itself":
        return ["" if row.conclusive else "?", ""]
    return [with_interval(row, row.slowdown, lambda value: f"{value:.3f}"), row.against]


forms.add(of_rows("neighbors", lambda rows: [grid(rows)]))
