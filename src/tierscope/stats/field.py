"""What noisy trials of some variants say of all of them: a Gaussian process over a grid of choices.

    log rate of a trial = constant + f(variant) + drift(time) + noise      [1]

f has a part for each choice alone, one for all choices together, and one of each variant alone. The first two carry
what a trial shows over to variants that share choices with it; the last lets any variant differ. The drift is that of
the machine, which slows all variants alike for a while. The sizes of the parts are those of a short list under which
the trials are likeliest. A trial far from what all others say counts less (Student's t).
Blind to a single variant that is far better than all that share choices with it, until it is tried.
Source: C. E. Rasmussen, C. K. I. Williams, "Gaussian Processes for Machine Learning", MIT Press, 2006, chapters 2, 5;
P. Jylänki, J. Vanhatalo, A. Vehtari, "Robust Gaussian Process Regression with a Student-t Likelihood", JMLR 12, 2011.
"""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

LEVEL = 0.5  # standard deviation of the constant around the median: half a natural logarithm
LASTS_S = 0.3  # of a drift, until a third of it is left
FREEDOM = 4.0  # degrees of Student's t
REWEIGHTED = 2  # times: sizes and weights change little after that
MUCH = 1e9  # more than values that are divided by their covariance
NEGLIGIBLE = 1e-3  # the least weight of a trial


class Sizes(NamedTuple):
    """Standard deviations of the parts of the logarithm of a rate, and the share of `own` in the variance of f."""

    signal: float = 0.1
    own: float = 0.1  # of each variant alone
    noise: float = 0.03  # of a trial of length 1
    drift: float = 0.03


LIKELY = tuple(Sizes(*one) for one in product((0.04, 0.12, 0.3), (0.03, 0.2), (0.01, 0.03, 0.08), (0.005, 0.04)))


class Belief(NamedTuple):
    """Mean and standard deviation of f; shape (variants,)."""

    mean: Floats
    deviation: Floats


class Field:
    """The trials so far. alike: for each choice how alike two variants are in it; each of shape (variants, variants),
    positive semidefinite, with ones on the diagonal.
    """

    def __init__(self, alike: Sequence[Floats]) -> None:
        every = np.stack(list(alike))
        self._shared = 0.5 * every.mean(axis=0) + 0.5 * every.prod(axis=0)
        self._trials: list[tuple[int, float, float, float]] = []
        self._sizes = Sizes()
        self._weights: Floats = np.ones(0)

    def __len__(self) -> int:
        return len(self._trials)

    def add(self, variant: int, at_s: float, rate: float, length: float = 1.0) -> None:
        """Add one trial; rate above 0; length: in those of an ordinary trial, whose noise is larger."""
        self._trials.append((variant, at_s, float(np.log(rate)), length))
        self._weights = np.append(self._weights, 1.0)

    def rates(self, variant: int) -> list[float]:
        """Return the rates that trials of a variant showed."""
        return [float(np.exp(log)) for one, _, log, _ in self._trials if one == variant]

    def nearest(self, variant: int, count: int) -> list[int]:
        """Return the variants that are most like one, the most alike first, without itself."""
        order = np.argsort(-self._shared[variant], kind="stable")
        return [int(number) for number in order if number != variant][:count]

    def learn(self) -> None:
        """Choose the sizes and the weights of the trials, each by the other."""
        for _ in range(REWEIGHTED):
            self._sizes = max(LIKELY, key=self._likelihood)
            self._weights = np.maximum((FREEDOM + 1) / (FREEDOM + self._surprises() ** 2), NEGLIGIBLE)

    def slow(self, beyond: float) -> list[int]:
        """Return the variants whose only trial was slower than all others say, by so many standard deviations."""
        chosen = self._chosen()
        once = np.bincount(chosen, minlength=len(self._shared))[chosen] == 1
        return [int(number) for number in np.unique(chosen[once & (self._surprises() < -beyond)])]

    def _surprises(self) -> Floats:
        """How far each trial is from what the others say, in standard deviations; shape (trials,)."""
        factor, solved = self._solved(self._sizes, np.ones(len(self)))
        inverse = np.linalg.inv(factor)
        return np.asarray(solved / np.sqrt(np.sum(inverse**2, axis=0)))

    def belief(self) -> Belief:
        """Return what the trials say of all variants; needs one trial at least."""
        factor, solved = self._solved(self._sizes, self._weights)
        across = self._of_f(self._sizes, None, self._chosen())
        half = np.linalg.solve(factor, across.T)
        variance = self._sizes.signal**2 - np.sum(half**2, axis=0)
        return Belief(across @ solved, np.sqrt(np.maximum(variance, 1e-12)))

    def differences(self, variants: Sequence[int], other: int) -> Belief:
        """Return f of some variants less f of another one."""
        several = np.array([*variants, other])
        factor, solved = self._solved(self._sizes, self._weights)
        across = self._of_f(self._sizes, several, self._chosen())
        half = np.linalg.solve(factor, across.T)
        covariance = self._of_f(self._sizes, several, several) - half.T @ half
        mean, own = across @ solved, np.diag(covariance)
        variance = own[:-1] + own[-1] - 2 * covariance[:-1, -1]
        return Belief(mean[:-1] - mean[-1], np.sqrt(np.maximum(variance, 1e-12)))

    def _chosen(self) -> npt.NDArray[np.int64]:
        return np.array([one for one, _, _, _ in self._trials], dtype=np.int64)

    def _column(self, number: int) -> Floats:
        return np.array([trial[number] for trial in self._trials], dtype=np.float64)

    def _of_f(self, sizes: Sizes, rows: npt.NDArray[np.int64] | None, columns: npt.NDArray[np.int64]) -> Floats:
        """Covariance of f between variants; rows None: all."""
        rows = np.arange(len(self._shared)) if rows is None else rows
        shared = self._shared[np.ix_(rows, columns)]
        same = np.equal.outer(rows, columns)
        return np.asarray(sizes.signal**2 * ((1 - sizes.own) * shared + sizes.own * same))

    def _solved(self, sizes: Sizes, weights: Floats) -> tuple[Floats, Floats]:
        """Cholesky factor of the covariance of the trials, and its inverse times their values."""
        covariance, values = self._covariance(sizes, weights)
        factor = np.asarray(np.linalg.cholesky(covariance), dtype=np.float64)
        return factor, np.asarray(np.linalg.solve(covariance, values), dtype=np.float64)

    def _covariance(self, sizes: Sizes, weights: Floats) -> tuple[Floats, Floats]:
        """Covariance of the trials, and their values around the median."""
        chosen, times, values = self._chosen(), self._column(1), self._column(2)
        drift = sizes.drift**2 * np.exp(-np.abs(np.subtract.outer(times, times)) / LASTS_S)
        noise = np.diag(sizes.noise**2 / self._column(3) / weights)
        return self._of_f(sizes, chosen, chosen) + LEVEL**2 + drift + noise, values - float(np.median(values))

    def _likelihood(self, sizes: Sizes) -> float:
        """Logarithm, without its constant; weights of trials are those that were found before."""
        covariance, values = self._covariance(sizes, self._weights)
        both = np.block([[covariance, values[:, None]], [values, np.array([MUCH])]])
        last = np.linalg.cholesky(both)
        return float(-0.5 * np.sum(last[-1, :-1] ** 2) - np.sum(np.log(np.diag(last)[:-1])))
