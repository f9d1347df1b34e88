"""Where two loads stop overlapping: the number of fillers that still fit between them.

    ratio(n) = time of two loads that miss, n fillers behind each / time of one such load and n fillers    [1]

It is about 1 while the second load starts together with the first one, and 2 if it cannot. A point is below or above
LIMIT if its interval excludes LIMIT; otherwise it counts for neither. The step is where the fewest points are on the
wrong side. Its bounds are the points next to it, or one point further on each side if some points contradict the step.
Source: H. Wong, "Measuring Reorder Buffer Capacity", 2013; least misclassification as a change point: D. V. Hinkley,
"Inference about the Change-Point in a Sequence of Binomial Variables", Biometrika 57, 1970.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LIMIT = 1.5  # the middle of 1 and 2
JUMP = 0.35  # of the ratio at the step, at least: the time of the fillers alone grows slowly
BESIDE = 3  # points on each side of the step that give the jump
WRONG = 0.15  # share of the points that may be on the wrong side of a step
FINE = 0.01  # of the step: nearer points are not needed


@dataclass(frozen=True, slots=True)
class Pair:
    """fillers; the ratio of the times, and half of its 95 % interval."""

    fillers: int
    ratio: float
    half: float

    @property
    def side(self) -> int:
        """Return -1 below the limit, 1 above, 0 if the interval contains it."""
        return 0 if abs(self.ratio - LIMIT) <= self.half else (1 if self.ratio > LIMIT else -1)


@dataclass(frozen=True, slots=True)
class Step:
    """low: most fillers that fit; high: fewest that do not, None if all fit. why: "" or why the step is not known."""

    low: int
    high: int | None
    why: str = ""


def step_of(pairs: Sequence[Pair]) -> Step:
    """Return the step. pairs: of one filler, in any order."""
    points = sorted(pairs, key=lambda pair: pair.fillers)
    if len(points) < 2 * BESIDE:
        return Step(0, None, f"{len(points)} points are too few for a step")
    sides = np.array([pair.side for pair in points])
    # wrong[k]: points on the wrong side if the first k of them fit
    wrong = np.concatenate([[0], np.cumsum(sides > 0)]) + np.concatenate([np.cumsum((sides < 0)[::-1])[::-1], [0]])
    least = int(wrong.min())
    if least > WRONG * len(points):
        return Step(0, None, "the time has no single step over the number of fillers")
    possible = np.flatnonzero(wrong <= least + (least > 0))
    first, last = int(possible[0]), int(possible[-1])
    if first == 0:
        return Step(0, None, f"two loads do not overlap with {points[0].fillers} fillers between them")
    low = points[first - 1].fillers
    if last == len(points):
        return Step(low, None, f"{points[-1].fillers} fillers still fit: the step is beyond")
    if not _jumps(points, first, last):
        return Step(0, None, "the fillers take so long that they hide when two loads cease to overlap")
    return Step(low, points[last].fillers)


def _jumps(points: list[Pair], first: int, last: int) -> bool:
    below = [pair.ratio for pair in points[max(first - BESIDE, 0) : first]]
    above = [pair.ratio for pair in points[last : last + BESIDE]]
    return float(np.median(above) - np.median(below)) >= JUMP


def finer(pairs: Sequence[Pair]) -> int | None:
    """Return the number of fillers to measure next; None if the step is known well enough, or not at all."""
    found = step_of(pairs)
    if found.why or found.high is None or found.high - found.low <= max(1, FINE * found.low):
        return None
    known = {pair.fillers for pair in pairs}
    inside = sorted({found.low, found.high, *(n for n in known if found.low < n < found.high)})
    gap = max(itertools.pairwise(inside), key=lambda ends: ends[1] - ends[0])
    return (gap[0] + gap[1]) // 2 if gap[1] - gap[0] > max(1, FINE * found.low) else None
