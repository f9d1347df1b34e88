"""The correlation of counters with each other over the points of a run: rows of `correlate --counters`.

The same sweeps and counters as in `correlated`, counter against counter, and time among them as in document 004's map.
Two counters that are one up to a factor have 1; a model that takes both has one of them twice. With many counters some
pairs are high by chance: the intervals of n pairs are each of 95 %.
Source: document 004, map of the correlations of performance counters.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from tierscope.compare.correlated import per_operation, seconds_of, sweeps_of
from tierscope.record.result import Record, Run
from tierscope.sound import reads
from tierscope.stats.correlation import Correlation

TIME = "time"


@dataclass(frozen=True, slots=True)
class Crossed:
    """Two counters of one sweep, or a counter and time."""

    sweep: str
    counter: str
    other: str
    points: int
    linear: Correlation

    def row(self) -> dict[str, Any]:
        """Return the pair as `correlate --counters --json` writes it."""
        ends = {"linear": self.linear.middle, "linear_low": self.linear.low, "linear_high": self.linear.high}
        return {"sweep": self.sweep, "counter": self.counter, "other": self.other, "points": self.points, **ends}


@reads("the correlation")
def crossed(run: Run) -> list[Crossed]:
    """Return each pair once, sweep by sweep; ResultError where no sweep has counters at enough points."""
    return [pair for sweep, records in sweeps_of(run).items() for pair in _of(run, sweep, records)]


def _of(run: Run, sweep: str, records: list[Record]) -> list[Crossed]:
    counted = [per_operation(run, record) for record in records]
    names = [name for name in dict.fromkeys(key for one in counted for key in one) if all(name in o for o in counted)]
    columns = {TIME: np.array([seconds_of(run, record) for record in records])}
    columns |= {name: np.array([one[name] for one in counted]) for name in names}
    pairs = ((a, b, Correlation.linear(columns[a], columns[b])) for a, b in combinations(columns, 2))
    return [Crossed(sweep, a, b, len(records), linear) for a, b, linear in pairs if linear]
