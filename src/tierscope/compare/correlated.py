"""The counters that change with the time over the points of a run: rows of `tierscope correlate`.

    counter    = events of a point / operations of the counted blocks     [1]; task-clock [ns]
    time       = 1 / median rate of its one group; of operations on a structure, by rounds      [s]

The points of one table and one kernel are one sweep. Counters that are the same at all points show nothing and are left
out. Counters are those of a simulated machine, or the performance events of `counters=`; those of a second pass on
simulated caches have other names. Blind to points of several groups, whose counters cannot be separated. Idea of the
map: document 004.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tierscope.errors import ResultError
from tierscope.record.counting import SIMULATED
from tierscope.record.result import Record, Run
from tierscope.record.work.key import KeyedWork
from tierscope.sound import reads
from tierscope.stats.correlation import FEWEST, Correlation
from tierscope.tables.measured import judged, measured

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
        """Return the counter as `correlate --json` writes it."""
        bounds = {
            f"{kind}{end}": value
            for kind, one in zip(KINDS, (self.linear, self.rank), strict=True)
            for end, value in (("", one.middle), ("_low", one.low), ("_high", one.high))
        }
        return {"sweep": self.sweep, "counter": self.counter, "points": self.points, **bounds}


@reads("the correlation")
def correlated(run: Run) -> list[Correlated]:
    """Return rows, strongest first in each sweep. ResultError where no sweep has counters at enough points."""
    return [one for sweep, records in sweeps_of(run).items() for one in _of(run, sweep, records)]


def sweeps_of(run: Run) -> dict[str, list[Record]]:
    """Return the points with counters, by sweep. ResultError where no sweep has enough of them."""
    sweeps: dict[str, list[Record]] = {}
    for record in run.result.records:
        if _counts(record) and len(record.groups) == 1 and math.isfinite(seconds_of(run, record)):
            sweeps.setdefault(_sweep(record), []).append(record)
    most = max(map(len, sweeps.values()), default=0)
    if most < FEWEST:
        raise ResultError(
            f"{run.path} has counters at {most} point{'s' * (most != 1)} of one kernel, and a correlation needs "
            f"{FEWEST}; try tierscope run latency counters=default, or target=sim:ddr5"
        )
    return sweeps


def _sweep(record: Record) -> str:
    """Return the name of the sweep, whose points differ in size alone: operations on a structure are separate."""
    work = record.experiment.groups[0].workload.work
    operation = work.operation if isinstance(work, KeyedWork) else ""
    return " ".join(filter(None, (record.experiment.table, record.groups[0].kernel, operation)))


def seconds_of(run: Run, record: Record) -> float:
    """Return the seconds of one operation; they are infinite where nothing undisturbed was measured."""
    if record.timings:
        return judged(run, record).contrasts[0].seconds.middle
    rate = measured(run, record).groups[0].interval.middle
    return 1 / rate if rate > 0 else math.inf


def _counts(record: Record) -> bool:
    return bool(record.counters) or any(event.counted for one in record.counted for event in one.events)


def per_operation(run: Run, record: Record) -> dict[str, float]:
    """Return values by counter; a simulated machine's own where it counts everything."""
    if record.counters:
        operations = float(run.blocks(record)["operations"].sum())
        return {name: count / operations for name, count in record.counters.items()}
    return {
        f"{event.event} (simulated)" if one.origin == SIMULATED else event.event: event.estimate / one.operations
        for one in record.counted
        for event in one.events
        if event.counted and one.operations
    }


def _of(run: Run, sweep: str, records: list[Record]) -> list[Correlated]:
    seconds = np.array([seconds_of(run, record) for record in records])
    counted = [per_operation(run, record) for record in records]
    found = []
    for name in dict.fromkeys(key for one in counted for key in one if all(key in other for other in counted)):
        events = np.array([one[name] for one in counted])
        linear, rank = Correlation.linear(events, seconds), Correlation.rank(events, seconds)
        if linear and rank:
            found.append(Correlated(sweep, name, len(records), linear, rank))
    return sorted(found, key=lambda one: -max(abs(one.linear.middle), abs(one.rank.middle)))
