"""The traffic of others in a terminal: the whole time, then each window."""

from tierscope.draw import cells, vega
from tierscope.draw.forms import forms, of_rows, wait
from tierscope.draw.grid import Grid, doubted
from tierscope.suites.background.row import BackgroundRow
from tierscope.suites.background.said import amount

LINES = 12  # windows that are shown


def background(rows: list[BackgroundRow]) -> list[Grid]:
    """Return one line for the whole time, and one for each of the first windows."""
    times = [("from, s", True), ("to, s", True)]
    numbers = [("latency, ns", True), ("over idle", True), ("core slower", True)]
    heads = [*times, ("traffic of others", False), *numbers]
    shown = [row for row in rows if row.window is None or row.window < LINES]
    lines = [
        [
            f"{row.begin_s:.3g}",
            f"{row.end_s:.3g}",
            f"{amount(row)}{'' if row.conclusive else ' ?'}",
            wait(row, row.latency),
            doubted(row, row.over_idle, vega.digits),
            cells.NOTHING if row.slower is None else f"{row.slower:.2f}x",
        ]
        for row in shown
    ]
    return [("Memory traffic of others (95 % interval)", heads, lines)]


forms.add(of_rows("background", background))
