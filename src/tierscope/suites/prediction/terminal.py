"""A prediction in a terminal: one line for each tier."""

from tierscope.draw import cells
from tierscope.draw.forms import forms, of_rows
from tierscope.draw.grid import Grid
from tierscope.draw.words import shortened, with_bounds
from tierscope.stats.median import Interval
from tierscope.suites.prediction.row import PredictionRow
from tierscope.units import show_seconds

WIDEST = 60  # letters of a reason: the page shows all of it


def _between(one: Interval | None) -> str:
    return with_bounds(one, "{:.2f}".format) if one else cells.NOTHING


def _share(value: float | None) -> str:
    return cells.NOTHING if value is None else f"{100 * value:.0f} %"


def grid(rows: list[PredictionRow]) -> Grid:
    """Return title, heads with whether they are numbers, and lines."""
    heads = [
        ("tier", False), ("slowdown", True), ("time there", True), ("waits for misses", True),
        ("for bandwidth", True), ("by lever", True), ("", False),
    ]  # fmt: skip
    lines = [
        [
            row.tier,
            _between(row.slowdown) if row.slowdown else row.answer,
            show_seconds(row.seconds.middle) if row.seconds else cells.NOTHING,
            _share(row.waits_latency),
            _share(row.waits_bandwidth),
            _between(row.by_lever),
            shortened(row.why, WIDEST),
        ]
        for row in rows
    ]
    return f"{rows[0].command} on other memories", heads, lines


forms.add(of_rows("prediction", lambda rows: [grid(rows)]))
