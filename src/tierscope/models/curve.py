"""One counter over the number of operations: the family that best predicts points that it has not seen.

Each family is fitted without each place, one after the other (`held_out`). Candidates are the families whose root mean
square error is within one standard error of the best. The one with the fewest terms is chosen, the better one among
equals: L. Breiman, J. Friedman, R. Olshen and C. Stone, "Classification and Regression Trees", 1984 (the 1 SE rule).

Inside the fitted span the bounds are Student's 95 % interval of the held-out errors. Outside, they grow by the distance
in spans' ends, and include what every other family predicts, since the data do not show which of them continues.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from tierscope.arrays import Floats
from tierscope.models.families import FAMILIES, Family, coefficients, value
from tierscope.models.model import FitError, Prediction, Span, clean, held_out, scale

FEWEST = 4  # a line through all but one place still leaves one that could disagree
EXACT = 1e-9  # held-out errors below are rounding
LEVEL = 0.975  # of Student's distribution, both tails: 95 %


@dataclass(frozen=True, slots=True)
class Curve:
    """A family with its coefficients. `share`: half of the interval over the value; `rivals`: the other families."""

    what: str
    form: Family
    coefficients: tuple[float, ...]
    valid: Span
    share: float = 0.0
    floor: float = 0.0  # of the value that `share` is taken of
    rivals: tuple[tuple[Family, tuple[float, ...]], ...] = ()
    magnitude: bool = False  # negative values are taken without their sign, as document 004 does; else they are 0
    most: float = np.inf  # more is not possible (1 for a ratio)

    @classmethod
    def fit(cls, what: str, operations: Floats, counts: Floats, /) -> "Curve":
        """Return the chosen family, fitted; both arrays of shape (points,). FitError under four different numbers of
        operations.
        """
        n, y = clean(what, operations, counts, FEWEST)
        scores = {form: score for form in FAMILIES if (score := _score(form, n, y)) is not None}
        best = min(scores, key=lambda form: scores[form][0])
        limit = max(sum(scores[best]), EXACT)
        form = min((f for f in scores if scores[f][0] <= limit), key=lambda f: (f.terms, scores[f][0]))
        return cls(
            what=what,
            form=form,
            coefficients=coefficients(form, n, y),
            valid=Span("operations", float(n.min()), float(n.max())),
            share=_student(np.unique(n).size - form.terms) * scores[form][0],
            floor=float(scale(y).min()),
            rivals=tuple((other, coefficients(other, n, y)) for other in scores if other is not form),
        )

    def at(self, operations: float) -> float:
        """Return the curve itself, including its sign."""
        return float(value(self.form, self.coefficients, np.array([float(operations)]))[0])

    def predict(self, operations: float) -> Prediction:
        """Return a prediction with bounds; wide and with a warning outside the span. UsageError for operations not
        above 0.
        """
        beyond = self.valid.distance(operations)
        bare = self.at(operations)
        half = self.share * beyond * max(abs(bare), self.floor)
        others = [float(value(f, c, np.array([float(operations)]))[0]) for f, c in self.rivals] if beyond > 1 else []
        low, high = min([bare - half, *others]), max([bare + half, *others])
        if self.magnitude and bare < 0:
            bare, low, high = -bare, -high, -low
        warnings = (*(f"{self.what}: {text}" for text in self.valid.warnings(operations)), *self._doubts(operations))
        return Prediction(max(bare, 0.0), max(low, 0.0), max(high, 0.0), "1", warnings)

    def _doubts(self, operations: float) -> list[str]:
        bare = self.at(operations)
        doubts = []
        if bare < 0:
            taken = "its magnitude" if self.magnitude else "0"
            doubts.append(f"{self.what}: the curve is negative ({bare:.4g}) at {operations:g}; {taken} is taken")
        if abs(bare) > self.most:
            doubts.append(f"{self.what}: the curve gives {bare:.3g} at {operations:g}, more than {self.most:g}")
        return doubts


def _score(form: Family, n: Floats, y: Floats) -> tuple[float, float] | None:
    """Return the root mean square of the held-out errors and its standard error; None if the family cannot be tried."""
    try:
        errors = held_out(lambda x, z: partial(value, form, coefficients(form, x, z)), n, y)
    except FitError:
        return None
    if np.unique(n).size < form.terms + 2:
        return None
    squares = errors**2
    rms = float(np.sqrt(squares.mean()))
    spread = float(squares.std(ddof=1) / np.sqrt(squares.size))
    return rms, spread / (2 * rms) if rms > 0 else 0.0  # of the root, by its derivative


def _student(freedom: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(max(freedom, 1), LEVEL))
