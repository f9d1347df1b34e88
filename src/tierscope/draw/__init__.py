"""Figures: each turns the rows of one table into a Vega-Lite specification. It draws; it does not compute."""

from typing import Any, Protocol

from tierscope.draw.theme import Spec
from tierscope.record.result import Run
from tierscope.registry import Registry
from tierscope.tables import Insight


class Figure(Protocol):
    """One picture. `table` names the rows that it draws and the table that it is shown with."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def table(self) -> str: ...

    @property
    def reading(self) -> str:
        """Return one or two sentences: what is drawn and how to read it."""
        ...

    def draw(self, run: Run, rows: list[Any], insights: list[Insight]) -> Spec | None:
        """Return a Vega-Lite specification without `$schema` and without references; None where rows are absent.

        rows: as the table made them.
        """
        ...


figures: Registry[Figure] = Registry("figure", "tierscope.suites", part="figure", group="tierscope.figures")
