"""Published measurements as data: what a simulated memory is set from, and what it is scored against.

Tables `documentNNN_...` are those of the five documents that `tierscope reproduce` recomputes, with their faults.

A table is one CSV file of this folder. Lines `# key: value` before it give title, source, machine, protocol (several),
fault (several: what is known to be wrong or unknown), and one line `# column: NAME | UNIT | meaning` for each column.
Lines `# quantity:` and others of `facts` state what the columns are to the audit.
Lines `# compare:` state which of our numbers a column compares with (`match`). A table without them has a line
`# alone: why not`.
Only numbers were taken from the source; what was computed from them is among the faults.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tierscope import units
from tierscope.errors import UnknownNameError
from tierscope.reference.facts import KEYS, Facts, read
from tierscope.reference.match import Match as Match
from tierscope.reference.match import read_match
from tierscope.registry import unknown

FOLDER = Path(__file__).parent
HEAD = ("title", "source", "machine", "protocol", "fault", "column", *KEYS, "compare", "alone")
NO_FACTS = Facts()
UNITS = {"word", "1", "bytes", "s", "us", "ns", "MB/s", "GB/s"}

Values = NDArray[np.int64] | NDArray[np.float64] | NDArray[np.str_]


@dataclass(frozen=True)
class Reference:
    """One published table; all columns have the same length and are read-only."""

    name: str
    title: str
    source: str
    machine: str
    protocol: tuple[str, ...]
    faults: tuple[str, ...]
    units: dict[str, str]  # of each column, as published: "ns", "GB/s" (10^9), "bytes", "1", "word", ... of UNITS
    meanings: dict[str, str]
    columns: dict[str, Values]
    facts: Facts = NO_FACTS
    matches: tuple[Match, ...] = ()  # with rows of ours
    alone: str = ""  # why no run of ours measures the like; "" where there are matches

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def si(self, column: str) -> NDArray[np.float64]:
        """Return the column in seconds, bytes/s or bytes; raise ValueError for words."""
        return self.columns[column].astype(np.float64) * {**units.TIMES, **units.RATES}.get(self.units[column], 1.0)

    def where(self, **labels: str | int) -> "Reference":
        """Return the rows whose columns have these values, such as kind="read", threads=4."""
        kept = np.ones(len(self), dtype=bool)
        for column, value in labels.items():
            kept &= self.columns[column] == value
        columns = {column: _sealed(values[kept]) for column, values in self.columns.items()}
        return Reference(**{**vars(self), "columns": columns})


def names() -> list[str]:
    """Return the names of all tables, in their order."""
    return sorted(path.stem for path in FOLDER.glob("*.csv"))


def load(name: str) -> Reference:
    """Return a table; raise UnknownNameError for one that is not here."""
    if name not in names():
        raise UnknownNameError(unknown("reference", name, names()))
    return parse(name, (FOLDER / f"{name}.csv").read_text(encoding="utf-8"))


def parse(name: str, text: str) -> Reference:
    """Return the table of a file's text; a ValueError names the table and what is wrong with it."""
    lines = text.splitlines()
    head: dict[str, list[str]] = {key: [] for key in HEAD}
    for line in lines:
        if line.startswith("#"):
            key, _, value = line.removeprefix("#").strip().partition(": ")
            if key not in head or not value:
                raise ValueError(f"{name}: no head line: {line!r}; keys: {', '.join(HEAD)}")
            head[key].append(value)
    columns = [_column(name, words) for words in head["column"]]
    title, source, machine = (_only(name, key, head[key]) for key in HEAD[:3])
    unit = {column: unit for column, unit, _ in columns}
    rows = csv.reader(line for line in lines if not line.startswith("#"))
    return Reference(
        name=name,
        title=title,
        source=source,
        machine=machine,
        protocol=tuple(head["protocol"]),
        faults=tuple(head["fault"]),
        units=unit,
        meanings={column: meaning for column, _, meaning in columns},
        columns=_columns(name, rows, unit),
        facts=read(name, head, set(unit)),
        matches=tuple(read_match(name, words, set(unit)) for words in head["compare"]),
        alone=_alone(name, head),
    )


def _only(name: str, key: str, values: list[str]) -> str:
    if len(values) != 1:
        raise ValueError(f"{name}: one line `# {key}:` is needed, {len(values)} are there")
    return values[0]


def _alone(name: str, head: dict[str, list[str]]) -> str:
    """Return why a table compares with nothing; empty where it has lines `# compare:` instead."""
    if bool(head["compare"]) == bool(head["alone"]):
        raise ValueError(
            f"{name}: lines `# compare:`, or one line `# alone: why nothing compares` are needed, not both"
        )
    return "".join(head["alone"])


def _column(name: str, words: str) -> tuple[str, str, str]:
    column, unit, meaning = ([*(word.strip() for word in words.split("|")), "", ""])[:3]
    if unit not in UNITS or not meaning:
        raise ValueError(
            f"{name}: column {words!r}; NAME | UNIT | meaning is needed, units: {', '.join(sorted(UNITS))}"
        )
    return column, unit, meaning


def _columns(name: str, rows: Iterator[list[str]], unit: dict[str, str]) -> dict[str, Values]:
    header = next(rows, [])
    if not header or header != list(unit):
        raise ValueError(f"{name}: the table's columns are {header}, its head describes {list(unit)}")
    table = list(rows)
    if not table or any(len(row) != len(header) for row in table):
        raise ValueError(f"{name}: every row needs {len(header)} values, and there must be one")
    by_column = zip(*table, strict=True)
    return {column: _values(words, unit[column]) for column, words in zip(header, by_column, strict=True)}


DIGITS = 19  # of the largest int64


def _values(words: tuple[str, ...], unit: str) -> Values:
    """Return words unchanged; whole numbers as int64 where all are whole; else float64."""
    if unit == "word":
        return _sealed(np.array(words, dtype=np.str_))
    if all(word.isdecimal() and len(word) < DIGITS for word in words):
        return _sealed(np.array([int(word) for word in words], dtype=np.int64))
    return _sealed(np.array([float(word) for word in words], dtype=np.float64))


def _sealed(values: Values) -> Values:
    values.flags.writeable = False
    return values
