"""The values by which two runs are compared: each main value of each table, as the table states it."""

from dataclasses import dataclass

from tierscope.record.experiment import real
from tierscope.record.result import Run
from tierscope.stats.median import Interval
from tierscope.tables import Column, Flat, Main, Plain, tables
from tierscope.tables.measured import span_of


@dataclass(frozen=True, slots=True)
class Measure:
    """One main value of one table."""

    table: Plain
    main: Main

    @property
    def name(self) -> str:
        """Return 'stream', and 'emulation latency' of a table that has several."""
        return self.table.name if len(self.table.main) == 1 else f"{self.table.name} {self.main.stem}"

    @property
    def column(self) -> Column:
        """That of the value."""
        return next(column for column in self.table.columns if column.name == self.main.name)

    @property
    def unit(self) -> str:
        """Return the base unit: "B/s", "s", "1/s", "B", "1"."""
        return self.column.unit

    def rows(self, run: Run) -> list[Flat]:
        """Return the points of a run."""
        return self.table.flat(run)

    def interval(self, row: Flat) -> Interval | None:
        """Return the value of a row with its bounds; None where a bound is missing. Blocks may be unknown."""
        value, span = real(row.get(self.main.name)), span_of(row, self.main.stem)
        if value is None or span is None:
            return None
        return Interval(span[0], value, span[1], int(real(row.get("blocks")) or 1))


def measures() -> dict[str, Measure]:
    """Return all measures of all tables by their names, in the order of the tables."""
    found = [Measure(tables[name], main) for name in tables for main in tables[name].main]
    return {one.name: one for one in found}
