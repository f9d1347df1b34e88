"""The response in a terminal: the steps, the fit of each lever, and the tiers."""

from tierscope.draw import cells
from tierscope.draw.forms import forms, of_rows, with_interval
from tierscope.draw.grid import Grid
from tierscope.draw.words import shortened, with_bounds
from tierscope.stats.median import Interval
from tierscope.suites.response.row import FitRow, ResponseRow, TierRow
from tierscope.units import show_rate, show_seconds

WIDEST = 60  # letters of a reason: the page shows all of it


def steps(rows: list[ResponseRow]) -> Grid:
    """Return one line for each step."""
    heads = [
        ("lever", False), ("step", False), ("latency", True), ("over that without", True), ("bandwidth left", True),
        ("time of a run", True), ("slowdown", True),
    ]  # fmt: skip
    lines = [
        [
            row.lever,
            row.step,
            show_seconds(row.latency.middle) if row.latency else cells.NOTHING,
            "" if not row.number else with_interval(row, row.over, lambda value: f"{value:.3f}"),
            show_rate(row.bandwidth.middle) if row.bandwidth else cells.NOTHING,
            show_seconds(row.seconds.middle) if row.seconds else cells.NOTHING,
            "" if not row.number else with_interval(row, row.slowdown, lambda value: f"{value:.3f}"),
        ]
        for row in rows
    ]
    return f"Response of {rows[0].command} (95 % interval)", heads, lines


def _between(one: Interval | None) -> str:
    return with_bounds(one, "{:.2f}".format) if one else cells.NOTHING


def fits(rows: list[FitRow]) -> Grid:
    """Return one line for each lever."""
    heads = [("lever", False), ("", False), ("range of latency", True), ("share that grows", True), ("", False)]
    lines = [
        [row.lever, row.answer, _between(row.reach), _between(row.share), shortened(row.why, WIDEST)] for row in rows
    ]
    return "Share of the run time that grows with latency", heads, lines


def tiers(rows: list[TierRow]) -> Grid:
    """Return one line for each tier and lever."""
    heads = [("tier", False), ("lever", False), ("slowdown", True), ("", False)]
    lines = [
        [row.tier, row.lever, _between(row.slowdown) if row.slowdown else row.answer, shortened(row.why, WIDEST)]
        for row in rows
    ]
    return "On other tiers", heads, lines


forms.add(of_rows("response", lambda rows: [steps(rows)]))
forms.add(of_rows("response_fit", lambda rows: [fits(rows)]))
forms.add(of_rows("response_tiers", lambda rows: [tiers(rows)]))
