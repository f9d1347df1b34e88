"""How long the last cache keeps a line, where others use it as well: from slow and fast passes over its footprints.

    pass    = footprint / bytes of a step * seconds of a step                               [s]
    lost    = (seconds of a step - near) / (far - near)                                     [1]
    keep    from the longest pass that loses less than FEW of its lines, of the slow or of the fast ones,
            to the shortest pass that loses more than MOST                                  [s]

near and far are the medians of the ENDS smallest and the ENDS largest footprints of a series.

A pass comes back to each line once, so that its time is the time between two uses of a line. If a cache had only too
few lines, slow and fast passes would lose them at the same footprint. If others take lines after a time, they lose
them at the same time of a pass. The answer needs both: fast passes find at least LARGER times the footprint, and the
times of slow and fast passes agree.
Points with wide intervals count: near the end of such a cache, visits find it one way or the other.
Blind to: a change of what others do between the slow and the fast passes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tierscope.suites.latency.row import LatencyRow

FEW, MOST = 0.25, 0.75  # of the lines
LARGER = 2.0
APART = 1.5  # of a step from memory over that from the cache: below it, the series show nothing
CHANGED = 4.0  # times: up to here, others changed between the passes, and the answer contains both
ENDS = 3  # points at either end whose median is a step from the cache, or from memory


@dataclass(frozen=True, slots=True)
class Kept:
    """low_s, high_s: between these a line is lost after its last use. bytes: the most that a fast pass found there;
    slow_bytes: that a slow one did.
    """

    low_s: float
    high_s: float
    bytes: float
    slow_bytes: float

    @property
    def middle_s(self) -> float:
        return float(np.sqrt(self.low_s * self.high_s))


@dataclass(frozen=True, slots=True)
class Passes:
    """One series: the largest footprint that is found in the cache, the time of its pass; the time of the shortest
    pass that is lost, None where none is.
    """

    found_bytes: float
    found_s: float
    lost_s: float | None


def kept(rows: Iterable[LatencyRow]) -> Kept | None:
    """Return how long lines are kept; None where the rows do not show that others take them.

    rows: of the table `latency`, of one target. A chase counts between the ends of the fast passes.
    """
    rows = [row for row in rows if row.probe == "cycle" and row.latency]
    blocks = [row for row in rows if row.order == "block"]
    if not blocks:
        return None
    sizes, pages = [row.footprint_bytes for row in blocks], {row.page_bytes for row in blocks}
    chase = [
        row
        for row in rows
        if row.order == "global" and row.page_bytes in pages and min(sizes) <= row.footprint_bytes <= max(sizes)
    ]
    slow, fast = _passes(chase), _passes(blocks)
    if slow is None or fast is None or fast.found_bytes < LARGER * slow.found_bytes:
        return None
    low = max(slow.found_s, fast.found_s)
    high = min((one.lost_s for one in (slow, fast) if one.lost_s is not None), default=0.0)
    if not 0 < low < CHANGED * high:
        return None
    return Kept(min(low, high), max(low, high), fast.found_bytes, slow.found_bytes)


def _passes(rows: Sequence[LatencyRow]) -> Passes | None:
    """Return the ends of a series; None where it does not cross the end of a cache."""
    steps = sorted((row.footprint_bytes, row.latency.middle, row.element_bytes) for row in rows if row.latency)
    if len(steps) < 2 * ENDS:
        return None
    near, far = (float(np.median([time for _, time, _ in end])) for end in (steps[:ENDS], steps[-ENDS:]))
    if far < APART * near:
        return None
    found: tuple[float, float] | None = None
    lost: float | None = None
    for size, time, step in steps:
        share, whole = (time - near) / (far - near), size / step * time
        if share < FEW:
            found, lost = (size, whole), None
        elif share > MOST and lost is None:
            lost = whole
    return Passes(*found, lost) if found else None
