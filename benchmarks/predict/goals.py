"""The score of all cells together, each figure with its goal.

Errors are of answers alone, and so is the share of truths within the bounds: a cell without an answer counts in the
share that is not known.
"""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

import numpy as np

CONTAINED = (0.87, 0.93)  # of answers
HALF_WIDTH = 0.10  # mean, of the prediction
UNKNOWN = 0.25  # of cells, at most


class Goals(NamedTuple):
    """Most of the relative error."""

    median: float
    p90: float


REAL, SIMULATED = Goals(0.05, 0.12), Goals(0.03, 0.08)


class Told(NamedTuple):
    """A cell: the truth, and the answer; None where it is not known. noise: relative half-width of the truth."""

    truth: float
    ratio: float | None
    low: float | None = None
    high: float | None = None
    noise: float = 0.0

    def contained(self, *, noisy: bool = False) -> bool:
        """Return whether the bounds contain the truth; noisy: or may contain it, as far as the truth is known."""
        if self.low is None or self.high is None:
            return False
        off = self.noise * self.truth if noisy else 0.0
        return self.low - off <= self.truth <= self.high + off


def summary(name: str, cells: Sequence[Told], goals: Goals) -> Iterator[str]:
    """Yield the lines of our model."""
    known = [one for one in cells if one.ratio is not None and one.low is not None and one.high is not None]
    answered = f"{name}: {len(known)} of {len(cells)} cells answered"
    if not known:
        yield answered
        return
    left_out = 1 - len(known) / len(cells)
    inside, nearly = ([one.contained(noisy=noisy) for one in known] for noisy in (False, True))
    half = float(np.mean([half_width(one) for one in known]))
    yield f"{answered}; {left_out:.0%} not known (goal: at most {UNKNOWN:.0%})"
    yield errors(name, cells, goals)
    least, most = CONTAINED
    yield (f"{name}: bounds contain {sum(inside)} of {len(inside)}, {np.mean(inside):.0%} (goal: {least:.0%} to "
           f"{most:.0%}); mean half-width {half:.1%} (goal: {HALF_WIDTH:.0%})")  # fmt: skip
    if any(one.noise for one in known):
        yield (f"{name}: bounds may contain {sum(nearly)} of {len(nearly)}, {np.mean(nearly):.0%}, with the noise of "
               f"the measured ratio, {np.mean([one.noise for one in known]):.1%} on average")  # fmt: skip


def half_width(one: Told) -> float:
    """Return half of the bounds over the answer; 0 without one."""
    if one.ratio is None or one.low is None or one.high is None:
        return 0.0
    return (one.high - one.low) / 2 / one.ratio


def errors(name: str, cells: Sequence[Told], goals: Goals) -> str:
    """Return a line with the errors of a model, or of the program against itself."""
    sizes = [abs(one.ratio / one.truth - 1) for one in cells if one.ratio is not None]
    if not sizes:
        return f"{name}: no cell"
    return (f"{name}: error of {len(sizes)} cells: median {median(sizes):.1%} (goal: {goals.median:.0%}), "
            f"p90 {np.percentile(sizes, 90):.1%} (goal: {goals.p90:.0%}), worst {max(sizes):.1%}")  # fmt: skip
