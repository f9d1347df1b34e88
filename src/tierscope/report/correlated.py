"""Which counters go with time over the points of a run: rows of `tierscope correlate`.

    counter    = events of a point / operations of all its blocks     [1]
    time       = 1 / median rate of its one group                     [s]

The points of one table and one kernel are one sweep. Counters that are the same at all points say nothing and are left
out. Blind to points of several groups, whose counters nobody can tell apart. Idea of the map: document 004.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tierscope.errors import ResultError
from tierscope.result import Record, Run
from tierscope.stats.correlation import FEWEST, Correlation
from tierscope.tables.measured import measured

KINDS = ("linear", "rank")


@dataclass(frozen=True, slots=True)
class Correlated:
    """One counter over one sweep."""

    sweep: str
    counter: str
    points: int
    linear: Correlation
    rank: Correlation

    def row(self) -> dict[str, Any]:
        """As the keys of `correlate --json`."""
        bounds = {
            f"{kind}{end}": value
            for kind, one in zip(KINDS, (self.linear, self.rank), strict=True)
            for end, value in (("", one.middle), ("_low", one.low), ("_high", one.high))
        }
        return {"sweep": self.sweep, "counter": self.counter, "points": self.points, **bounds}


def correlated(run: Run) -> list[Correlated]:
    """Strongest first in each sweep. ResultError where no sweep has counters at enough points."""
    sweeps: dict[str, list[Record]] = {}
    for record in run.result.records:
        if record.counters and len(record.groups) == 1 and measured(run, record).groups[0].interval.middle > 0:
            sweeps.setdefault(f"{record.experiment.table} {record.groups[0].kernel}", []).append(record)
    most = max(map(len, sweeps.values()), default=0)
    if most < FEWEST:
        raise ResultError(
            f"{run.path} has counters at {most} points of one kernel, and a correlation needs {FEWEST}; simulated "
            "machines count: try tierscope run latency target=sim:ddr5"
        )
    return [one for sweep, records in sweeps.items() for one in _of(run, sweep, records)]


def _of(run: Run, sweep: str, records: list[Record]) -> list[Correlated]:
    seconds = np.array([1 / measured(run, record).groups[0].interval.middle for record in records])
    operations = np.array([float(run.blocks(record)["operations"].sum()) for record in records])
    found = []
    for name in dict.fromkeys(key for record in records for key in record.counters):
        events = np.array([float(record.counters.get(name, 0)) for record in records]) / operations
        linear, rank = Correlation.linear(events, seconds), Correlation.rank(events, seconds)
        if linear and rank:
            found.append(Correlated(sweep, name, len(records), linear, rank))
    return sorted(found, key=lambda one: -max(abs(one.linear.middle), abs(one.rank.middle)))
