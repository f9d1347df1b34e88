"""Claims in a terminal: one line for each claim with its verdict, then the document's tables in their own layout."""

from collections.abc import Callable

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from tierscope.draw import cells, vega
from tierscope.draw.forms import Form, Shown, forms, of_rows
from tierscope.draw.grid import Grid
from tierscope.printable import printable
from tierscope.suites.documents.claim import NO, UNKNOWN, YES, digits, span
from tierscope.suites.documents.row import ClaimRow, PublishedRow

STYLES = {YES: "green", NO: "bold red", UNKNOWN: "yellow"}
SCALES: dict[str, tuple[str, Callable[[float], float]]] = {
    "B/s": ("GB/s", lambda value: vega.gb(value) or 0.0),
    "s": ("s", float),
    "us": ("us", lambda value: 1e6 * value),
    "ns": ("ns", lambda value: 1e9 * value),
    "1": ("", float),
}
"""Unit -> the unit that is shown, and the factor."""
SHORT_S, SHORTEST_S = 0.05, 1e-5  # below these longest times, a table shows us and ns


def claims(shown: Shown, console: Console) -> list[RenderableType]:
    """Return the verdict on each claim; below it the number here and as published, and why the verdict is not "yes"."""
    del console
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    rows: list[ClaimRow] = shown.typed
    for row in rows:
        says = Text(printable(row.says))
        says.append(f"\n{printable('; '.join(_numbers(row)))}", style="dim")
        if row.holds != YES:
            why = row.why if row.holds == NO else row.why.partition("; ")[0]
            says.append(f"\n{printable(why)}", style="dim")
        if row.fault:
            says.append(f"\nin the document: {printable(row.fault)}", style="dim")
        grid.add_row(Text(row.holds, style=STYLES[row.holds]), says)
    title = Text(f"{shown.title}: is it so on this machine?", style="bold")
    stand_ins = dict.fromkeys(row.stand_in for row in rows if row.stand_in)
    notes = [Text(printable(f" ! {why}: it replaces the second tier"), style="yellow") for why in stand_ins]
    return [title, grid, *notes]


def _numbers(row: ClaimRow) -> list[str]:
    """Return both numbers: 'time over that without writers: 1.07 to 1.12x', 'published: 1.02 to 1.06x'."""
    times = "" if row.number.startswith("share") else "x"
    here = f"{row.number}: {span(row.value) + times if row.value else 'not measured'}"
    if row.published_low is None or row.published_high is None:
        return [here]
    low, high = digits(row.published_low), digits(row.published_high)
    return [here, f"published: {low if low == high else f'{low} to {high}'}{times}"]


def grids(rows: list[PublishedRow]) -> list[Grid]:
    """Return one grid for each table of the document: each column here, then as published there."""
    parts = dict.fromkeys(row.part for row in rows)
    return [_grid(part, [row for row in rows if row.part == part]) for part in parts]


def _grid(part: str, rows: list[PublishedRow]) -> Grid:
    unit, scale = SCALES[_shown(rows)]
    columns = list(dict.fromkeys(row.column for row in rows))
    by = {(row.line, row.column): row for row in rows}
    heads = [("", False), *((head, True) for name in columns for head in (name, "there"))]
    lines = []
    for line in dict.fromkeys(row.line for row in rows):
        pairs = (_pair(by.get((line, name)), scale) for name in columns)
        lines.append([line, *(text for pair in pairs for text in pair)])
    return f"{part}{f', {unit}' if unit else ''} (there: as published)", heads, lines


def _shown(rows: list[PublishedRow]) -> str:
    """Return the unit of a part; short times are shown in us or ns."""
    unit = rows[0].of
    most = max((row.published or 0.0) if row.here is None else row.here.middle for row in rows)
    if unit != "s" or most >= SHORT_S:
        return unit
    return "us" if most >= SHORTEST_S else "ns"


def _pair(row: PublishedRow | None, scale: Callable[[float], float]) -> tuple[str, str]:
    """Return the number here, with '?' where it is inconclusive, and the published one."""
    if row is None:
        return cells.NOTHING, cells.NOTHING
    here = f"{_digits(scale(row.here.middle))}{'' if row.conclusive else ' ?'}" if row.here else cells.NOTHING
    return here, cells.NOTHING if row.published is None else _digits(scale(row.published))


def _digits(value: float) -> str:
    """Return four digits, without an exponent above the point."""
    return f"{value:.4g}" if abs(value) < 10_000 else f"{value:.0f}"


forms.add(Form("claims", claims))
forms.add(of_rows("document_tables", grids))
