"""The common part of all models: a prediction with its bounds, the known span of a model, and held-out errors."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from tierscope.arrays import Floats
from tierscope.errors import UsageError

Fitter = Callable[[Floats, Floats], Callable[[Floats], Floats]]
"""Takes places and values, gives a function from places to values; FitError where it cannot."""

DIGITS = 4
FLOOR = 0.01  # of the mean: values below it are not divided by, their errors would be without bounds


class FitError(UsageError):
    """Data that a model cannot be fitted to; the message states the available and the needed number."""


@dataclass(frozen=True, slots=True)
class Span:
    """The places between which a model was fitted, or its constants were measured; both ends belong to it."""

    of: str  # what is meant: "operations", "threads"
    low: float
    high: float

    def distance(self, place: float) -> float:
        """Return the factor beyond the nearer end; 1 inside. UsageError for places that are not above 0."""
        if not (math.isfinite(place) and place > 0):
            raise UsageError(f"{self.of}={place:g}: a number above 0 is needed, such as {self.high:g}")
        return max(1.0, self.low / place, place / self.high)

    def warnings(self, place: float) -> tuple[str, ...]:
        """Return one sentence if the place is outside, else none."""
        if self.distance(place) == 1:
            return ()
        return (f"{self.of}={place:g} is outside {self.low:g} to {self.high:g}: this is extrapolated",)


@dataclass(frozen=True, slots=True)
class Prediction:
    """A number in base units between its bounds, and the reasons to doubt it."""

    value: float
    low: float
    high: float
    unit: str
    warnings: tuple[str, ...] = ()

    @property
    def short(self) -> tuple[float, float, float]:
        """Return low, value and high with DIGITS significant digits: no prediction has more."""
        low, value, high = (float(f"{one:.{DIGITS}g}") for one in (self.low, self.value, self.high))
        return low, value, high


class Model(Protocol):
    """The object that every module here registers."""

    name: ClassVar[str]

    @property
    def valid(self) -> Span:
        """Return where its predictions are not an extrapolation."""


def scale(values: Floats) -> Floats:
    """Return the divisor of errors: the values, but no less than 1 % of their mean; 1 where all are 0."""
    floor = FLOOR * float(np.mean(np.abs(values))) or 1.0
    return np.maximum(np.abs(values), floor)


def clean(what: str, places: Floats, values: Floats, least: int) -> tuple[Floats, Floats]:
    """Return both as arrays of float64 of shape (points,); FitError under `least` different places above 0."""
    x, y = np.asarray(places, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape:
        raise FitError(f"{what}: places of shape {x.shape} and values of shape {y.shape}; both need (points,)")
    if not (np.isfinite(x).all() and np.isfinite(y).all() and (x > 0).all()):
        raise FitError(f"{what}: all places must be above 0, and all values finite")
    there = np.unique(x).size
    if there < least:
        raise FitError(f"{what}: {there} different places are there, {least} are needed; measure {least - there} more")
    return x, y


def held_out(fit: Fitter, places: Floats, values: Floats) -> Floats:
    """Return the errors of a fit on points that it has not seen, each over its value; shape (points,).

    Each place is left out once with all its points, and predicted by a fit to the others: (predicted - measured) /
    `scale`. Source: M. Stone, "Cross-Validatory Choice and Assessment of Statistical Predictions", J. Royal Statistical
    Society B, 1974.
    """
    errors = np.empty(places.size)
    for place in np.unique(places):
        out = places == place
        errors[out] = fit(places[~out], values[~out])(places[out]) - values[out]
    return errors / scale(values)
