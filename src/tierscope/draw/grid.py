"""Grids of words, which `draw.forms` draws in a terminal."""

from collections.abc import Callable

from tierscope.draw import cells
from tierscope.stats.median import Interval
from tierscope.tables import JudgedRow

Grid = tuple[str, list[tuple[str, bool]], list[list[str]]]
"""Title, heads with whether they are numbers, rows."""


def doubted(row: JudgedRow | None, found: Interval | None, unit: Callable[[float], float | None]) -> str:
    """Return the middle of an interval, with '?' behind it where its row is inconclusive."""
    value = unit(found.middle) if found else None
    if row is None or value is None:
        return cells.NOTHING
    return f"{value:.4g}{'' if row.conclusive else ' ?'}"
