"""A prediction in a terminal: one line for each tier, and one for each phase on it."""

from tierscope.draw import cells
from tierscope.draw.forms import forms, of_rows
from tierscope.draw.grid import Grid
from tierscope.draw.words import shortened, with_bounds
from tierscope.stats.median import Interval
from tierscope.suites.prediction.row import PhaseRow, PredictionRow
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


def phases(rows: list[PhaseRow]) -> list[Grid]:
    """Return a grid for each tier."""
    heads = [
        ("phase", False), ("share", True), ("time here", True), ("slowdown", True), ("waits for misses", True),
        ("for bandwidth", True),
    ]  # fmt: skip
    grids = []
    for tier in dict.fromkeys(row.tier for row in rows):
        lines = [
            [
                row.phase + (f" ({row.visits:,} times)" if row.visits > 1 else ""),
                f"{100 * row.share:.1f} %",
                cells.NOTHING if row.seconds is None else show_seconds(row.seconds),
                _between(row.slowdown) if row.slowdown else "not known",
                _share(row.waits_latency),
                _share(row.waits_bandwidth),
            ]
            for row in rows
            if row.tier == tier
        ]
        grids.append((f"Phases on {tier}", heads, lines))
    return grids


forms.add(of_rows("prediction_phases", phases))
forms.add(of_rows("prediction", lambda rows: [grid(rows)]))
