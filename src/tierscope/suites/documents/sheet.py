"""A document as a reader sees it: its claims, and its published tables.

Each file `sheet_NNN.py` is one document, which its last line adds to the registry.
"""

from collections.abc import Callable
from dataclasses import dataclass

from tierscope.registry import Registry
from tierscope.suites.documents.cells import Cell
from tierscope.suites.documents.claim import Claim
from tierscope.suites.documents.found import Found


@dataclass(frozen=True)
class Sheet:
    """`name`: the document's, "002". cells: its tables with the numbers of a run, where the run has them."""

    name: str
    claims: tuple[Claim, ...]
    cells: Callable[[Found], list[Cell]]


sheets: Registry[Sheet] = Registry("sheet", "tierscope.suites", part="sheet_", group="tierscope.sheets")
"""Sheets by the names of their documents."""

PREFIX = "document-"  # of a suite


def sheet_of(suite: str) -> Sheet | None:
    """Return the sheet of a suite; None for a suite that does not repeat a document."""
    name = suite.removeprefix(PREFIX)
    return sheets[name] if suite.startswith(PREFIX) and name in sheets else None
