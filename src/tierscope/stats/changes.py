"""Change points of a short series: where its mean moved, and how sure that is.

Of all places that leave LEAST points on both sides the one with the largest Student's t of the two means is tried; its
chance is that of Student's distribution times the number of places (Bonferroni), times `tests`, the number of series
that are looked at together. If that is at most 1 - confidence and the means differ by `least` or more, the series is
cut there, and both parts are searched in the same way. All in logarithms, so that differences are ratios.

Holds for points that are independent of one another: a slow drift is cut into steps, and a season into many.
Sources: E. S. Page, "Continuous Inspection Schemes", Biometrika 41, 1954; A. J. Scott and M. Knott, "A Cluster Analysis
Method for Grouping Means in the Analysis of Variance", Biometrics 30, 1974 (cutting in two again and again).
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

LEAST = 3  # points on each side: two have no spread that could be believed


@dataclass(frozen=True, slots=True)
class Change:
    """`place`: index of the first point after it. `before`, `after`: geometric means of the parts beside it."""

    place: int
    before: float
    after: float
    chance: float  # of so large a step where there is none, all places and series counted

    @property
    def ratio(self) -> float:
        return self.after / self.before


def changes(series: Floats, *, tests: int = 1, confidence: float = 0.95, least: float = 0.02) -> tuple[Change, ...]:
    """In their order; series of shape (points,), positive."""
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
    """(place, chance) of all cuts of this part."""
    if logs.size < 2 * LEAST:
        return []
    students = _students(logs)
    at = logs.size - 2 * LEAST - int(np.argmax(students[::-1]))  # the last one of equal places
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
    """|t| of the two means with a pooled spread at each place from LEAST; infinite without a spread if they differ."""
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
    """Two-sided, of Student's distribution."""
    from scipy.special import stdtr

    return 0.0 if math.isinf(student) else float(2 * stdtr(degrees, -student))
