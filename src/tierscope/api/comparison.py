"""`tierscope compare` from Python."""

import os
from typing import Any, Literal

from tierscope.api.html import grid, line
from tierscope.api.loaded import Run, load
from tierscope.api.table import Table
from tierscope.compare.comparison import ORDER, counted, named_point, origins_of, span
from tierscope.compare.two import compared

SHOWN = 12  # points in a notebook
Given = Run | str | os.PathLike[str]


class Comparison:
    """The points that two runs have in common. `rows`: one dict for each, as `tierscope compare --json` prints.

    `headline` counts the verdicts; `notes` are on the comparison as a whole.
    """

    def __init__(self, rows: list[dict[str, Any]], notes: tuple[str, ...]) -> None:
        self.rows, self.notes = rows, notes
        self.headline = counted(rows)

    def columns(self) -> dict[str, list[Any]]:
        """Return each key of the rows as a list, for pandas, polars and Arrow; None where a row has no such key."""
        keys = dict.fromkeys(key for row in self.rows for key in row)
        return dict(Table("comparison", dict.fromkeys(keys, ""), self.rows).columns())

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<Comparison: {self.headline}>"

    def _repr_html_(self) -> str:
        """Return headline and ratios for a notebook, differences first: one small table, no script."""
        ordered = sorted(self.rows, key=lambda row: ORDER.index(row["verdict"]) if row["verdict"] in ORDER else 0)
        cells = [[named_point(row), f"{row['ratio']:.3f}", span(row), row["verdict"]] for row in ordered[:SHOWN]]
        heads = ("point", "after / before", "95 % interval", "verdict")
        table = grid(heads, cells, len(ordered) - SHOWN)
        return line(self.headline, bold=True) + table + "".join(map(line, self.notes))


def compare(
    before: Given, after: Given, *, least: float | None = None, across: Literal["origins", "targets"] | None = None
) -> Comparison:
    """Return the ratio after / before of each point that both runs have, as `tierscope compare`.

    before, after: a Run, or the directory of one. least: smallest difference of interest as a share; None: 0.02. It
    must be None for imported runs. across: "origins" compares a real run with an emulated or simulated one, "targets"
    the points of two targets. UsageError where the runs share no point or do not compare.
    """
    old, new = (one if isinstance(one, Run) else load(one) for one in (before, after))
    pair = (old._run, new._run)  # noqa: SLF001 (of the same package)
    rows, notes = compared(*pair, least, across)
    origins = origins_of(*pair)
    return Comparison(rows, tuple(note for note in (origins, *notes) if note))
