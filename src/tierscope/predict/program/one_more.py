"""Bounds of a ratio on one more core: the cores that explain the time here count most.

    weight of a core    w = exp(-1/2 (ln(a / M) / SPREAD)^2)
    cores that count    n = (sum w)^2 / sum w^2
    mean                m = sum w x / sum w
    deviation           s^2 = n / (n - 1) sum w (x - m)^2 / sum w + sum w v^2 / sum w
    one more core       m +- t(90 %, n - 1) s sqrt(1 + 1 / n)

a: model time of a core here; M: time here; x: ratio of its times on the tier and here; v: standard deviation of x by
what was not traced. A core that takes another time than was measured is less likely the one of this machine. SPREAD is
what the model may leave open for the right core. If no core is faster on the tier than here, neither is one more, and
the interval ends at 1. The same is true if none is slower. Else few cores that differ widely would show a slower memory
that saves time.

The cores are chosen and not drawn: 90 % is a label. How often bounds contain the truth is counted on simulated cores.
Sources: K. Beven, A. Binley, "The future of distributed models: model calibration and uncertainty prediction",
Hydrological Processes 6, 1992 (weights by what was measured); L. Kish, "Survey Sampling", 1965 (n); G. J. Hahn and W.
Q. Meeker, "Statistical Intervals", 1991, chapter 4 (one more).
"""

import math
from collections.abc import Sequence

from tierscope.stats.median import student

SPREAD = 0.15  # of the logarithm of model over measured
WITHIN = 0.90  # chance that one more core is within the bounds
LEAST_CORES = 3  # that count; fewer show no spread


def weights(times_s: Sequence[float], measured_s: float) -> list[float]:
    """Return the weight of each core by its model time here; 0 for one without a time."""
    return [math.exp(-0.5 * (math.log(time / measured_s) / SPREAD) ** 2) if time > 0 else 0.0 for time in times_s]


def counting(given: Sequence[float]) -> float:
    """Return how many cores count by these weights."""
    squares = sum(weight * weight for weight in given)
    return sum(given) ** 2 / squares if squares else 0.0


def one_more(given: Sequence[float], ratios: Sequence[float], deviations: Sequence[float]) -> tuple[float, float]:
    """Return the ends of the interval; ValueError if fewer than two cores count.

    given: weights; ratios, deviations: of the same cores, the latter by what was not traced.
    """
    count = counting(given)
    if count < 2:
        raise ValueError("fewer than two cores count")
    middle = mean_of(given, ratios)
    between = mean_of(given, [(ratio - middle) ** 2 for ratio in ratios]) * count / (count - 1)
    within = mean_of(given, [deviation**2 for deviation in deviations])
    reach = student((1 + WITHIN) / 2, int(count) - 1) * math.sqrt((between + within) * (1 + 1 / count))
    low, high = middle - reach, middle + reach
    return (max(low, 1.0) if min(ratios) >= 1 else low), (min(high, 1.0) if max(ratios) <= 1 else high)


def mean_of(given: Sequence[float], values: Sequence[float]) -> float:
    """Return the weighted mean."""
    return sum(weight * value for weight, value in zip(given, values, strict=True)) / sum(given)
