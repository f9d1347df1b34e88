"""How often the two lines of a pair are in two units: an exact count over all places where a pair may be.

A pair is in a window of two distances d, and begins at any line of its first half. Windows follow one another from the
beginning of the memory, where a unit begins, too. With units of U bytes, windows begin in a unit at every multiple of
gcd(2 d, U). At 2^k bytes and units of 2^k, no pair is cut below half of a unit, and all pairs are from a unit on.
"""

import functools
import math

import numpy as np

from tierscope.units import LINE_BYTES

WINDOWS = 512  # in which pairs are counted where units are not whole in those of the buffer before


@functools.lru_cache(maxsize=65536)
def apart(stride: int, unit_bytes: int, piece_bytes: int = 0) -> float:
    """Return the share of pairs whose lines are in two units, and in two pieces of the buffer before, if any."""
    if piece_bytes and stride < piece_bytes and unit_bytes % piece_bytes:
        first = np.arange(WINDOWS, dtype=np.int64)[:, None] * (2 * stride) + np.arange(0, stride, LINE_BYTES)
        ends = [first // own != (first + stride) // own for own in (unit_bytes, piece_bytes)]
        return float(np.mean(ends[0] & ends[1]))
    if stride >= unit_bytes:
        return 1.0
    begin = np.arange(0, unit_bytes, math.gcd(2 * stride, unit_bytes), dtype=np.int64)  # of windows, in a unit
    inside = np.minimum(begin + stride, unit_bytes) - np.maximum(begin, unit_bytes - stride)
    next_one = begin + 2 * stride - 2 * unit_bytes  # pairs that begin in the next unit, and end behind it
    return float(np.mean(np.maximum(inside, 0) + np.maximum(next_one, 0)) / stride)
