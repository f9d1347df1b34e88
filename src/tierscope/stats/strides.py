"""Interleaving from the rates at strides and at controls close by, for both a suite that runs and a table.

    ratio = rate at the stride / rate of the control nearest to it, by the same number of threads          [1]

Half-widths of both are added in squares. `stats.interleave` derives the layout of memories from the ratios.
Source: as there.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tierscope.record.experiment import Experiment
from tierscope.record.labels import Labels
from tierscope.stats.interleave import Interleave, infer_interleave
from tierscope.stats.median import SIGMAS_95, Interval

SATURATED = 0.85  # of the control's rate, with fewer threads: then the memories limit it
FEWEST = 8  # strides


class StrideLabels(Labels, frozen=True, kw_only=True):
    """The labels of a point of `run policy`."""

    stride_bytes: int
    control: bool


@dataclass(frozen=True)
class Stride:
    """rate: in any unit, the same for all."""

    stride_bytes: int
    control: bool
    threads: int
    rate: Interval


@dataclass(frozen=True)
class Compared:
    """A stride against its control. half: of the ratio's 95 % interval, relative; fitted: the ratio as found."""

    stride_bytes: int
    ratio: float
    half: float
    fitted: float


@dataclass(frozen=True)
class Spread:
    """The result of the strides, and each of them, by rising stride."""

    interleave: Interleave
    strides: tuple[Compared, ...]


def stride_of(asked: Experiment, rate: Interval) -> Stride:
    """Return the stride of a point of `run policy`, by its labels."""
    labels = StrideLabels.read(asked)
    return Stride(labels.stride_bytes, labels.control, len(asked.groups[0].team.cpus), rate)


def spread_of(points: Sequence[Stride]) -> Spread | None:
    """Return the result; None for fewer than eight strides, or no control by all threads."""
    known, full = _known(points), _full(points)
    strides = sorted((one for one in known if not one.control), key=lambda one: one.stride_bytes)
    if len(strides) < FEWEST or not full:
        return None
    controls = [_nearest(one, full) for one in strides]
    ratios = [a.rate.middle / b.rate.middle for a, b in zip(strides, controls, strict=True)]
    halves = [math.hypot(a.rate.relative, b.rate.relative) for a, b in zip(strides, controls, strict=True)]
    found = infer_interleave(
        np.array([one.stride_bytes for one in strides]), np.array(ratios), np.ones(len(strides)),
        np.log1p(halves) / SIGMAS_95, saturated=saturated(points),
    )  # fmt: skip
    rows = zip(strides, ratios, halves, found.fitted.tolist(), strict=True)
    return Spread(found, tuple(Compared(one.stride_bytes, *rest) for one, *rest in rows))


def saturated(points: Sequence[Stride]) -> bool:
    """Return whether fewer threads reach as much; one number of threads alone cannot show this."""
    full = _full(points)
    fewer = [one for one in _known(points) if one.control and full and one.threads < full[0].threads]
    return any(one.rate.middle >= SATURATED * _nearest(one, full).rate.middle for one in fewer)


def _known(points: Sequence[Stride]) -> list[Stride]:
    return [one for one in points if one.rate.count and one.rate.middle > 0]


def _full(points: Sequence[Stride]) -> list[Stride]:
    """Return the controls by all threads."""
    most = max((one.threads for one in _known(points)), default=0)
    return [one for one in _known(points) if one.control and one.threads == most]


def _nearest(one: Stride, controls: Sequence[Stride]) -> Stride:
    return min(controls, key=lambda other: abs(math.log(other.stride_bytes / one.stride_bytes)))
