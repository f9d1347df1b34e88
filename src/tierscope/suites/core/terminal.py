"""The parameters of a core in a terminal: one line each."""

from tierscope.draw import cells
from tierscope.draw.forms import forms, of_rows
from tierscope.draw.grid import Grid
from tierscope.draw.words import shortened
from tierscope.suites.core.parameter import AT_LEAST, KNOWN
from tierscope.suites.core.row import CoreRow
from tierscope.units import show_seconds

WIDEST = 48  # characters of a reason: the page shows all of it


def grid(rows: list[CoreRow]) -> Grid:
    """Return title, heads with whether they are numbers, and lines."""
    heads = [
        ("parameter", False),
        ("of", False),
        ("value", True),
        ("95 % interval", False),
        ("unit", False),
        ("", False),
    ]
    return f"Core, probed on {rows[0].target}", heads, [_line(row) for row in rows]


def _line(row: CoreRow) -> list[str]:
    value = row.value
    shown, bounds = cells.NOTHING, cells.NOTHING
    if value and row.answer == KNOWN:
        shown = str(row.whole) if row.whole is not None else f"{value.middle:.3g}"
        bounds = f"{value.low:.3g} to {value.high:.3g}"
    elif value and row.answer == AT_LEAST:
        shown, bounds = f"≥ {value.low:.3g}", "lower bound"
    elif not value:
        shown = row.answer
    note = shortened(show_seconds(row.seconds.middle) if row.seconds else row.why, WIDEST)
    words = (row.level or cells.NOTHING, shown, bounds, row.unit or cells.NOTHING)
    return [row.parameter, *words, note]


def _grids(rows: list[CoreRow]) -> list[Grid]:
    targets = dict.fromkeys(row.target for row in rows)
    return [grid([row for row in rows if row.target == target]) for target in targets]


forms.add(of_rows("core_parameters", _grids))
