"""Draws over several octaves, for the random devices."""

import math

import numpy as np


def drawn(random: np.random.Generator, low: float, high: float) -> float:
    """Return a draw whose logarithm is uniform."""
    return math.exp(random.uniform(math.log(low), math.log(high)))


def drawn_time(random: np.random.Generator, low_ns: float, high_ns: float) -> float:
    """Return seconds, in whole tenths of a nanosecond as in the device's name."""
    return round(drawn(random, low_ns, high_ns), 1) * 1e-9
