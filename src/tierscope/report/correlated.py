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
from tierscope.report import heat, vega
from tierscope.report.heat import Axes
from tierscope.report.theme import Spec
from tierscope.report.vega import Point
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


def figure(found: list[Correlated], origin: str) -> Spec:
    """A map for each sweep: lines are counters, columns kinds; the colour is |r|, the cell has its sign."""
    maps = [
        _map(sweep, [one for one in found if one.sweep == sweep]) for sweep in dict.fromkeys(o.sweep for o in found)
    ]
    title = vega.origin_title("Counters and time", origin)
    return vega.finish(title, {"hconcat": maps}, labels=["0.00"], notes=["counters per operation, over the points"])


def _map(sweep: str, found: list[Correlated]) -> Spec:
    points: list[Point] = [
        {"counter": one.counter, "kind": kind, "r": abs(value.middle), "word": f"{value.middle:+.2f}",
         "low": round(value.low, 3), "high": round(value.high, 3)}
        for one in found
        for kind, value in zip(KINDS, (one.linear, one.rank), strict=True)
    ]  # fmt: skip
    axes = Axes("kind", "counter", list(KINDS), [one.counter for one in found], "", "")
    tips = vega.tips(("counter", "counter"), ("word", "r"), ("low", "95 % interval from"), ("high", "to"))
    layers = [heat.cells(axes, "r", 1.0, "|r|", tips), heat.words(axes, "word", "r", 1.0)]
    return heat.chart(axes, points, layers, sweep)
