"""Tables: the records of a run as rows in base units, and the findings of the rows as text.

A table reads the records whose `experiment.table` is its name. Rows are made of the samples. `tables.measured`
remembers judgements until the process ends, `tables.kept` stores rows: the samples stay the truth.
"""

import inspect
from enum import Enum
from pathlib import Path
from types import FunctionType
from typing import Any, Protocol, TypeVar

import msgspec
import numpy as np

from tierscope.record.result import Run
from tierscope.registry import Registry
from tierscope.sound import reads
from tierscope.stats.median import Interval
from tierscope.tables.column import Column
from tierscope.tables.insight import Insight, Number
from tierscope.tables.kept import recall
from tierscope.tables.rows import Flat, JudgedRow, Row, columns_of, flat

ENDINGS = ("_bytes_per_s", "_per_s", "_bytes", "_s")
"""Units at the end of names of columns, which the names of their bounds do not have."""


class Main(msgspec.Struct, frozen=True):
    """A main value of a point, which compare, history and exports show; its unit is that of its column."""

    name: str  # of its column
    less_is_better: bool = False

    @property
    def stem(self) -> str:
        """Return 'bandwidth' of 'bandwidth_bytes_per_s': bounds are `bandwidth_low` and `bandwidth_high`."""
        ending = next((end for end in ENDINGS if self.name.endswith(end)), "")
        return self.name.removesuffix(ending)


