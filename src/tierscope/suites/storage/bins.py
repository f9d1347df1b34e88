"""Percentiles of a histogram: the number of operations in each bin, and the time that the bin stands for.

    percentile p = value of the first bin at which the sum of counts reaches p * all

That is the rule of fio, so the same bins give the same percentiles, digit by digit. Bins of several repeats are added
before. A percentile is given only if TAIL operations or more are beyond it.
Blind to what is finer than a bin: fio's are 1/64 of their value wide or less, so a percentile may be 0.8 % off.
Source: fio 3.33, stat.c, calc_clat_percentiles and plat_idx_to_val.
"""

from collections.abc import Sequence

import numpy as np

from tierscope.arrays import Integers

TAIL = 10  # operations beyond a percentile, at least: with fewer, one slow operation more moves it


def percentiles(values: Integers, counts: Integers, wanted: Sequence[float], tail: int = TAIL) -> list[float | None]:
    """Return each percentile, such as 99.9, in the unit of `values`; None where the data do not support it.

    values, counts: shape (bins,), in any order; the same value may occur several times.
    """
    order = np.argsort(values, kind="stable")
    below = np.cumsum(counts[order])
    total = int(below[-1]) if below.size else 0
    enough = [round(total * (100 - percent) / 100, 6) >= tail for percent in wanted]
    places = [int(np.searchsorted(below, _needed(percent, total), side="left")) for percent in wanted]
    return [
        float(values[order][min(place, values.size - 1)]) if carried and total else None
        for place, carried in zip(places, enough, strict=True)
    ]


def _needed(percent: float, total: int) -> np.longdouble:
    """Return the operations at or below it, in fio's own arithmetic with its roundings: else some are one bin off."""
    return np.longdouble(percent) / 100 * total
