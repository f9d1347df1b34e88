"""How often fresh regions miss buffers that do not evict the least recently used unit: a table of exact simulations.

`buffers_kinds.csv` has the share of visits that miss a buffer of 256 entries, over the lines of a unit and over the
ratio of entries to units of the region. `benchmarks/buffers_kinds.cpp` made it, and explains the kinds. Values between
lines are interpolated over 1 / lines, and values between ratios over their logarithm. Below the smallest ratio, 1/32,
hits decrease with it; above the largest, 8, early evictions decrease with it.
With fewer entries the table is slightly inaccurate: by at most 2 % of the visits with 16 of them, and more with fewer.
"""

import functools
from pathlib import Path

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

LRU = "lru"  # the closed form of `buffers_model`
KINDS = ("fifo", "clock", "random", "hash16", "hash4")
"""The kinds of the table, which a fit tries in addition to LRU."""
FILE = Path(__file__).with_suffix(".csv")
Curves = tuple[tuple[int, Floats, Floats], ...]  # lines, ln ratio, share of hits among visits that are not first


@functools.cache
def _curves(kind: str) -> Curves:
    """Return the curves of a kind, by rising lines."""
    rows = [line.split(",") for line in FILE.read_text(encoding="utf-8").splitlines()[1:] if line.startswith(kind)]
    found: list[tuple[int, Floats, Floats]] = []
    for lines in sorted({int(row[1]) for row in rows if row[0] == kind}):
        own = np.array([(float(row[2]), float(row[3])) for row in rows if row[0] == kind and int(row[1]) == lines])
        own = own[np.unique(own[:, 0], return_index=True)[1]]
        found.append((lines, np.log(own[:, 0]), np.clip((1 - own[:, 1]) / (1 - 1 / lines), 0.0, 1.0)))
    return tuple(found)


def hits(kind: str, lines: Floats, ratio: Floats) -> Floats:
    """Return the share of hits among visits that are not the first to their unit, of the shape of ratio.

    lines: of a unit, of shape (points,). ratio: entries over units of the region, of shape (..., points).
    """
    curves = _curves(kind)
    found = np.empty(ratio.shape)
    for point, own in enumerate(lines):
        after = next((place for place, curve in enumerate(curves) if curve[0] >= own), len(curves) - 1)
        near = curves[max(after - 1, 0)] if curves[after][0] > own else curves[after]
        far = curves[after]
        span = 1 / near[0] - 1 / far[0]
        share = 0.0 if span == 0 else float(np.clip((1 / near[0] - 1 / own) / span, 0.0, 1.0))
        column = ratio[..., point]
        found[..., point] = (1 - share) * _along(near, column) + share * _along(far, column)
    return found


def _along(curve: tuple[int, Floats, Floats], ratio: Floats) -> Floats:
    _, logs, values = curve
    safe = np.maximum(ratio, 1e-12)
    inside = np.interp(np.log(safe), logs, values)
    least, most = float(np.exp(logs[0])), float(np.exp(logs[-1]))
    below: Floats = np.where(ratio < least, inside * safe / least, inside)
    return np.asarray(np.where(ratio > most, 1 - (1 - values[-1]) * most / safe, below), dtype=np.float64)