class Audited(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of a table's numbers that the audit needs in addition to their names and units."""

    memory: bool = False  # its bytes cross the bus of the memory, whose peak is a limit
    dependent: bool = False  # its latency_s is one dependent access of an idle machine, over footprints
    parts: tuple[tuple[str, tuple[str, ...]], ...] = ()  # (a whole, its parts), by the names of columns
    binned: tuple[str, ...] = ()  # columns that are the middle of a bin of fio


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """The question of a table's reader, and its answer at the top of a page. The first word of an insight is its name.

    answers: insights; the first one that is conclusive makes the headline.
    keys: insight -> name of its number among the key numbers, in that order; `{}` is the rest of the insight's name.
    The largest number of several insights of one name is shown.
    leads: its answer is the headline also of a run that measured a memory.
    """

    question: str
    answers: tuple[str, ...] = ()
    keys: dict[str, str] = {}
    leads: bool = False


class Unjudged(msgspec.Struct, frozen=True, kw_only=True):
    """Rows whose numbers have bounds although no blocks were judged: the page states how many have them, how wide."""

    thing: str  # a word for one row
    number: str  # a field that is an interval, None where it is refused
    names: str  # the column of a row's name
    why: str  # the column of the reason for a refusal
    limits: str = ""  # what the bounds do not promise, as a sentence


class OverTime(Enum):
    """The records of a table that a page shows block by block over time (`suites.series`)."""

    FEW = "the fastest, the most disturbed and the first inconclusive one"  # of a table with a row for each record
    FIRST = "the first ones"
    ALL = "all, with the dips of their threads"


TOPICS = ("bandwidth", "latency")  # of a table that does not state which findings of the doctor affect it
PLACE = 100  # of a table that does not state where it belongs
BESIDE = 1000  # from here on: tables that explain what another one measured, and make no headline


R = TypeVar("R", bound=Row)


class Table(Protocol[R]):
    """The object that every module here registers."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def row(self) -> type[R]:
        """Return the type of a row; its fields are the columns."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the columns of the question of a point: points of two runs that agree in them are the same point."""

    @property
    def main(self) -> tuple[Main, ...]:
        """Return what compare, history and exports show of a point; () where nothing of it is better or worse."""

    def rows(self, run: Run) -> list[R]:
        """Return one row for each point, in the order of the records; ResultError if samples are damaged."""

    def insights(self, run: Run, rows: list[R]) -> list[Insight]:
        """Return what the rows show: absent data give no insight."""


def plain(value: Any) -> Any:
    """Return a number of numpy as Python's own, which JSON and `isinstance(value, int)` need; other values
    unchanged.
    """
    return value.item() if isinstance(value, np.generic) else value


class Plain:
    """A table of any kind of row, whose insights have Python's own numbers, whatever its statistics return.

    A table may state eight things more.
    `place`: its order in a report, the lowest first. `audited`. `in_terminal`: whether a terminal shows it, too.
    `bounded`: which of its numbers have bounds. `topics`: which findings of the doctor affect it. `over_time`: whose
    blocks a page shows over time. `asked`: what its reader wants to know. `says`: the name of each insight with the
    meaning of its value. A word in capitals in a name is a placeholder.
    """

    def __init__(self, table: Table[Any]) -> None:
        self._table = table

    @property
    def name(self) -> str:
        return self._table.name

    @property
    def title(self) -> str:
        return self._table.title

    @property
    def row(self) -> type[Row]:
        kind: type[Row] = self._table.row
        return kind

    @property
    def columns(self) -> tuple[Column, ...]:
        """Return every key of a flat row, in the order in which it is shown."""
        return columns_of(self.row)

    @property
    def file(self) -> Path:
        """Return the module that makes the rows."""
        return Path(inspect.getfile(type(self._table)))

    @property
    def maker(self) -> FunctionType:
        """Return the function that makes the rows."""
        made = inspect.unwrap(type(self._table).rows)
        assert isinstance(made, FunctionType)
        return made

    @property
    def keys(self) -> tuple[str, ...]:
        return self._table.keys

    @property
    def main(self) -> tuple[Main, ...]:
        return self._table.main

    @property
    def about(self) -> str:
        """Return the meaning of a row: the docstring of the table, in light Markdown with links relative to
        docs/reference/.
        """
        return inspect.getdoc(type(self._table)) or ""

    @property
    def says(self) -> dict[str, str]:
        found = getattr(self._table, "says", {})
        assert isinstance(found, dict)
        return found

    @property
    def place(self) -> int:
        return int(getattr(self._table, "place", PLACE))

    @property
    def in_terminal(self) -> bool:
        return bool(getattr(self._table, "in_terminal", True))

    @property
    def over_time(self) -> OverTime | None:
        found = getattr(self._table, "over_time", None)
        assert found is None or isinstance(found, OverTime)
        return found

    @property
    def topics(self) -> tuple[str, ...]:
        found = getattr(self._table, "topics", TOPICS)
        assert isinstance(found, tuple)
        return found

    @property
    def asked(self) -> Asked | None:
        found = getattr(self._table, "asked", None)
        assert found is None or isinstance(found, Asked)
        return found

    @property
    def bounded(self) -> Unjudged | None:
        found = getattr(self._table, "bounded", None)
        assert found is None or isinstance(found, Unjudged)
        return found

    @property
    def audited(self) -> Audited:
        found = getattr(self._table, "audited", Audited())
        assert isinstance(found, Audited)
        return found

    @reads("a table")
    def rows(self, run: Run) -> list[Any]:
        """Return the rows as the table made them, which its insights, figures and terminal form read.

        If the run is complete, they may be stored (`tables.kept`); then no samples are read.
        """
        return recall(run, f"rows of {self.name}", (self.row, Interval), lambda whole: list(self._table.rows(whole)))

    def flat(self, run: Run) -> list[Flat]:
        """Return the rows as everything outside of the suite reads them."""
        return [flat(row) for row in self.rows(run)]

    @reads("what a table shows")
    def insights(self, run: Run, rows: list[Any]) -> list[Insight]:
        """Return the insights; rows: those of `rows`."""
        found = self._table.insights(run, rows)
        return [
            msgspec.structs.replace(one, value=plain(one.value), low=plain(one.low), high=plain(one.high))
            for one in found
        ]


class Tables(Registry[Plain]):
    """The tables by name, each of them as `Plain`."""

    def add(self, entry: Table[Any]) -> None:
        """Register a table; two of one name, and a key or a main value without a column, are the programmer's fault."""
        known = {column.name for column in Plain(entry).columns}
        for name in (*entry.keys, *(main.name for main in entry.main)):
            if name not in known:
                raise ValueError(f"table {entry.name}: {name} is not one of its columns")
        super().add(Plain(entry))


tables = Tables("table", "tierscope.suites", part="table", group="tierscope.tables")

__all__ = [
    "Asked",
    "Audited",
    "Column",
    "Flat",
    "Insight",
    "JudgedRow",
    "Main",
    "Number",
    "OverTime",
    "Row",
    "Table",
    "Unjudged",
    "columns_of",
    "flat",
    "tables",
]
