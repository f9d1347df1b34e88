"""How to make a row of the table `core`: known, at least, none, or not known, with a reason."""

import math
from dataclasses import dataclass

from tierscope.stats.median import Interval
from tierscope.suites.core.documented import WHOLE, Documented, beside
from tierscope.suites.core.row import CoreRow

KNOWN, AT_LEAST, NONE, UNKNOWN = "known", "at least", "none", "not known"


@dataclass(frozen=True)
class Made:
    """Makes the rows of one target. vendor: what is documented of its core; None where that is not known."""

    target: str
    origin: str
    vendor: Documented | None = None

    def documented(self, parameter: str) -> int | None:
        """Return the number of a whole core; None where none is documented."""
        return self.vendor.number(parameter) if self.vendor else None

    def known(
        self, parameter: str, level: str, value: Interval, unit: str, *, seconds: Interval | None = None, why: str = ""
    ) -> CoreRow:
        """Return the row; at least this, up to what is documented, where that is more than it may be."""
        whole_core = self.documented(parameter)
        if whole_core and value.low < whole_core * (1 - WHOLE):
            high = min(value.high, float(whole_core))
            some = Interval(value.low, min(value.middle, high), high, value.count)
            return self.at_least(parameter, level, some, unit, beside(value.low, whole_core, parameter))
        return self._row(parameter, level, KNOWN, value, unit, seconds, why, value.count)

    def at_least(self, parameter: str, level: str, value: Interval, unit: str, why: str) -> CoreRow:
        return self._row(parameter, level, AT_LEAST, value, unit, None, why, value.count)

    def none(self, parameter: str, level: str, unit: str, why: str, points: int) -> CoreRow:
        return self._row(parameter, level, NONE, None, unit, None, why, points)

    def unknown(self, parameter: str, level: str, unit: str, why: str, points: int = 0) -> CoreRow:
        return self._row(parameter, level, UNKNOWN, None, unit, None, why, points)

    def _row(
        self, parameter: str, level: str, answer: str, value: Interval | None, unit: str, seconds: Interval | None,
        why: str, points: int,
    ) -> CoreRow:  # fmt: skip
        return CoreRow(
            parameter=parameter,
            level=level,
            answer=answer,
            value=value,
            whole=whole(value) if answer == KNOWN else None,
            unit=unit,
            seconds=seconds,
            why=why,
            points=points,
            documented=self.documented(parameter),
            target=self.target,
            origin=self.origin,
        )


def whole(value: Interval | None) -> int | None:
    """Return the only whole number of an interval; None where there are several or none."""
    if value is None:
        return None
    least, most = math.ceil(value.low - 1e-9), math.floor(value.high + 1e-9)
    return least if least == most else None
