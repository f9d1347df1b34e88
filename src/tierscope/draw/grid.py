"""Grids of words, which `draw.forms` draws in a terminal."""

from collections.abc import Callable

from tierscope.draw import cells
from tierscope.record.experiment import Label
from tierscope.tables import Flat

Grid = tuple[str, list[tuple[str, bool]], list[list[str]]]
"""Title, heads with whether they are numbers, rows."""


def doubted(row: Flat | None, key: str, unit: Callable[[Label], float | None]) -> str:
    """Return the number of a key, with '?' behind it where the row is inconclusive."""
    value = unit(row[key]) if row else None
    if row is None or value is None:
        return cells.NOTHING
    return f"{value:.4g}{'' if row['conclusive'] else ' ?'}"
