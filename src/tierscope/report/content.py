"""The content of a report on one run: its tables with their insights and findings, and its drawn figures.

Computed once for each run and process: writers and the terminal share it.
"""

import functools
from dataclasses import dataclass
from typing import Any

from tierscope.audit import Audit, Failure, examine
from tierscope.audit.own import statements
from tierscope.draw import Figure, figures
from tierscope.draw.theme import Spec
from tierscope.printable import printable_all
from tierscope.record.result import Finding, Run
from tierscope.sound import reads
from tierscope.suites.series.points import COLUMNS, choose, series_rows
from tierscope.tables import Asked, Column, Flat, Insight, Unjudged, flat, tables
from tierscope.tables.kept import keep

SERIES_PLACE = 80  # of the blocks over time, not a table: after the main questions, before a user's own groups

SEVERITY = ("bad", "unknown", "note", "good")
"""Verdicts of findings, the worst first."""


@dataclass(frozen=True, slots=True)
class Section:
    """One table with all that is shown with it."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: list[Flat]
    typed: list[Any]  # the same as the table made them
    insights: list[Insight]
    findings: tuple[Finding, ...]  # those that touch it, the worst first; good ones left out
    failures: tuple[Failure, ...] = ()  # identities that its numbers do not keep

    @property
    def asked(self) -> Asked | None:
        """Return what the reader of its table wants to know; None for the blocks over time, which are not a table."""
        return tables[self.name].asked if self.name in tables else None

    @property
    def bounded(self) -> Unjudged | None:
        """Return which of its numbers have bounds without judged blocks; None for most tables."""
        return tables[self.name].bounded if self.name in tables else None

    @property
    def judged(self) -> list[Flat]:
        """Return the rows that are conclusive or not."""
        return [row for row in self.rows if "conclusive" in row]

    @property
    def sure(self) -> bool:
        """Return whether most of its points are conclusive: what is best among the few others is not the best."""
        return 2 * sum(bool(row["conclusive"]) for row in self.judged) >= len(self.judged)

    @property
    def used(self) -> tuple[Column, ...]:
        """Return the columns that have a value in at least one row."""
        return tuple(c for c in self.columns if any(row.get(c.name) not in (None, "") for row in self.rows))


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure that had something to draw."""

    figure: Figure
    spec: Spec
    section: Section


@dataclass(frozen=True, slots=True)
class Content:
    """Sections by table name, in the order in which they are shown; a table without rows has none."""

    run: Run
    sections: dict[str, Section]
    drawings: tuple[Drawing, ...]
    audit: Audit

    @property
    def insights(self) -> list[Insight]:
        return [insight for section in self.sections.values() for insight in section.insights]

    @property
    def conclusions(self) -> list[Insight]:
        """Return what a headline and key numbers may rest on: conclusive, and of a table that mostly is."""
        return [one for section in self.sections.values() if section.sure for one in section.insights if one.conclusive]

    def rows(self, table: str) -> list[Flat]:
        section = self.sections.get(table)
        return section.rows if section else []

    def typed(self, table: str) -> list[Any]:
        """Return the rows as the table made them."""
        section = self.sections.get(table)
        return section.typed if section else []

    def sure_rows(self, table: str) -> list[Any]:
        """Return the conclusive ones of them, if most of the table is conclusive."""
        section = self.sections.get(table)
        return [row for row in section.typed if row.conclusive] if section and section.sure else []


class _Same:
    """A run as the key of a cache: equal only to itself, since runs contain dicts."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def __hash__(self) -> int:
        return id(self.run)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.run is self.run


def gather(run: Run) -> Content:
    """Return tables, insights and figures of `run`; ResultError if its samples are damaged."""
    return _gather(_Same(run))


@functools.lru_cache(maxsize=2)
@reads("the report")
def _gather(same: _Same) -> Content:
    run = same.run
    typed = {name: tables[name].rows(run) for name in tables}
    said = {name: tables[name].insights(run, rows) for name, rows in typed.items() if rows}
    rows = {name: [flat(row) for row in typed[name]] for name in typed}
    audit = examine(statements(run, rows, said))
    sections = {name: _section(run, name, typed[name], rows[name], said[name], audit) for name in said}
    blocks = series_rows(run, choose(run, rows))
    if blocks:
        sections["series"] = Section("series", "Blocks over time", COLUMNS, blocks, blocks, [], ())
    sections = {name: sections[name] for name in sorted(sections, key=_place)}
    content = Content(run, sections, tuple(_drawings(run, sections)), audit)
    keep(run)
    return content


def _section(run: Run, name: str, typed: list[Any], rows: list[Flat], said: list[Insight], audit: Audit) -> Section:
    table = tables[name]
    failures = tuple(one for one in audit.failures if one.table == name)
    return Section(name, table.title, table.columns, rows, typed, said, touching(run, name), failures)


def touching(run: Run, table: str) -> tuple[Finding, ...]:
    """Return the findings that affect `table` and are not good, the worst first."""
    topics = {table, *tables[table].topics}
    return tuple(f for f in ranked(run.result.findings) if topics.intersection(f.touches) and f.verdict != "good")


def ranked(findings: tuple[Finding, ...]) -> list[Finding]:
    """Return the worst first, by name among equals."""
    return sorted(findings, key=lambda f: (SEVERITY.index(f.verdict) if f.verdict in SEVERITY else 1, f.name))


def _place(name: str) -> tuple[int, str]:
    """Return the place in the order of the questions: how much, how soon, how soon under load, how evenly."""
    return (tables[name].place if name in tables else SERIES_PLACE, name)


def _figure_place(figure: Figure) -> tuple[tuple[int, str], bool, str]:
    """Return the place of a figure: by table; the one with the table's name comes first."""
    return _place(figure.table), figure.name != figure.table, figure.name


def _drawings(run: Run, sections: dict[str, Section]) -> list[Drawing]:
    drawings = []
    for figure in sorted((figures[name] for name in figures), key=_figure_place):
        section = sections.get(figure.table)
        spec = figure.draw(run, section.typed, section.insights) if section else None
        if section and spec:
            drawings.append(Drawing(figure, printable_all(spec), section))
    return drawings
