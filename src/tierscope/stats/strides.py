"""Interleaving from what a suite knows while it runs: the rates at strides and at controls close by.

Each stride stands against the control nearest to it, by the ratio of both; see `stats.interleave`.
Source: as there.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tierscope.stats.interleave import Interleave, infer_interleave
from tierscope.stats.median import Interval

SIGMAS = 1.96  # of a half-width
SATURATED = 0.85  # of the control's rate, with fewer threads: then the memories limit it
FEWEST = 8  # strides


@dataclass(frozen=True)
class Stride:
    """rate: in any unit, the same for all."""

    stride_bytes: int
    control: bool
    threads: int
    rate: Interval


def spread_of(points: Sequence[Stride]) -> Interleave | None:
    """None for fewer than eight strides, or no control by all threads."""
    points = [one for one in points if one.rate.count and one.rate.middle > 0]
    most = max((one.threads for one in points), default=0)
    full = [one for one in points if one.control and one.threads == most]
    strides = sorted((one for one in points if not one.control), key=lambda one: one.stride_bytes)
    if len(strides) < FEWEST or not full:
        return None
    controls = [_nearest(one, full) for one in strides]
    errors = [math.hypot(a.rate.relative, b.rate.relative) / SIGMAS for a, b in zip(strides, controls, strict=True)]
    fewer = [one for one in points if one.control and one.threads < most]
    return infer_interleave(
        np.array([one.stride_bytes for one in strides]),
        np.array([one.rate.middle for one in strides]),
        np.array([one.rate.middle for one in controls]),
        np.array(errors),
        saturated=any(one.rate.middle >= SATURATED * _nearest(one, full).rate.middle for one in fewer),
    )


def _nearest(one: Stride, controls: Sequence[Stride]) -> Stride:
    return min(controls, key=lambda other: abs(math.log(other.stride_bytes / one.stride_bytes)))
