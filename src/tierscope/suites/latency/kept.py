"""How long the last cache keeps a line, where others use it as well: from slow and fast passes over its footprints.

    pass    = footprint / bytes of a step * seconds of a step                               [s]
    lost    = (seconds of a step - near) / (far - near)                                     [1]
    keep    from the longest pass that loses less than FEW of its lines, of the slow or of the fast ones,
            to the shortest pass that loses more than MOST                                  [s]

near and far are the medians of the ENDS smallest and the ENDS largest footprints of a series.

A pass comes back to each line once, so that its time is the time between two uses of a line. If a cache had only too
few lines, slow and fast passes would lose them at the same footprint. If others take lines after a time, they lose
them at the same time of a pass. So the answer needs fast passes that find at least LARGER times the footprint, and
that lose at least LARGER times the footprint that slow ones lose, and times of both that agree.
Points with wide intervals count: near the end of such a cache, visits find it one way or the other.
Blind to: a change of what others do between the slow and the fast passes.
Source: D. Chandra et al., "Predicting Inter-Thread Cache Contention on a Chip Multi-Processor Architecture", HPCA 2005
(the lines of others age those of a thread). The two passes have no source.
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
    """low_s, high_s: between these a line is lost after its last use. fast_bytes, slow_bytes: the most that a fast pass
    and a slow one found there.
    """

    low_s: float
    high_s: float
    fast_bytes: float
    slow_bytes: float

    @property
    def middle_s(self) -> float:
        return float(np.sqrt(self.low_s * self.high_s))


@dataclass(frozen=True, slots=True)
class Passes:
    """One series: the largest footprint that is found in the cache, and the smallest that is lost, each with the time
    of its pass; None where none is lost.
    """

    found_bytes: float
    found_s: float
    lost_bytes: float | None
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
    if slow is None or fast is None or slow.lost_bytes is None or fast.found_bytes < LARGER * slow.found_bytes:
        return None
    if fast.lost_bytes is not None and fast.lost_bytes < LARGER * slow.lost_bytes:
        return None  # they lose them at one size
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
    shares = [(time - near) / (far - near) for _, time, _ in steps]
    passes = [(float(size), size / step * time) for size, time, step in steps]
    found = [one for one, share in zip(passes, shares, strict=True) if share < FEW]
    lost = [one for one, share in zip(passes, shares, strict=True) if share > MOST]
    if not found or (lost and lost[0][0] < found[-1][0]):
        return None  # the one or the other by chance
    return Passes(*found[-1], *(lost[0] if lost else (None, None)))
