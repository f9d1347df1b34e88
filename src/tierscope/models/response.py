"""Run time of a program over the latency of its memory, from a lever that slowed the memory in known steps.

    y = 1 + s (x - 1),    x = latency / latency without the lever,  y = time / time without it        [1]

s is the share of the time that grows with latency. Both x and y are measured, and all steps share the one that they are
compared with, so errors of two steps correlate by 1/2. s is where chi^2 is least:

    r = y - 1 - s (x - 1),   V = C * (v_y v_y' + s^2 v_x v_x'),   chi^2(s) = r' V^-1 r

v: standard errors of y and x; C: 1 on the diagonal, 1/2 elsewhere. The interval of s is where chi^2 is below its least
value plus the squared quantile, both times the excess of chi^2 over its degrees of freedom if there is one.

Range: the largest x over the smallest one, less 1. A lever whose range is not surely LEAST_RANGE is refused.
Beyond the largest x the upper bound grows by KINK for each doubling of the distance, (x - 1) / (largest x - 1). Where
latency is only just hidden, time bends up behind the largest step, and no straight line knows it.
The time bends already if a parabola explains the steps surely better, and by BEND of the time or more. Then a line is
too low, and nothing is known beyond the largest step.

Limits: not known beyond FARTHEST distances, and for a memory with less bandwidth than the lever left.
Source: of a line with errors in both coordinates, D. York, "Least-Squares Fitting of a Straight Line", Canadian Journal
of Physics 44, 1966; of the interval, W. A. Rolke, A. M. Lopez and J. Conrad, "Limits and Confidence Intervals in the
Presence of Nuisance Parameters", Nuclear Instruments and Methods A 551, 2005 (profile likelihood).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tierscope.arrays import Floats
from tierscope.models import models
from tierscope.models.model import FitError, Prediction, Span
from tierscope.stats.median import SIGMAS_95

LEAST_RANGE = 0.25  # below it, noise of 1 to 2 % of the time makes errors of 10 % and more at 2.5x the latency
KINK = 0.04  # of the time: the worst of 13 programs on a simulated core needed 2.7 to 4.0 % for each doubling
BEND = 0.02  # of the time at the largest step, by the quadratic term
SURE = 1.645  # one-sided, 95 %
FARTHEST = 10.0  # distances
ALIKE = 0.5  # correlation of two steps
MOST = 4.0  # |s| of any program: the time of one that only waits doubles with the latency, so s is 1
GRID, FINER = 41, 4  # values of s, and how often the best one is looked at more closely
TO_BEND = 3  # steps with the lever


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a lever: x and y with their 95 % bounds."""

    latency: tuple[float, float, float]  # low, middle, high
    time: tuple[float, float, float]

    @property
    def errors(self) -> tuple[float, float]:
        """Return the standard errors of x and y."""
        (low, _, high), (least, _, most) = self.latency, self.time
        return (high - low) / 2 / SIGMAS_95, (most - least) / 2 / SIGMAS_95


@dataclass(frozen=True, slots=True)
class Response:
    """The fit. share: s, low to high; range_: low, middle, high; bends: the time bends up within the steps."""

    name: ClassVar[str] = "response"

    share: float
    share_low: float
    share_high: float
    range_: tuple[float, float, float]
    nearest: float  # smallest and largest x
    farthest: float
    bends: bool = False
    bend_share: float = 0.0  # of the quadratic term, in the time at the largest step

    @property
    def valid(self) -> Span:
        """Return the steps of the lever."""
        return Span("latency over that without the lever", min(self.nearest, 1.0), self.farthest)

    @property
    def refused(self) -> str:
        """Return why the lever is refused, with its range; "" if it is not."""
        low, middle, high = (100 * one for one in self.range_)
        if self.range_[0] >= LEAST_RANGE:
            return ""
        return (
            f"the range of latency is {middle:.0f} % ({low:.0f} to {high:.0f}), not surely {LEAST_RANGE * 100:.0f} %; "
            "use a stronger lever"
        )

    @property
    def arm(self) -> float:
        """Return how far the steps went from the memory without the lever, in x."""
        return max(self.farthest - 1, 1 - self.nearest)

    def distance(self, x: float) -> float:
        """Return how far x is, in arms; up to 1 it was measured."""
        return abs(x - 1) / self.arm if self.arm > 0 else math.inf

    def unknown(self, x: float) -> str:
        """Return why y is not known at x; "" if it is."""
        if self.refused:
            return self.refused
        far = self.distance(x)
        if far > FARTHEST:
            return (
                f"{x:.2f}x the latency is {far:.0f}x as far as the lever went ({self.farthest:.2f}x); a straight "
                f"line is trusted up to {FARTHEST:.0f}x as far"
            )
        if self.bends and far > 1:
            return (
                f"the time bends up within the steps of the lever, by {self.bend_share * 100:.1f} %, and a straight "
                "line is too low beyond them"
            )
        return ""

    def predict(self, x: float) -> Prediction:
        """Return y at x, with bounds that widen with the distance; FitError where it is not known."""
        if why := self.unknown(x):
            raise FitError(why)
        u = x - 1
        low, high = sorted((1 + self.share_low * u, 1 + self.share_high * u))
        beyond = max(math.log2(self.distance(x)), 0.0) if u else 0.0
        warnings = (
            (f"{x:.2f}x the latency is beyond the steps of the lever, up to {self.farthest:.2f}x",) if beyond else ()
        )
        more = self.bend_share if self.bends else 0.0
        return Prediction(1 + self.share * u, low * (1 - more), high * (1 + KINK * beyond + more), "1", warnings)


