"""The forms that tables take in a terminal: few lines, units in the heads, '?' behind what is inconclusive.

A form turns the rows of one table into parts that `rich` prints. A table without a form of its own is shown `plain`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from tierscope.draw import braille, cells, vega
from tierscope.draw.braille import Axis, Curve
from tierscope.draw.grid import Grid
from tierscope.printable import printable
from tierscope.registry import Registry
from tierscope.stats.median import Interval
from tierscope.tables import Column, Flat, JudgedRow

WIDEST = 100  # columns: longer lines are hard to follow
LINES = 20  # of a table without a form of its own

Parts = list[RenderableType]


class Shown(Protocol):
    """The data of a table that a form gets."""

    @property
    def title(self) -> str: ...

    @property
    def rows(self) -> list[Flat]: ...

    @property
    def typed(self) -> list[Any]:
        """Return the rows as the table made them."""

    @property
    def used(self) -> tuple[Column, ...]:
        """Return the columns that have a known value in at least one row."""
        ...


@dataclass(frozen=True, slots=True)
class Form:
    """How the table `name` is shown. `draw`: its rows on a console, as parts one below the other."""

    name: str
    draw: Callable[[Shown, Console], Parts]


forms: Registry[Form] = Registry("form", "tierscope.suites", part="terminal", group="tierscope.forms")


def form(name: str) -> Callable[[Shown, Console], Parts]:
    """Return how the table of this name is drawn; `plain` where nothing else is registered."""
    return forms[name].draw if name in forms else plain


def of_rows(name: str, made: Callable[[list[Any]], list[Grid]]) -> Form:
    """Return the form of a table whose rows become grids, whatever the console is."""
    return Form(name, lambda shown, _: stacked(made(shown.typed)))


def plain(shown: Shown, console: Console) -> Parts:
    """Return any table: as many columns as fit, the first LINES rows."""
    columns = _fitting(shown, width(console))
    rows = [[cells.cell(row.get(c.name), c) for c in columns] for row in shown.rows[:LINES]]
    parts = titled(shown.title, [(cells.head(c), cells.is_number(c)) for c in columns], rows)
    if len(shown.rows) > LINES:
        parts.append(Text(f"... {len(shown.rows) - LINES} more rows in the report", style="dim"))
    return parts


def stacked(grids: Iterable[Grid]) -> Parts:
    return [part for grid in grids for part in (Text(), *titled(*grid))][1:]


def titled(title: str, heads: list[tuple[str, bool]], rows: list[list[str]]) -> Parts:
    """Return a title and the table below it; the title is not broken at the width of the table.

    heads: each with whether it is a number, which is aligned right.
    """
    body = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name, is_number in heads:
        body.add_column(Text(name), justify="right" if is_number else "left", header_style="dim", overflow="fold")
    for row in rows:
        body.add_row(*(Text(printable(entry)) for entry in row))
    return [Text(title, style="bold"), body]


def rate(row: JudgedRow | None, found: Interval | None) -> str:
    """Return '53.39 ±0.4%', in GB/s."""
    return with_interval(row, found, lambda value: f"{value / 1e9:.2f}")


def wait(row: JudgedRow | None, found: Interval | None) -> str:
    """Return '81.2 ±0.4%', in ns."""
    return with_interval(row, found, lambda value: f"{vega.ns(value):.4g}")


def with_interval(row: JudgedRow | None, found: Interval | None, text: Callable[[float], str]) -> str:
    """Return '53.39 ±0.4%', with the half-width of the interval; '?' marks what is inconclusive."""
    if row is None or found is None or not found.middle:
        return cells.NOTHING
    return f"{cells.within(text(found.middle), found.low, found.middle, found.high)}{'' if row.conclusive else ' ?'}"


def in_gb(found: Interval | None) -> float | None:
    """Return the middle in GB/s, None where there is none, or it is not known."""
    return vega.gb(found.middle if found and not found.wide else None)


def in_ns(found: Interval | None) -> float | None:
    """Return the middle in ns, None where there is none, or it is not known."""
    return vega.ns(found.middle if found and not found.wide else None)


def curve(label: str, points: Iterable[tuple[float | None, float | None]]) -> Curve:
    """Return a curve with a printable label.

    points: (x, y), in their order and in the units of the axes; one without a number is left out.
    """
    both = [(x, y) for x, y in points if x is not None and y is not None]
    return Curve(printable(label), [x for x, _ in both], [y for _, y in both])


def plot(console: Console, curves: list[Curve], x: Axis, y: Axis) -> Parts:
    """Return the plot as text; nothing for a terminal that cannot draw, since braille needs Unicode."""
    colour = console.color_system is not None and not console.no_color
    text = braille.plot(curves, x, y, width=width(console) - 1, colour=colour) if draws(console) else ""
    return [Text(), Text.from_ansi(text)] if text else []


def draws(console: Console) -> bool:
    return console.encoding.lower().startswith("utf")


def width(console: Console) -> int:
    return min(console.width, WIDEST)


def _fitting(shown: Shown, width: int) -> list[Column]:
    chosen: list[Column] = []
    used = 0
    for column in shown.used:
        texts = [cells.head(column), *(cells.cell(row.get(column.name), column) for row in shown.rows[:LINES])]
        used += max(map(len, texts)) + 2
        if chosen and used > width:
            break
        chosen.append(column)
    return chosen
