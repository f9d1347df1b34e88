"""The points of one target by their work, in the form that the suite's statistics accept."""

from collections.abc import Iterable

from tierscope.record.work.code import CodeWork
from tierscope.record.work.loop import LoopWork
from tierscope.stats.median import Interval
from tierscope.suites.core.ask import Control
from tierscope.suites.core.code import Times
from tierscope.suites.core.flight import Line
from tierscope.suites.core.row import CorePointsRow
from tierscope.suites.core.row_code import CoreCodeRow
from tierscope.suites.core.step import Pair
from tierscope.tables.measured import weighed

LoopTimes = dict[LoopWork, tuple[float, float]]


def work_of(row: CorePointsRow) -> LoopWork:
    """Return the work of a point."""
    return LoopWork(
        chains=row.chains, beside=row.beside, filler=row.filler, fillers=row.fillers, random=row.random,
        train=row.train, stride=row.stride, ahead=row.ahead, windows=row.windows, apart=row.apart, down=row.down,
        parity=row.parity,
    )  # fmt: skip


class Points:
    """Seconds of an iteration and half of its interval, of the points that have both; rows of one target."""

    def __init__(self, rows: Iterable[CorePointsRow]) -> None:
        rows = list(rows)
        self.rows = [row for row in rows if weighed(row.time)]
        self._asked = {row.probe for row in rows}

    def asked(self, probe: str) -> bool:
        """Return whether a probe has points, with a time or without."""
        return probe in self._asked

    def times(self, probe: str, level: str | None = None) -> LoopTimes:
        """Return the times of a probe, of all levels if none is named."""
        return {
            work_of(row): _spread(row.time)
            for row in self.rows
            if row.probe == probe and row.time and level in (None, row.level)
        }

    def one(self, probe: str, work: LoopWork) -> tuple[float, float] | None:
        return self.times(probe).get(work)

    def pairs(self, probe: str, filler: str) -> list[Pair]:
        own = {work: time for work, time in self.times(probe).items() if work.filler == filler}
        control = Control({work.fillers: time for work, time in own.items() if work.chains == 1})
        return [control.pair(work.fillers, *time) for work, time in own.items() if work.chains == 2] if control else []

    def lines(self, level: str, threads: int = 1) -> list[Line]:
        """Return the times of a line; with all threads, `parallel` counts what they ask for together."""
        found: dict[int, Line] = {}
        for work, (seconds, half) in self.times("flight", level).items():
            count = work.chains * (1 + work.beside)
            found[count * threads] = Line(count * threads, seconds / count, half / count)
        return list(found.values())

    def levels(self) -> list[str]:
        return list(dict.fromkeys(row.level for row in self.rows if row.probe == "flight"))

    def threads(self, level: str) -> int:
        return max((row.threads for row in self.rows if row.probe == "flight" and row.level == level), default=1)


class CodePoints:
    """The loops of much code that have a time; rows of one target. nearest: bytes of each of its first caches."""

    def __init__(self, rows: Iterable[CoreCodeRow] = (), nearest: Iterable[int] = ()) -> None:
        self.nearest = tuple(nearest)
        self._rows = [row for row in rows if weighed(row.time)]

    def times(self) -> Times:
        """Return seconds of an iteration and half of its interval, by work and bytes of code."""
        return {
            (CodeWork(straight=row.straight, jumps=row.jumps), row.footprint_bytes): _spread(row.time)
            for row in self._rows
            if row.time
        }

    def sizes(self) -> dict[str, int]:
        """Return the bytes of code in each cache behind the nearest."""
        return {row.level: row.footprint_bytes for row in self._rows if row.level}


def _spread(time: Interval) -> tuple[float, float]:
    return time.middle, (time.high - time.low) / 2


def interval(middle: float, half: float, count: int) -> Interval:
    return Interval(max(middle - half, 0.0), middle, middle + half, count)