def response(steps: Sequence[Step]) -> Response:
    """Return the fit. steps: those with the lever, compared with the one without; FitError for too few."""
    if not steps:
        raise FitError("response: a step with the lever is needed, and one without; give the lever more steps")
    x, y = (np.array([one[1] for one in column]) for column in zip(*((s.latency, s.time) for s in steps), strict=True))
    x_error, y_error = (np.array(column) for column in zip(*(s.errors for s in steps), strict=True))
    if not all(np.isfinite(column).all() for column in (x, y, x_error, y_error)):
        raise FitError("response: all ratios and their bounds must be finite; measure with more rounds")
    y_error = np.maximum(y_error, 1e-9)  # of a step whose rounds all agree
    share, low, high, excess = _slope(x - 1, y - 1, x_error, y_error)
    bends, bend = _bend(x - 1, y - 1, x_error, y_error, share, excess)
    nearest, farthest = min(1.0, float(x.min())), max(1.0, float(x.max()))
    return Response(share, low, high, _range(steps), nearest, farthest, bends, bend)


def _range(steps: Sequence[Step]) -> tuple[float, float, float]:
    """Return the range of latency with its bounds, of the steps that are farthest apart; 1 is without the lever."""
    still = Step((1.0, 1.0, 1.0), (1.0, 1.0, 1.0))
    ends = sorted((still, *steps), key=lambda one: one.latency[1])
    (low, middle, high), (last_low, last, last_high) = ends[0].latency, ends[-1].latency
    return max(last_low / high - 1, 0.0), last / middle - 1, last_high / low - 1


def _alike(errors: Floats) -> Floats:
    """Return the covariance of steps that share what they are compared with; shape (steps, steps)."""
    same: Floats = np.where(np.eye(errors.size) > 0, 1.0, ALIKE) * np.outer(errors, errors)
    return same


def _chi2(shares: Floats, u: Floats, v: Floats, u_error: Floats, v_error: Floats) -> Floats:
    """Return chi^2 of each share; shape (shares,)."""
    rest = v - shares[:, None] * u
    covariance = _alike(v_error) + (shares * shares)[:, None, None] * _alike(u_error)
    found = np.linalg.solve(covariance, rest[:, :, None])[:, :, 0]
    total: Floats = np.add.reduce(rest * found, axis=1)
    return total


def _slope(u: Floats, v: Floats, u_error: Floats, v_error: Floats) -> tuple[float, float, float, float]:
    """Return the slope, its 95 % bounds, and the excess of chi^2 over its degrees of freedom, 1 without any."""
    low, high = -MOST, MOST
    share = least = 0.0
    for _ in range(FINER):
        grid = np.linspace(low, high, GRID)
        chi2 = _chi2(grid, u, v, u_error, v_error)
        near = int(chi2.argmin())
        share, least = float(grid[near]), float(chi2[near])
        low, high = float(grid[max(near - 1, 0)]), float(grid[min(near + 1, GRID - 1)])
    excess = max(1.0, least / (u.size - 1)) if u.size > 1 else 1.0
    limit = least + SIGMAS_95 * SIGMAS_95 * excess

    def bound(way: int) -> float:
        """Return the first place on the way at which chi^2 is at the limit; the last one where it never is."""
        inside, outside = share, share + way * MOST
        for _ in range(FINER):
            grid = np.linspace(inside, outside, GRID)
            beyond = np.flatnonzero(_chi2(grid, u, v, u_error, v_error) >= limit)
            if not beyond.size:
                return outside
            inside, outside = float(grid[max(int(beyond[0]) - 1, 0)]), float(grid[int(beyond[0])])
        return outside

    return share, bound(-1), bound(1), excess


def _bend(u: Floats, v: Floats, u_error: Floats, v_error: Floats, share: float, excess: float) -> tuple[bool, float]:
    """Return whether a parabola surely bends up, and the share of its quadratic term in the time at the last step."""
    if np.unique(u).size < TO_BEND:
        return False, 0.0
    covariance = _alike(v_error) + share * share * _alike(u_error)
    design = np.stack([u, u * u], axis=1)
    inverse = np.linalg.inv(design.T @ np.linalg.solve(covariance, design))
    slope, curve = inverse @ (design.T @ np.linalg.solve(covariance, v))
    error = math.sqrt(float(inverse[1, 1]) * min(excess, 4.0))
    end = float(u[np.abs(u).argmax()])
    bend = float(curve * end * end / max(1 + slope * end + curve * end * end, 0.1))
    return curve > SURE * error and bend > BEND, bend


models.add(Response)
