"""By how much a number changes from one mapping of the memory to the next, found from visits that were
repeated immediately.

A visit and its repetition follow each other within seconds, in memory that was mapped again. For their medians m and n

    variance = mean(log(n / m)^2) / 2 - within

over all pairs of a kind; within: mean variance of log(median) that the intervals of both state. The seconds between the
two are part of it, so it is an upper bound of what the mapping alone does.
Blind to a mapping that the kernel makes of the same pages again.
Source: the variance of a difference of two independent numbers is the sum of their variances.
"""

import math
from collections.abc import Sequence
from statistics import mean

from tierscope.stats.median import Interval
from tierscope.stats.visits import usable, within

FEWEST = 2  # pairs: one may agree by chance

Pair = tuple[Interval, Interval]


def between_mappings(pairs: Sequence[Pair], confidence: float) -> float | None:
    """Return the variance of log(median) from mapping to mapping; None where fewer than FEWEST pairs show it.

    pairs: a visit and its repetition; confidence: of their intervals.
    """
    known = [pair for pair in pairs if all(map(usable, pair))]
    if len(known) < FEWEST:
        return None
    half = mean(math.log(second.middle / first.middle) ** 2 for first, second in known) / 2
    return max(half - mean(within(one, confidence) for pair in known for one in pair), 0.0)
