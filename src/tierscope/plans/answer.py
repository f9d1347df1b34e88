"""The answer that a suite receives for an experiment that it requested."""

from dataclasses import dataclass

from tierscope.record.experiment import Experiment
from tierscope.record.result import Record
from tierscope.stats.point import Point


@dataclass(frozen=True)
class Answer:
    """`record` and `point` are None when the run is only being planned, to count its experiments."""

    experiment: Experiment
    record: Record | None = None
    point: Point | None = None

    def rate(self, group: int = 0) -> float | None:
        """Return the median operations/s of one group; None while planning or without a clean block."""
        if self.point is None or self.point.groups[group].interval.count == 0:
            return None
        return self.point.groups[group].interval.middle
