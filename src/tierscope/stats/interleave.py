"""Interleaving from bandwidth over stride: how many memories are interleaved, and how many consecutive bytes each has.

    block a // g is in memory (a // g) mod W
    d        = gcd(s, W g)                         a stride s reaches the multiples of d only                   [bytes]
    share(s) = 1 / (W * largest part of the multiples of d below W g that is in one memory)                    [1]
    ln (bandwidth at s / bandwidth of the control) = min(0, a + b ln share(s))

A control is a stride close by that reaches all memories alike, so that pages, queues and buffers cost it the same. `a`
is what the processor leaves unused (0: the memories limit the control), `b` is 1 where bandwidth follows the number of
memories. Both are fitted, so that only the places at which bandwidth falls determine W and g. All pairs of W and g are
tried; a residual counts at most MOST standard errors. A queue that joins lines of one unit makes strides below that
unit faster, which looks like a larger grain. If a stride of up to JOINED is faster than the layout by more than MOST
errors, only the strides above it decide about smaller grains. If one of these is not excluded, the layout is in doubt.
Pairs within DOUBT of the best in twice the log-likelihood are
not excluded: a 95 % set for two parameters (S. S. Wilks, The Large-Sample Distribution of the Likelihood Ratio for
Testing Composite Hypotheses, Annals of Mathematical Statistics, 1938). If there are several, the layout is in doubt.
Blind to: an order of memories that is a hash of the address; structures that a stride meets alike, such as the banks of
DRAM, which look like interleaved memories because they are interleaved one level further down.
"""

import functools
import math
from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats, Integers
from tierscope.units import show_size

MOST_WAYS = 16
GRAINS = tuple(1 << power for power in range(6, 23))  # 64 B to 4 MiB
LEAST_ERROR = 0.03  # of ln bandwidth: no share is exact on a real machine
MOST = 3.0
JOINED = 4096  # bytes: no medium is known to join the lines of a larger unit
DOUBT = 6.0  # chi-square of 2 degrees of freedom, 95 %
WORTH = 25.0  # least gain of interleaving over none: four parameters, and the best of 255 layouts
LEAST_FALL = 0.25  # of ln bandwidth, at the stride that falls most: a quarter
SATURATED, IDLE = 60.0, 4.0  # penalty for slack, in twice the log-likelihood per unit of a
SLACKS = np.linspace(0.0, math.log(MOST_WAYS), 23)
EXPONENTS = (0.6, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5)


@dataclass(frozen=True, slots=True)
class Interleave:
    """A layout of interleaved memories. If none was detected, ways is 1 and grain_bytes 0. `likely`: all (ways, grain)
    that are not excluded.
    """

    ways: int
    grain_bytes: int
    likely: tuple[tuple[int, int], ...]
    slack: float  # a
    exponent: float  # b
    better: float  # than none, in twice the log-likelihood
    fitted: Floats  # of shape (strides,): bandwidth over that of the control
    faster_bytes: int = 0  # up to this stride something else may hide a smaller grain; 0: nowhere

    @property
    def doubt(self) -> str:
        """Return why the layout is not sure, in words; "" if nothing is known against it."""
        if self.faster_bytes:
            return (
                f"strides up to {show_size(self.faster_bytes)} are faster than a layout allows, as where a queue joins "
                "their lines: the grain may be smaller"
            )
        if self.sure:
            return ""
        (few, many), (fine, coarse) = self.ways_range, self.grain_range
        ways = f"{few}" if few == many else f"{few} to {many}"
        grains = show_size(fine) if fine == coarse else f"{show_size(fine)} to {show_size(coarse)}"
        return f"the strides do not distinguish {len(self.likely)} layouts: {ways} memories in units of {grains}"

    @property
    def sure(self) -> bool:
        """Return whether nothing else explains the curve equally well."""
        return len(self.likely) == 1

    @property
    def ways_range(self) -> tuple[int, int]:
        ways = [one[0] for one in self.likely]
        return min(ways), max(ways)

    @property
    def grain_range(self) -> tuple[int, int]:
        grains = [one[1] for one in self.likely]
        return min(grains), max(grains)


