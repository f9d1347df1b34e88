"""How often fresh regions miss buffers that do not evict the least recently used unit: a table of exact simulations.

`buffers_kinds.csv` has the share of visits that miss a buffer, over its entries, over lines of a unit and over the
ratio of entries to units of the region. `benchmarks/buffers_kinds.cpp` made it, and describes the kinds. Between
numbers of lines it is interpolated over 1 / lines, between ratios over their logarithm, and between entries over
1 / sqrt(entries), which is in proportion to the width of a knee. More entries than in the table count as the most
there. Below the smallest ratio, 1/32, hits are proportional to it. Above the largest, 8, what is evicted too early
decreases with it.
Blind to fewer entries than 4: they count as 4.
"""

import functools
from pathlib import Path

import numpy as np

from tierscope.arrays import Floats, Places

LRU = "lru"  # the closed form of `buffers_model`, which is within 0.5 % of the visits from 4 entries on
TABLED = ("fifo", "clock", "random", "hash16", "hash4", "hash2", "hash32", "fifo-hash8", "clock-hash8", "random-hash8")
"""The kinds of the table that rivals have."""
SETS = {f"{kind}-{ways}": (kind, ways) for kind in (LRU, "fifo", "clock") for ways in (4,)}
"""Sets with a plain index: each has the same number of units of a region, so that it is a buffer of `ways` entries."""
KINDS = (*TABLED, *SETS)
ALL_KINDS = (LRU, *KINDS)
FILE = Path(__file__).with_suffix(".csv")
NEAR_ZERO = 1e-12
RATIOS = np.exp2(np.concatenate([np.arange(-80, -16, 4), np.arange(-16, 16), np.arange(16, 49, 4)]) / 16)
LINES = (2, 3, 4, 6, 8, 16, 32, 128)


@functools.cache
def _rows() -> dict[tuple[str, int, int], dict[float, float]]:
    """Return (kind, entries, lines) -> ratio -> share of visits that miss."""
    found: dict[tuple[str, int, int], dict[float, float]] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines()[1:]:
        kind, entries, lines, ratio, missed = line.split(",")
        found.setdefault((kind, int(entries), int(lines)), {})[float(ratio)] = float(missed)
    return found


@functools.cache
def _table(kind: str) -> tuple[Floats, Floats]:
    """Return rising entries, and hits of visits that do not come first, of shape (entries, LINES, RATIOS).

    A region of one unit, whose ratio is the number of entries, has only hits.
    """
    known = np.array(sorted({entries for name, entries, _ in _rows() if name == kind}), dtype=np.float64)
    return known, np.stack([[_hits(kind, int(entries), lines) for lines in LINES] for entries in known])


def _hits(kind: str, entries: int, lines: int) -> Floats:
    """Return hits of visits that do not come first, of shape (RATIOS,)."""
    own = _rows()[kind, entries, lines] | ({float(entries): 1 / lines} if entries < RATIOS[-1] else {})
    ratios = np.array(sorted(own))
    shares = np.clip((1 - np.array([own[ratio] for ratio in ratios])) / (1 - 1 / lines), 0.0, 1.0)
    return np.asarray(np.interp(np.log(RATIOS), np.log(ratios), shares), dtype=np.float64)


@functools.lru_cache(maxsize=32)
def _between(kind: str, lines_of: bytes) -> tuple[Floats, Floats]:
    """Return entries, and the hits of units with this number of lines, of shape (entries, points, RATIOS).

    lines_of: the lines as bytes, so that they can be remembered.
    """
    entries, values = _table(kind)
    lines = np.frombuffer(lines_of, dtype=np.float64)
    known = np.array(LINES, dtype=np.float64)
    after = np.clip(np.searchsorted(known, lines), 1, known.size - 1)
    span = 1 / known[after - 1] - 1 / known[after]
    share = np.clip((1 / known[after - 1] - 1 / np.maximum(lines, 1.0)) / span, 0.0, 1.0)[:, None]
    return entries, (1 - share) * values[:, after - 1] + share * values[:, after]


def hits(kind: str, lines: Floats, ratio: Floats, entries: Floats | float = np.inf) -> Floats:
    """Return the share of hits among visits that do not come first in their unit, of the shape of ratio.

    lines: of a unit, of shape (points,). ratio: entries over units of the region, of shape (..., points). entries: of
    the buffer, of a shape that fits to that of ratio; infinite: many.
    """
    if kind in SETS:
        kind, ways = SETS[kind]
        entries = np.minimum(entries, ways)
    known, values = _between(kind, np.asarray(lines, dtype=np.float64).tobytes())
    logs = np.log(RATIOS)
    safe = np.maximum(ratio, NEAR_ZERO)
    with np.errstate(over="ignore"):
        at = np.clip(np.log(safe), logs[0], logs[-1])
    after = np.clip(np.searchsorted(logs, at), 1, logs.size - 1)
    share = (at - logs[after - 1]) / (logs[after] - logs[after - 1])
    more, weight = _of_entries(known, np.broadcast_to(np.asarray(entries, dtype=np.float64), ratio.shape))
    points = np.arange(lines.size)

    def of(number: Places) -> Floats:
        return np.asarray((1 - share) * values[number, points, after - 1] + share * values[number, points, after])

    inside = of(more) if np.all(weight == 1) else (1 - weight) * of(more - 1) + weight * of(more)
    least, most = float(RATIOS[0]), float(RATIOS[-1])
    below = np.where(ratio < least, inside * safe / least, inside)
    return np.asarray(np.where(ratio > most, 1 - (1 - inside) * most / safe, below), dtype=np.float64)


def _of_entries(known: Floats, entries: Floats) -> tuple[Places, Floats]:
    """Return the places in the table above these entries, and the weight of each against the place below."""
    inside = np.clip(entries, known[0], known[-1])
    more = np.clip(np.searchsorted(known, inside), 1, known.size - 1)
    low, high = known[more - 1] ** -0.5, known[more] ** -0.5
    return more, np.asarray((low - inside**-0.5) / (low - high), dtype=np.float64)
