"""Points of the loops of much code: the time of one iteration, and of a line of its code.

line = time of an iteration / (bytes of code / 64)    [s]
"""

from typing import ClassVar

from tierscope.record.result import Record, Run
from tierscope.record.work.code import CodeWork
from tierscope.suites.core.code import LINE
from tierscope.suites.core.labels import ProbeLabels
from tierscope.suites.core.row_code import CoreCodeRow
from tierscope.tables import Insight, Main, tables
from tierscope.tables.measured import closing, measured, records


class CoreCode:
    """One row for each loop of code that was timed."""

    name: ClassVar[str] = "core_code"
    title: ClassVar[str] = "Loops of code that a core fetches"
    keys: ClassVar[tuple[str, ...]] = ("level", "footprint_bytes", "straight", "jumps", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("time_s", less_is_better=True),)
    row: ClassVar[type[CoreCodeRow]] = CoreCodeRow
    place: ClassVar[int] = 1002  # next to the other points
    in_terminal: ClassVar[bool] = False

    def rows(self, run: Run) -> list[CoreCodeRow]:
        return [_row(run, record) for record in records(run, self.name)]

    def insights(self, run: Run, rows: list[CoreCodeRow]) -> list[Insight]:
        """Return an empty list: the findings are those of the parameters."""
        del run, rows
        return []


def _row(run: Run, record: Record) -> CoreCodeRow:
    point = measured(run, record)
    group = record.experiment.groups[0]
    work, bytes_ = group.workload.of(CodeWork), group.workload.footprint_bytes
    rate = point.groups[0].interval
    time = rate.inverse() if rate.count else None
    return CoreCodeRow(
        level=ProbeLabels.read(record.experiment).level,
        footprint_bytes=bytes_,
        straight=work.straight,
        jumps=work.jumps,
        time=time,
        line=time.times(LINE / bytes_) if time else None,
        target=record.groups[0].target,
        **closing(record, point),
    )


tables.add(CoreCode())
