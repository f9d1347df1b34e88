"""Published: the tables of a document in their own layout, each number next to that of this run.

They contain only the lines that this run measured. A mark in the line shows a number of another program or of another
number of threads. Two numbers in one line are not a verdict; the table `claims` has the verdicts.
"""

from typing import ClassVar

from tierscope.record.result import Run
from tierscope.suites.documents.cells import Cell
from tierscope.suites.documents.found import Found
from tierscope.suites.documents.row import PublishedRow
from tierscope.suites.documents.sheet import sheet_of
from tierscope.tables import Insight, Main, tables

NONE = "this run has no such number"


class Published:
    """One row for each number of the document's tables, in lines that the run measured."""

    name: ClassVar[str] = "document_tables"
    title: ClassVar[str] = "Tables of the document"
    place: ClassVar[int] = 1
    topics: ClassVar[tuple[str, ...]] = ()
    keys: ClassVar[tuple[str, ...]] = ("document", "part", "line", "column")
    main: ClassVar[tuple[Main, ...]] = ()  # the tables that measured them have these
    row: ClassVar[type[PublishedRow]] = PublishedRow

    def rows(self, run: Run) -> list[PublishedRow]:
        sheet = sheet_of(run.result.suite)
        return [_row(sheet.name, cell) for cell in sheet.cells(Found(run))] if sheet else []

    def insights(self, run: Run, rows: list[PublishedRow]) -> list[Insight]:
        del run, rows
        return []


def _row(document: str, cell: Cell) -> PublishedRow:
    here, published = cell.here, cell.published
    reasons = here.reasons if here else (NONE,)
    return PublishedRow(
        document=document,
        part=cell.part,
        line=cell.line,
        column=cell.column,
        of=cell.unit,
        published=published,
        here=here.value if here else None,
        over=here.value.middle / published if here and published else None,
        conclusive=not reasons,
        reasons=reasons,
        blocks=here.blocks if here else 0,
        left_out_share=here.left_out_share if here else 0.0,
        origin=here.origin if here else "real",
    )


tables.add(Published())
