"""A cell of a document's table: what the document printed, and what this run measured for it."""

from dataclasses import dataclass

from tierscope.suites.documents.found import Seen


@dataclass(frozen=True)
class Cell:
    """`part`: the table, "Table 1: STREAM on DRAM". `line` and `column`: the cell's place in it. `unit`: B/s, s, or 1.

    published and here are in base units; None where one of them has no number.
    """

    part: str
    line: str
    column: str
    unit: str
    published: float | None
    here: Seen | None


def kept(cells: list[Cell]) -> list[Cell]:
    """Return the cells of the lines that this run measured: lines of a larger machine do not apply to this one."""
    lines = {(one.part, one.line) for one in cells if one.here is not None}
    return [one for one in cells if (one.part, one.line) in lines]
