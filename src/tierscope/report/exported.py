"""What exports share: the name of each run, all its values one by one, and the main number of each point."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tierscope.errors import UsageError
from tierscope.experiment import Label, real
from tierscope.report.cells import UNKNOWN
from tierscope.report.comparison import VALUES, point
from tierscope.report.content import gather
from tierscope.result import Run
from tierscope.sound import reads
from tierscope.tables import Column, Row, tables
from tierscope.tables.measured import span_of
from tierscope.units import show_rate, show_seconds


def named(runs: Sequence[Run]) -> list[str]:
    """The name of each run's directory, numbered where two are called the same."""
    names = [run.path.resolve().name for run in runs]
    many, turns, found = Counter(names), Counter[str](), []
    for name in names:
        turns[name] += 1
        found.append(f"{name}-{turns[name]}" if many[name] > 1 else name)
    return found


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
    """Every value that is known, in the order of runs, tables, rows and columns; UsageError where there is none."""
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


def _cell(name: str, run: Run, table: str, number: int, column: Column, value: Label) -> Cell:
    words = isinstance(value, str)
    result = run.result
    return Cell(
        name, result.machine.hostname, result.origin, result.started, table, number, column.name, column.unit,
        None if words else float(value or 0), str(value) if words else "",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Number:
    """The main number of a point in one run; bounds are the number itself where there is no interval."""

    value: float
    low: float
    high: float
    conclusive: bool


@reads("the export")
def points(runs: Sequence[Run]) -> dict[str, dict[str, dict[int, Number]]]:
    """table -> point in words -> index of the run -> its main number, as `compare` takes it; imports likewise."""
    found: dict[str, dict[str, dict[int, Number]]] = {}
    for index, run in enumerate(runs):
        for table in VALUES:
            key, unit = VALUES[table]
            for row in tables[table].rows(run):
                if number := _number(row, key, f"{key}_{unit}" if unit else key):
                    found.setdefault(table, {}).setdefault(point(table, row), {}).setdefault(index, number)
        for row in tables["imported"].rows(run):
            for key in ("bandwidth_bytes_per_s", "latency_s"):
                if number := _number(row, "", key):
                    label = ", ".join(
                        str(row[name]) for name in ("test", "setting", "threads", "delay_cycles") if row[name]
                    )
                    table = f"imported {key.partition('_')[0]}"
                    found.setdefault(table, {}).setdefault(label, {}).setdefault(index, number)
    return found


def unit_of(table: str) -> str:
    """Of the main number: "B/s" or "s"."""
    if table.startswith("imported"):
        return "B/s" if "bandwidth" in table else "s"
    return "B/s" if VALUES[table][1] == "bytes_per_s" else "s"


def said(number: Number | None, unit: str) -> str:
    """'12.34 GB/s ±0.5 %'; "" for a point that the run has not."""
    if number is None:
        return ""
    text = show_rate(number.value) if unit == "B/s" else show_seconds(number.value)
    half = (number.high - number.low) / 2 / number.value if number.value else 0.0
    if round(100 * half, 1) >= 100:
        return f"{UNKNOWN}{'' if number.conclusive else ' ?'}"
    return text + (f" ±{100 * half:.1f} %" if half > 0 else "") + ("" if number.conclusive else " ?")


def _number(row: Row, stem: str, key: str) -> Number | None:
    value = real(row.get(key))
    if value is None:
        return None
    return Number(value, *(span_of(row, stem) or (value, value)), row.get("conclusive") is not False)
