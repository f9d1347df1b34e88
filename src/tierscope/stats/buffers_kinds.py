"""How often fresh regions miss buffers that do not evict the least recently used unit: a table of exact simulations.

`buffers_kinds.csv` has the share of visits that miss a buffer of 256 entries, over lines of a unit and over the ratio
of entries to units of the region. `benchmarks/buffers_kinds.cpp` made it, and describes the kinds. Between numbers of
lines it is interpolated over 1 / lines, between ratios over their logarithm. Below the smallest ratio, 1/32, hits are
proportional to it. Above the largest, 8, what is evicted too early decreases with it.
Blind to the number of entries: the table is off by at most 2 % of the visits with 16 of them, and by more with fewer.
"""

import functools
from pathlib import Path

import numpy as np

from tierscope.arrays import Floats

LRU = "lru"  # the closed form of `buffers_model`
KINDS = ("fifo", "clock", "random", "hash16", "hash4")
"""The kinds of the table."""
ALL_KINDS = (LRU, *KINDS)
FILE = Path(__file__).with_suffix(".csv")
NEAR_ZERO = 1e-12


@functools.cache
def _table(kind: str) -> tuple[Floats, Floats, Floats]:
    """Return rising lines, ln ratio, and hits of visits that do not come first, of shape (lines, ratios)."""
    rows = [line.split(",") for line in FILE.read_text(encoding="utf-8").splitlines()[1:]]
    own = sorted({(int(lines), float(ratio), float(missed)) for name, lines, ratio, missed in rows if name == kind})
    lines = np.array(sorted({row[0] for row in own}), dtype=np.float64)
    ratios = np.array(sorted({row[1] for row in own}))
    missed = np.array([row[2] for row in own]).reshape(lines.size, ratios.size)
    first = 1 / lines[:, None]
    return lines, np.log(ratios), np.clip((1 - missed) / (1 - first), 0.0, 1.0)


def _between(kind: str, lines: Floats) -> tuple[Floats, Floats]:
    """Return ln ratio, and the hits of units with this number of lines, of shape (points, ratios)."""
    known, logs, values = _table(kind)
    after = np.clip(np.searchsorted(known, lines), 1, known.size - 1)
    span = 1 / known[after - 1] - 1 / known[after]
    share = np.clip((1 / known[after - 1] - 1 / np.maximum(lines, 1.0)) / span, 0.0, 1.0)[:, None]
    return logs, (1 - share) * values[after - 1] + share * values[after]


def hits(kind: str, lines: Floats, ratio: Floats) -> Floats:
    """Return the share of hits among visits that do not come first in their unit, of the shape of ratio.

    lines: of a unit, of shape (points,). ratio: entries over units of the region, of shape (..., points).
    """
    logs, values = _between(kind, lines)
    safe = np.maximum(ratio, NEAR_ZERO)
    with np.errstate(over="ignore"):
        at = np.clip(np.log(safe), logs[0], logs[-1])
    after = np.clip(np.searchsorted(logs, at), 1, logs.size - 1)
    share = (at - logs[after - 1]) / (logs[after] - logs[after - 1])
    points = np.arange(lines.size)
    inside = (1 - share) * values[points, after - 1] + share * values[points, after]
    least, most = float(np.exp(logs[0])), float(np.exp(logs[-1]))
    below = np.where(ratio < least, inside * safe / least, inside)
    return np.asarray(np.where(ratio > most, 1 - (1 - inside) * most / safe, below), dtype=np.float64)