@functools.lru_cache(maxsize=1 << 17)
def share(stride: int, ways: int, grain: int) -> float:
    """Return the largest share of the bandwidth of all memories that this stride can use."""
    step = math.gcd(stride, ways * grain)
    if grain % step == 0:
        return 1.0
    counts = np.bincount(np.arange(0, ways * grain, step) // grain, minlength=ways)
    return float(counts.sum() / (ways * counts.max()))


def infer_interleave(
    strides: Integers, bandwidth: Floats, control: Floats, errors: Floats | None = None, *, saturated: bool = True
) -> Interleave:
    """Return the layout that explains a curve; all arrays of shape (strides,).

    bandwidth, control: in any unit; errors: standard errors of ln (bandwidth / control).
    saturated: more threads do not raise the control, so that the memories limit it, and `a` is near 0.
    """
    seen = np.log(bandwidth / control)
    weight = 1 / np.maximum(LEAST_ERROR, np.zeros(seen.size) if errors is None else errors)
    none = _misfit(seen, np.zeros((1, seen.size)), weight)[0]
    tried = [
        (misfit, ways, grain, found)
        for grain in GRAINS
        for ways in range(2, MOST_WAYS + 1)
        for misfit, found in [_fit(strides, seen, weight, (ways, grain), SATURATED if saturated else IDLE)]
    ]
    misfit, ways, grain, (slack, exponent, fitted) = min(tried, key=lambda one: (one[0], one[1] * one[2]))
    better = none - misfit
    if better < WORTH or fitted.min() > -LEAST_FALL:
        return Interleave(1, 0, ((1, 0),), 0.0, 1.0, max(better, 0.0), np.ones(seen.size))
    likely = [(one[1], one[2]) for one in tried if one[0] <= misfit + DOUBT]
    faster = _faster(strides, (seen - fitted) * weight)
    far = strides > faster
    most = _misfit(seen[far], fitted[None, far], weight[far])[0] + DOUBT
    finer = [
        one[1:3]
        for one in tried
        if faster and one[1] == ways and one[2] < grain
        and _misfit(seen[far], one[3][2][None, far], weight[far])[0] <= most
    ]  # fmt: skip
    both = tuple(dict.fromkeys((*finer, *likely)))
    return Interleave(ways, grain, both, slack, exponent, better, np.exp(fitted), faster if finer else 0)


def _faster(strides: Integers, above: Floats) -> int:
    """Return the largest stride that joined lines may have made faster than the layout; 0 if there is none.

    above: bandwidth over that of the layout, in standard errors of its logarithm, of shape (strides,).
    """
    found = strides[(above > MOST) & (strides <= JOINED)]
    return int(found.max()) if found.size else 0


def _fit(
    strides: Integers, seen: Floats, weight: Floats, layout: tuple[int, int], unlikely: float
) -> tuple[float, tuple[float, float, Floats]]:
    """Return the best slack and exponent of one layout; `unlikely`: the penalty for slack."""
    ways = layout[0]
    shares = np.log([share(int(stride), *layout) for stride in strides])
    slacks = SLACKS[math.log(ways) >= SLACKS]
    pairs = [(a, b) for b in EXPONENTS for a in slacks]
    models = np.minimum(0.0, np.array([a + b * shares for a, b in pairs]))
    misfits = _misfit(seen, models, weight) + unlikely * np.array([a for a, _ in pairs])
    best = int(np.argmin(misfits))
    return float(misfits[best]), (float(pairs[best][0]), pairs[best][1], models[best])


def _misfit(seen: Floats, models: Floats, weight: Floats) -> Floats:
    """Return the loss of twice the log-likelihood for each of the models of shape (models, strides)."""
    return np.asarray(np.sum(np.minimum(np.abs(seen - models) * weight, MOST) ** 2, axis=1), dtype=np.float64)
