"""The response to each lever, from the rows of its steps.

Inconclusive steps are included: the fit considers their errors. With the lever `clock`, times are counted in cycles:

    x = (latency / cycle) / (latency / cycle without),   y = (time / cycle) / (time / cycle without)
"""

import math
from dataclasses import dataclass

from tierscope.models.model import FitError, Prediction
from tierscope.models.response import Response, Step, response
from tierscope.stats.median import Interval
from tierscope.suites.response.experiments import SHORTEST_S
from tierscope.suites.response.row import ResponseRow
from tierscope.units import show_seconds


@dataclass(frozen=True, slots=True)
class Found:
    """fit: None where there is none, for the reason in `why`. rows: of the lever, that without it first."""

    rows: tuple[ResponseRow, ...]
    fit: Response | None
    why: str

    @property
    def command(self) -> str:
        return self.rows[0].command

    @property
    def lever(self) -> str:
        return self.rows[0].lever

    @property
    def left(self) -> float | None:
        """Return the least bandwidth of a step over that without the lever; None where it is not known."""
        rates = [row.bandwidth.middle for row in self.rows if row.bandwidth]
        base = self.rows[0].bandwidth
        return min(rates) / base.middle if base and base.middle > 0 and len(rates) > 1 else None

    def at(self, ratio: float) -> Prediction | str:
        """Return the slowdown at a ratio of latencies, or why it is not known."""
        if self.fit is None or self.why:
            return self.why
        try:
            return self.fit.predict(ratio)
        except FitError as error:
            return str(error)


def found(rows: list[ResponseRow]) -> list[Found]:
    """Return the response to each lever, of each victim."""
    kinds = dict.fromkeys((row.command, row.lever) for row in rows)
    return [_found(tuple(row for row in rows if (row.command, row.lever) == kind)) for kind in kinds]


def _found(rows: tuple[ResponseRow, ...]) -> Found:
    base, *others = sorted(rows, key=lambda row: row.number)
    ordered = (base, *others)
    if base.seconds and base.seconds.middle < SHORTEST_S:
        why = f"a run takes {show_seconds(base.seconds.middle)}: its start counts; give it more work"
        return Found(ordered, None, why)
    steps = [
        Step(_ends(row.over), _ends(row.slowdown))
        for row in others
        if row.over and row.slowdown and _is_finite(row.over) and _is_finite(row.slowdown)
    ]
    if not steps:
        reasons = next((row.reasons for row in others if row.reasons), ("no step was measured",))
        return Found(ordered, None, reasons[0])
    fit = response(steps)
    return Found(ordered, fit, fit.refused)


def _ends(one: Interval) -> tuple[float, float, float]:
    return one.low, one.middle, one.high


def _is_finite(one: Interval) -> bool:
    return all(math.isfinite(value) and value > 0 for value in _ends(one))
