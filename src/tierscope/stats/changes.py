"""Change points of a short series: where its mean moved, and how sure that is.

The place with the largest Student's t of the two means is tried, of all places that leave LEAST points on both sides.
Its chance is that of Student's distribution, times the number of places (Bonferroni), times `tests`, the number of
series that are tested together. The series is cut there if the chance is at most 1 - confidence and the means differ by
`least` or more. Both parts are then searched in the same way. All values are logarithms, so that differences are
ratios.

The points must be independent of one another: a slow drift is cut into steps, and a season into many.
Sources: E. S. Page, "Continuous Inspection Schemes", Biometrika 41, 1954; A. J. Scott and M. Knott, "A Cluster Analysis
Method for Grouping Means in the Analysis of Variance", Biometrics 30, 1974 (cutting in two again and again).
"""

import math
from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats

LEAST = 3  # points on each side: the spread of two cannot be trusted


@dataclass(frozen=True, slots=True)
class Change:
    """A change. `place`: index of the first point after it. `before`, `after`: geometric means of its two sides."""

    place: int
    before: float
    after: float
    chance: float  # probability of such a step without a change, corrected for all places and series

    @property
    def ratio(self) -> float:
        return self.after / self.before


def changes(series: Floats, *, tests: int = 1, confidence: float = 0.95, least: float = 0.02) -> tuple[Change, ...]:
    """Return the changes in their order; series of shape (points,), positive."""
    if series.size < 2 * LEAST or not (np.isfinite(series).all() and (series > 0).all()):
        return ()
    logs = np.log(series)
    cuts = sorted(_cuts(logs, 0, tests, 1 - confidence, least))
    edges = [0, *(place for place, _ in cuts), logs.size]
    return tuple(
        Change(place, _mean(logs[edges[i] : place]), _mean(logs[place : edges[i + 2]]), chance)
        for i, (place, chance) in enumerate(cuts)
    )


def _mean(logs: Floats) -> float:
    return math.exp(float(logs.mean()))


def _cuts(logs: Floats, offset: int, tests: int, error: float, least: float) -> list[tuple[int, float]]:
    """Return (place, chance) of all cuts of this part."""
    if logs.size < 2 * LEAST:
        return []
    students = _students(logs)
    at = logs.size - 2 * LEAST - int(np.argmax(students[::-1]))  # the last of equal places
    best, place = float(students[at]), LEAST + at
    step = abs(math.expm1(float(logs[place:].mean() - logs[:place].mean())))
    looks = (logs.size - 2 * LEAST + 1) * tests
    if step < least or math.erfc(best / math.sqrt(2)) * looks > error:  # Student's tails are wider than the normal ones
        return []
    chance = min(1.0, _chance(best, logs.size - 2) * looks)
    if chance > error:
        return []
    left = _cuts(logs[:place], offset, tests, error, least)
    right = _cuts(logs[place:], offset + place, tests, error, least)
    return [*left, (offset + place, chance), *right]


def _students(logs: Floats) -> Floats:
    """Return |t| of the two means with a pooled spread at each place from LEAST; infinite for different means without a
    spread.
    """
    places = np.arange(LEAST, logs.size - LEAST + 1)
    before = np.arange(logs.size) < places[:, np.newaxis]
    left = np.where(before, logs, 0.0).sum(axis=1) / places
    right = np.where(before, 0.0, logs).sum(axis=1) / (logs.size - places)
    squares = ((logs - np.where(before, left[:, np.newaxis], right[:, np.newaxis])) ** 2).sum(axis=1)
    error = np.sqrt(squares / (logs.size - 2) * (1 / places + 1 / (logs.size - places)))
    difference = np.abs(left - right)
    alike = np.where(difference > 1e-12, np.inf, 0.0)
    found: Floats = np.where(error > 1e-12, difference / np.maximum(error, 1e-12), alike)
    return found


def _chance(student: float, degrees: int) -> float:
    """Return the two-sided chance by Student's distribution."""
    from scipy.special import stdtr

    return 0.0 if math.isinf(student) else float(2 * stdtr(degrees, -student))
