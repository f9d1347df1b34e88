"""Points of the probes of a core: the time of one iteration of each loop.

time = 1 / rate of iterations, of all threads together    [s]
"""

from typing import ClassVar

from tierscope.record.result import Record, Run
from tierscope.record.work.loop import LoopWork
from tierscope.suites.core.labels import ProbeLabels
from tierscope.suites.core.row import CorePointsRow
from tierscope.tables import Insight, Main, tables
from tierscope.tables.measured import closing, measured, records


class CorePoints:
    """One row for each loop of instructions that was timed."""

    name: ClassVar[str] = "core_points"
    title: ClassVar[str] = "Loops that probe a core"
    keys: ClassVar[tuple[str, ...]] = (
        "probe", "level", "filler", "fillers", "chains", "beside", "threads", "random", "train", "stride", "ahead",
        "windows", "apart", "down", "parity", "target",
    )  # fmt: skip
    main: ClassVar[tuple[Main, ...]] = (Main("time_s", less_is_better=True),)
    row: ClassVar[type[CorePointsRow]] = CorePointsRow
    place: ClassVar[int] = 1001  # next to the parameters
    in_terminal: ClassVar[bool] = False

    def rows(self, run: Run) -> list[CorePointsRow]:
        return [_row(run, record) for record in records(run, self.name)]

    def insights(self, run: Run, rows: list[CorePointsRow]) -> list[Insight]:
        """Return an empty list: the findings are those of the parameters."""
        del run, rows
        return []


def _row(run: Run, record: Record) -> CorePointsRow:
    point = measured(run, record)
    group = record.experiment.groups[0]
    work = group.workload.of(LoopWork)
    rate = point.groups[0].interval
    return CorePointsRow(
        probe=ProbeLabels.read(record.experiment).probe,
        level=ProbeLabels.read(record.experiment).level,
        filler=work.filler,
        fillers=work.fillers,
        chains=work.chains,
        beside=work.beside,
        threads=len(group.team.cpus),
        random=work.random,
        train=work.train,
        stride=work.stride,
        ahead=work.ahead,
        windows=work.windows,
        apart=work.apart,
        down=work.down,
        parity=work.parity,
        time=rate.inverse() if rate.count else None,
        target=record.groups[0].target,
        **closing(record, point),
    )


tables.add(CorePoints())
