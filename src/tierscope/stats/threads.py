"""The work of each thread over time: the series of the per-thread figure, with disturbed blocks left in.

    rate = operations / (stop - start)     [operations/s]

Blind to everything within a block, which is about 1 ms.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tierscope.arrays import Floats
from tierscope.record.result import SIZING, Blocks


@dataclass(frozen=True, slots=True)
class ThreadSeries:
    """Timed blocks of one thread in the order of time; all arrays of shape (blocks,)."""

    group: int
    thread: int
    time_s: Floats  # middle of the block, since the first block of the record
    seconds: Floats
    rate: Floats  # operations/s
    flags: npt.NDArray[np.uint16]  # as in result.BLOCK; 0 is a clean block


def thread_series(blocks: Blocks, hz: float) -> tuple[ThreadSeries, ...]:
    """Return one series per thread, by group and thread; blocks that only found the size of blocks are left out."""
    timed = blocks[(blocks["flags"] & SIZING) == 0]
    if timed.size == 0:
        return ()
    origin = int(blocks["start_ticks"].min())
    owner = timed["group"].astype(np.int64) << 16 | timed["thread"]
    order = np.lexsort((timed["start_ticks"], owner))
    ends = np.flatnonzero(np.diff(owner[order])) + 1
    return tuple(_one(timed[part], origin, hz) for part in np.split(order, ends))


def _one(blocks: Blocks, origin: int, hz: float) -> ThreadSeries:
    start = (blocks["start_ticks"].astype(np.int64) - origin) / hz
    stop = (blocks["stop_ticks"].astype(np.int64) - origin) / hz
    seconds = np.maximum(stop - start, 1 / hz)
    return ThreadSeries(
        group=int(blocks["group"][0]),
        thread=int(blocks["thread"][0]),
        time_s=(start + stop) / 2,
        seconds=seconds,
        rate=blocks["operations"] / seconds,
        flags=np.ascontiguousarray(blocks["flags"]),
    )
