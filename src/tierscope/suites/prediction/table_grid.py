"""A program on memories that differ from that here in latency and bandwidth alone: what the contours are made of."""

from typing import ClassVar

from tierscope.record.result import Run
from tierscope.suites.prediction.row import CellRow
from tierscope.suites.prediction.table import name_of
from tierscope.tables import Insight, Main, tables


class PredictionGrid:
    """One row for each memory of the grid. Bounds are those of the tiers alone."""

    name: ClassVar[str] = "prediction_grid"
    title: ClassVar[str] = "Slowdown over latency and bandwidth"
    place: ClassVar[int] = 1048
    in_terminal: ClassVar[bool] = False
    topics: ClassVar[tuple[str, ...]] = ()
    keys: ClassVar[tuple[str, ...]] = ("command", "latency_over", "bandwidth_over")
    main: ClassVar[tuple[Main, ...]] = (Main("slowdown", less_is_better=True),)
    row: ClassVar[type[CellRow]] = CellRow

    def rows(self, run: Run) -> list[CellRow]:
        found = run.result.predicted
        if found is None:
            return []
        return [
            CellRow(
                command=name_of(found),
                latency_over=one.latency_over,
                bandwidth_over=one.bandwidth_over,
                slowdown=one.ratio,
                origin=run.result.origin,
            )
            for one in found.cells
        ]

    def insights(self, run: Run, rows: list[CellRow]) -> list[Insight]:
        """Return an empty list: the findings are those of the tiers."""
        del run, rows
        return []


tables.add(PredictionGrid())
