"""The curves that a counter may follow over the number of operations n: six families, the simplest first.

All but the power law are linear in their coefficients and fitted by least squares of errors over values. The power law
is fitted in the same way in logarithms, and only to values above 0. The families are those of performance models with
few terms, see A. Calotoiu, T. Hoefler, M. Poke and F. Wolf, "Using Automated Performance Modeling to Find Scalability
Bugs in Complex Codes", SC 2013; the logarithm is one that document 004 uses.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats
from tierscope.models.model import FitError, scale


@dataclass(frozen=True, slots=True)
class Family:
    """One form with `terms` free coefficients; `basis` gives shape (points, terms), None for the power law."""

    name: str
    formula: str
    terms: int
    basis: Callable[[Floats], list[Floats]] | None


FAMILIES = (
    Family("constant", "a", 1, lambda n: [np.ones_like(n)]),
    Family("linear", "a + b n", 2, lambda n: [np.ones_like(n), n]),
    Family("logarithm", "a + b ln n", 2, lambda n: [np.ones_like(n), np.log(n)]),
    Family("n log n", "n (a + b ln n)", 2, lambda n: [n, n * np.log(n)]),
    Family("power", "a n^b", 2, None),
    Family("polynomial 2", "a + b n + c n^2", 3, lambda n: [np.ones_like(n), n, n * n]),
)


def family(name: str) -> Family:
    """Return a family by its name; KeyError is a fault of the programmer."""
    return {known.name: known for known in FAMILIES}[name]


def value(form: Family, coefficients: tuple[float, ...], n: Floats) -> Floats:
    """Return the curve at n, shape (points,)."""
    if form.basis is None:
        a, b = coefficients
        return np.asarray(a * n**b)
    return np.asarray(sum(c * column for c, column in zip(coefficients, form.basis(n), strict=True)))


def coefficients(form: Family, n: Floats, y: Floats) -> tuple[float, ...]:
    """Return the coefficients of the best fit to points of shape (points,).

    FitError for too few, and for values below 0 of a power law.
    """
    if np.unique(n).size < form.terms:
        raise FitError(f"{form.name}: {np.unique(n).size} different places, {form.terms} are needed")
    if form.basis is None:
        if (y <= 0).any():
            raise FitError("power: all values must be above 0")
        b, log_a = np.polyfit(np.log(n), np.log(y), 1)
        return float(np.exp(log_a)), float(b)
    columns = np.stack(form.basis(n), axis=1) / scale(y)[:, None]
    size = np.linalg.norm(columns, axis=0)  # without this, n^2 next to 1 would leave too few digits
    found = np.linalg.lstsq(columns / size, y / scale(y), rcond=None)[0]
    return tuple((found / size).tolist())
