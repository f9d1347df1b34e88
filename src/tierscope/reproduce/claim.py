"""A figure that a document prints, recomputed; claims that gather figures; which of them are true.

A figure is true if the recomputed one rounds to the printed digits. Where it is computed from numbers that are rounded
themselves, `slack` states how far their rounding can move it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tierscope.reproduce.score import Score

ROUNDING = 1e-9  # of the value: binary floating point is not to decide a tie


@dataclass(frozen=True, slots=True)
class Figure:
    """`step`: the value of the last printed digit. `fault`: why we claim that it is false; "": we claim it is true.

    Texts are compared unchanged. `measured`: what a predicted figure is scored against.
    """

    label: str
    published: float | str
    recomputed: float | str
    step: float = 1.0
    slack: float = 0.0
    fault: str = ""
    measured: float | None = None

    @property
    def difference(self) -> float | None:
        """Return recomputed - published; None for words."""
        if isinstance(self.published, str) or isinstance(self.recomputed, str):
            return None
        return self.recomputed - self.published

    @property
    def holds(self) -> bool:
        if isinstance(self.published, str) or isinstance(self.recomputed, str):
            return self.published == self.recomputed
        printed = self.step * round(self.published / self.step)
        room = self.step / 2 + self.slack + ROUNDING * max(abs(printed), self.step)
        return abs(self.recomputed - printed) <= room

    @property
    def as_claimed(self) -> bool:
        """Return whether it is true where we claim so, and false where we give a reason."""
        return self.holds == (not self.fault)

    @property
    def decimals(self) -> int:
        """The value of the printed figure."""
        return max(0, -math.floor(math.log10(self.step) + ROUNDING))


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of a document, and its location."""

    where: str
    says: str
    unit: str
    figures: tuple[Figure, ...]
    of: str = ""  # what the labels count

    @property
    def good(self) -> int:
        """Return the figures that are true."""
        return sum(figure.holds for figure in self.figures)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Return why figures are wrong, each reason once."""
        return tuple(dict.fromkeys(figure.fault for figure in self.figures if figure.fault))


@dataclass(frozen=True, slots=True)
class Document:
    """`claims`, `remarks` (other findings of the figures) and `scores` (of models) are computed when asked for."""

    name: str
    title: str
    claims: Callable[[], list[Claim]]
    remarks: Callable[[], list[str]]
    scores: Callable[[], list[Score]] = list


def direction(values: Sequence[float]) -> str:
    """Return 'rises' or 'falls' where every step does, else 'neither'."""
    steps = [after - before for before, after in pairwise(values)]
    if all(step > 0 for step in steps):
        return "rises"
    return "falls" if all(step < 0 for step in steps) else "neither"


def mean_error(predicted: Sequence[float], measured: Sequence[float], over: Sequence[float] | None = None) -> float:
    """Return the mean of |predicted - measured| / over, in percent; over what was measured unless stated otherwise."""
    under = measured if over is None else over
    errors = [abs(p - m) / u for p, m, u in zip(predicted, measured, under, strict=True)]
    return 100 * sum(errors) / len(errors)
