"""The units of buffers from pairs of lines alone: two lines that are a known distance apart, then two others.

The second line of a pair is found in a buffer if it is in the unit of the first one, whatever the capacity and the kind
of the buffer. So with the distance d,

    latency(d) = base + sum over units U of step_U * apart(d, U) / 2          [s]

`buffers_apart` counts the pairs whose lines are in two units. Units are added one after the other, each where it
explains most, with all times fitted again by least squares that are not negative. Each must lower the sum of squares
over their errors by PROOF, and is then moved by whole lines to where the sum is least.
Blind to buffers of the same unit, which pairs show as one, and to units of one line.
"""

import numpy as np

from tierscope.arrays import Floats, Places
from tierscope.stats.buffers_apart import apart
from tierscope.stats.buffers_levels import Curve
from tierscope.stats.buffers_rivals import UNITS

PROOF = 25.0  # squares of errors: five standard deviations
MOST = 3  # units
MODEL = 0.0015  # of a latency: what the order of visits changes


def units_of(curve: Curve) -> tuple[int, ...]:
    """Return the units that the pairs of a curve show, the smallest first; none without pairs."""
    if curve.stride_bytes is None or not (shown := curve.stride_bytes > 0).any():
        return ()
    strides, latency = curve.stride_bytes[shown].astype(np.int64), curve.latency_s[shown]
    weight = 1 / (latency * np.hypot(curve.spread[shown], MODEL))
    found: tuple[int, ...] = ()
    cost = _cost(strides, latency, weight, found)
    while len(found) < MOST:
        tried = [tuple(sorted((*found, unit))) for unit in UNITS if unit not in found and unit % curve.line_bytes == 0]
        best = min(tried, key=lambda units: _cost(strides, latency, weight, units))
        best = _moved(strides, latency, weight, best, curve.line_bytes)
        if cost - (less := _cost(strides, latency, weight, best)) < PROOF:
            break
        found, cost = best, less
    return _needed(strides, latency, weight, found, curve.line_bytes)


def _needed(strides: Places, latency: Floats, weight: Floats, units: tuple[int, ...], line: int) -> tuple[int, ...]:
    """Return the units without those that the others replace: the first one was found before the others."""
    cost = _cost(strides, latency, weight, units)
    for at in range(len(units)):
        fewer = (*units[:at], *units[at + 1 :])
        moved = _moved(strides, latency, weight, fewer, line) if fewer else fewer
        if _cost(strides, latency, weight, moved) - cost < PROOF:
            return _needed(strides, latency, weight, moved, line)
    return units


def _moved(strides: Places, latency: Floats, weight: Floats, units: tuple[int, ...], line: int) -> tuple[int, ...]:
    """Return the units moved by an eighth, and in the end by lines, one at a time, as long as that helps."""
    best, cost = units, _cost(strides, latency, weight, units)
    step = max(units) // 8 // line * line
    while step >= line or step == 0:
        step = max(step, line)
        near = [
            (*best[:at], best[at] + move, *best[at + 1 :])
            for at in range(len(best))
            for move in (-step, step)
            if best[at] + move >= 2 * line
        ]
        again = min(near, key=lambda one: _cost(strides, latency, weight, one))
        if (less := _cost(strides, latency, weight, again)) < cost:
            best, cost = again, less
        elif step == line:
            break
        else:
            step = step // 2 // line * line
    return tuple(sorted(best))


def _cost(strides: Places, latency: Floats, weight: Floats, units: tuple[int, ...]) -> float:
    """Return the sum of weighted squares with the best times."""
    from scipy.optimize import nnls  # slow to load, and not needed by every run

    columns = [np.array([apart(int(stride), unit) for stride in strides]) for unit in units]
    design = np.stack([np.ones(strides.size), *columns], axis=1) * weight[:, None]
    return float(nnls(design, latency * weight)[1] ** 2)
