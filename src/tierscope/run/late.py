"""A doubt about a record: the threads of its team did not start together.

The threads leave one barrier at the start of each batch. A thread whose CPU is busy leaves it late, and until then the
others have the memory to themselves. These moments are left out, so no rate is wrong; but a short batch loses much of
its time, and a team of many threads waits for the latest of them.
Blind to the time before the barrier, in which the threads wake.
"""

from collections.abc import Sequence

import numpy as np

from tierscope.arrays import Floats
from tierscope.record import warn
from tierscope.record.experiment import Experiment
from tierscope.record.result import SIZING, Blocks, GroupFacts, Warn
from tierscope.record.work.block import BlockWork
from tierscope.record.work.hop import HopWork
from tierscope.record.work.line import LineWork
from tierscope.stats.contrast import VICTIM
from tierscope.units import show_seconds

warn.state(late="the threads of a team started apart for more than 5 % of a batch")

MOST = 0.05  # of a batch
STEP = "leave one CPU to the system (fewer threads); tierscope doctor shows what else runs"


def start_skews(blocks: Blocks) -> tuple[Floats, Floats]:
    """Return of each batch the ticks from the first thread's start to the last one's, and the ticks that it lasted.

    Shapes (batches,), in the order of their numbers. Blocks that determine their own size come before the barrier and
    do not count. Batches of one thread are left out.
    """
    after = blocks[(blocks["flags"] & SIZING) == 0]
    if not after.size:
        return np.zeros(0), np.zeros(0)
    threads = after["group"].astype(np.int64) << 16 | after["thread"]
    rows = after[np.lexsort((after["start_ticks"], threads, after["batch"]))]
    fresh = (rows["batch"] != np.roll(rows["batch"], 1)) | (rows["thread"] != np.roll(rows["thread"], 1))
    fresh |= rows["group"] != np.roll(rows["group"], 1)
    fresh[0] = True
    firsts = rows[fresh]  # of each thread in each batch
    _, at = np.unique(firsts["batch"], return_index=True)
    _, begin = np.unique(rows["batch"], return_index=True)
    starts = firsts["start_ticks"].astype(np.int64)
    earliest = np.minimum.reduceat(starts, at)
    skews = np.maximum.reduceat(starts, at) - earliest
    lengths = np.maximum.reduceat(rows["stop_ticks"].astype(np.int64), begin) - earliest
    several = np.diff(at, append=firsts.size) > 1
    return skews[several].astype(float), lengths[several].astype(float)


def late(experiment: Experiment, facts: Sequence[GroupFacts], blocks: Blocks, hz: float) -> list[Warn]:
    """Return the warning about threads that start apart, or none. hz: of the ticks of the blocks.

    None where a block is long or its start is chosen: structures, victims, programs and simulated memories.
    """
    works = (LineWork, HopWork, BlockWork)
    plain = all(isinstance(g.workload.work, works) and g.role != VICTIM for g in experiment.groups)
    if not plain or any(fact.origin == "simulated" for fact in facts):
        return []
    skews, lengths = start_skews(blocks)
    share = float(np.median(skews / np.maximum(lengths, 1))) if skews.size else 0.0
    if share <= MOST:
        return []
    apart = show_seconds(float(np.median(skews)) / hz)
    message = f"the threads start {apart} apart, {100 * share:.0f} % of a batch"
    return [Warn(code="late", message=message, next_step=STEP)]
