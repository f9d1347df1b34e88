"""All values of several runs one by one, as the exports for programs have them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tierscope.compare.points import named
from tierscope.errors import UsageError
from tierscope.record.result import Run
from tierscope.report.content import gather
from tierscope.tables import Column


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of one row."""

    run: str
    host: str
    origin: str
    started: str
    table: str
    row: int
    key: str
    unit: str
    value: float | None  # of a number or a truth value; None of words
    word: str  # of words, else ""


FIELDS = ("run", "host", "origin", "started", "table", "row", "key", "unit", "value", "word")


def cells(runs: Sequence[Run]) -> Iterator[Cell]:
    """Yield every known value, in the order of runs, tables, rows and columns; raise UsageError where there is none."""
    count = 0
    for name, run in zip(named(runs), runs, strict=True):
        for section in gather(run).sections.values():
            if section.name == "series":
                continue
            for number, row in enumerate(section.rows):
                for column in section.used:
                    if (value := row.get(column.name)) is not None:
                        count += 1
                        yield _cell(name, run, section.name, number, column, value)
    if not count:
        raise UsageError("no experiment of these runs is finished: there is nothing to export")


def _cell(name: str, run: Run, table: str, number: int, column: Column, value: str | float) -> Cell:
    result = run.result
    return Cell(
        name, result.machine.hostname, result.origin, result.started, table, number, column.name, column.unit,
        None if isinstance(value, str) else float(value), value if isinstance(value, str) else "",
    )  # fmt: skip
