"""A table of rows for programs: rows, or columns that pandas, polars and Arrow accept unchanged."""

from collections.abc import Iterator, Mapping, Sequence

from tierscope.api.html import grid
from tierscope.record.experiment import Label

SHOWN = 12  # rows in a notebook


class Table:
    """Rows of equal keys in base units; what is not known is None.

    `name` is that of the table, `units` maps each column to its unit: "B/s", "B", "s", "1/s", "1" (a ratio or a count),
    "" (words, truth values).
    """

    def __init__(self, name: str, units: Mapping[str, str], rows: Sequence[Mapping[str, Label]]) -> None:
        self.name, self.units = name, dict(units)
        self.rows: list[dict[str, Label]] = [{key: row.get(key) for key in units} for row in rows]

    def columns(self) -> dict[str, list[Label]]:
        """Return each column as a list, one value for each row: `pandas.DataFrame(table.columns())`.

        `polars.DataFrame` and `pyarrow.table` take the same. A column of numbers has one type: all are floats where
        one is.
        """
        return {key: _one_type([row[key] for row in self.rows]) for key in self.units}

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Label]]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"<Table {self.name}: {len(self)} rows, {len(self.units)} columns>"

    def _repr_html_(self) -> str:
        """Return the first rows for a notebook: one table, no script, every text escaped."""
        used = [key for key in self.units if any(row[key] is not None for row in self.rows)]
        heads = [f"{key} ({self.units[key]})" if self.units[key] not in ("", "1") else key for key in used]
        cells = [[_shown(row[key]) for key in used] for row in self.rows[:SHOWN]]
        return grid(heads, cells, len(self) - SHOWN)


def _one_type(values: list[Label]) -> list[Label]:
    """Return whole numbers as floats where one is a float."""
    if not any(isinstance(value, float) for value in values):
        return values
    return [float(value) if type(value) is int else value for value in values]


def _shown(value: Label) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
