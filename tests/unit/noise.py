"""Series with known truth, to check intervals and verdicts by simulation. Seeds are fixed: a failure comes again."""

from collections.abc import Callable

import numpy as np

from tierscope.arrays import Floats

Noise = Callable[[np.random.Generator, int, int], Floats]


def independent(rng: np.random.Generator, runs: int, points: int) -> Floats:
    """Normal, shape (runs, points), median 0, spread 1."""
    return rng.normal(size=(runs, points))


def skewed(rng: np.random.Generator, runs: int, points: int) -> Floats:
    """Lognormal, shifted to a median of 0."""
    return rng.lognormal(0, 1, size=(runs, points)) - 1


def alike(rng: np.random.Generator, runs: int, points: int, share: float = 0.7) -> Floats:
    """Autoregressive: each point keeps `share` of the one before; spread 1, started in its stationary state."""
    steps = rng.normal(size=(runs, points)) * np.sqrt(1 - share**2)
    series = np.empty((runs, points))
    series[:, 0] = rng.normal(size=runs)
    for i in range(1, points):
        series[:, i] = share * series[:, i - 1] + steps[:, i]
    return series


NOISES: dict[str, Noise] = {"independent": independent, "skewed": skewed, "alike": alike}
