"""A model on what a document measured: points that it has not seen, each with bounds, and how far off they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tierscope.arrays import Floats

NORMAL = 0.6745  # the median of a normal deviation, in standard deviations
SECOND = 6**0.5  # the deviation of a second difference, in those of its values: 1, -2, 1


@dataclass(frozen=True, slots=True)
class Point:
    """One that was left out; low, high: None where the model states no bounds."""

    label: str
    predicted: float
    measured: float
    low: float | None = None
    high: float | None = None

    @property
    def error(self) -> float:
        """Return (predicted - measured) / measured."""
        return self.predicted / self.measured - 1


@dataclass(frozen=True, slots=True)
class Score:
    """`given`: what the model knows; `published`: the document's own model, shown next to ours.

    `beside`: whether each of its points is shown next to those of the published ones.
    """

    model: str
    given: str
    points: tuple[Point, ...]
    published: bool = False
    beside: bool = False

    @property
    def mean_error(self) -> float:
        """Return the mean of |error|."""
        return float(np.mean([abs(point.error) for point in self.points]))

    @property
    def worst(self) -> Point:
        """Return the point with the largest error."""
        return max(self.points, key=lambda point: abs(point.error))

    @property
    def inside(self) -> float | None:
        """Return the share of points within their bounds; None without bounds."""
        known = [point.low <= point.measured <= point.high for point in self.points
                 if point.low is not None and point.high is not None]  # fmt: skip
        return sum(known) / len(known) if known else None

    @property
    def half_width(self) -> float | None:
        """Return the mean of half of the bounds' width over the prediction."""
        halves = [(point.high - point.low) / 2 / point.predicted for point in self.points
                  if point.low is not None and point.high is not None]  # fmt: skip
        return float(np.mean(halves)) if halves else None

    def row(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "model": self.model, "given": self.given, "published": self.published, "points": len(self.points),
            "mean_error": self.mean_error, "worst_error": self.worst.error, "worst": self.worst.label,
            "inside": self.inside, "half_width": self.half_width,
            "rows": [
                {"label": one.label, "predicted": one.predicted, "measured": one.measured, "error": one.error,
                 "low": one.low, "high": one.high}
                for one in self.points
            ],
        }  # fmt: skip


def side_by_side(scores: Sequence[Score]) -> list[Score]:
    """Return the published models and those to be shown next to them; [] unless all have the same points."""
    shown = [one for one in scores if one.published or one.beside]
    rows = {tuple((point.label, point.measured) for point in one.points) for one in shown}
    return shown if len(rows) == 1 and len(shown) > 1 else []


def nearest(scores: Sequence[Score]) -> list[int]:
    """Return which of the models is nearest to what was measured, of each point; all have the same points."""
    errors = np.abs([[point.error for point in one.points] for one in scores])
    return [int(place) for place in errors.argmin(axis=0)]


def scatter(values: Sequence[float] | Floats) -> float:
    """Return the relative deviation of one value of a smooth series, by its second differences; shape (points,).

    Source: J. von Neumann and others, "The Mean Square Successive Difference", Annals of Mathematical Statistics, 1941.
    """
    second = np.diff(np.log(np.asarray(values, dtype=np.float64)), 2)
    return float(np.median(np.abs(second)) / NORMAL / SECOND)
