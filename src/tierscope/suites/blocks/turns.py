"""The rate of threads that share CPUs: work done over elapsed time.

A block during which its thread waited for its CPU is long and has a low rate. The blocks between have the rate of a
thread that has its CPU for itself. The median over instants (`together`) would represent only the latter. With blocks
of 1 ms and time slices of 4 ms, two threads on one CPU would seem a fifth too fast. So the common window of each batch
is divided into equal cells, longer than a time slice, and the work of each block is spread evenly over its time:

    rate of a cell = sum over all threads of the operations that fall into it / its length       [operations/s]

If blocks are longer than cells, work and waiting spread unevenly over the cells, which shifts their median. So each
rate is the mean over the number of cells that BLOCKS median blocks take. A rate is included only if no block in these
cells was marked for another reason than a switch: stolen time, a drifting clock, another CPU. The series is then judged
as any other (`summary`), which considers that neighbors resemble each other.

Blind to switches to other programs, which look like switches between the team's own threads: on a busy machine this
rate is too low.
"""

from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats, Truths
from tierscope.record.experiment import Schedule
from tierscope.record.result import SIZING, STOLEN, Blocks
from tierscope.stats.lost import Lost
from tierscope.stats.summary import Summary, verdict
from tierscope.stats.together import SHARED, batches

BLOCKS = 4  # in simulation (tests/unit/test_stats_turns.py): within 1 % of the work done, 2 to 5 % off without
CELL_S = 0.01  # longer than the 2 to 4 ms for which Linux leaves a thread its CPU


@dataclass(frozen=True, slots=True)
class Turns:
    """The rate of threads that share CPUs.

    summary: of the rate of one group in operations/s; left_out_share: of the cells, 1 if there is none.
    """

    summary: Summary
    left_out_share: float


def turns(blocks: Blocks, hz: float, schedule: Schedule) -> Turns:
    """Return the rate of a group. blocks: of this group, in any order; hz: ticks per second."""
    parts = [_batch(blocks[rows], hz) for rows in batches(blocks)] if blocks.size else []
    rates = np.concatenate([np.empty(0), *(part[0] for part in parts)])
    clean = np.concatenate([np.empty(0, dtype=bool), *(part[1] for part in parts)])
    share = 1.0 - float(clean.mean()) if clean.size else 1.0
    lost = Lost(sum(part[2] for part in parts), int((~clean).sum()))
    return Turns(verdict(rates[clean], schedule, int(clean.size), lost), share)


def _batch(part: Blocks, hz: float) -> tuple[Floats, Truths, int]:
    """Return the rate of each cell of a batch, whether it is clean, and in how many the hypervisor took a CPU.

    It is empty if some thread has no timed block.
    """
    threads = [
        one[np.argsort(one["start_ticks"])]
        for t in np.unique(part["thread"])
        if (one := part[part["thread"] == t]).size
    ]
    timed = [one[(one["flags"] & SIZING) == 0] for one in threads]
    if not timed or not all(one.size for one in timed):
        return np.empty(0), np.empty(0, dtype=bool), 0
    begin = max(int(one["start_ticks"][0]) for one in timed)
    end = min(int(one["stop_ticks"][-1]) for one in timed)
    count = max(0, int((end - begin) / hz / CELL_S))
    edges = np.asarray(np.arange(count + 1) * (CELL_S * hz), dtype=np.float64)
    work, spoilt, stolen = np.zeros(count), np.zeros(count), np.zeros(count)
    for one in timed:
        work += _spread(one, one["operations"].astype(np.float64), begin, edges)
        lasted = (one["stop_ticks"] - one["start_ticks"]).astype(np.float64)
        spoilt += _spread(one, ((one["flags"] & SHARED) != 0) * lasted, begin, edges)
        stolen += _spread(one, ((one["flags"] & STOLEN) != 0) * lasted, begin, edges)
    every = np.concatenate(timed)
    block_s = float(np.median(every["stop_ticks"] - every["start_ticks"])) / hz
    width = max(1, round(BLOCKS * block_s / CELL_S))
    clean, taken = (_means(series, width) < 1 for series in (spoilt, stolen))  # tick: sums of floats leave less
    return _means(work, width) / CELL_S, clean, int((~taken).sum())


def _means(series: Floats, width: int) -> Floats:
    """Return moving means over `width` points, or over the whole series if it is shorter."""
    if not series.size:
        return series
    width = min(width, series.size)
    sums = np.cumsum(np.concatenate([[0.0], series]))
    return np.asarray((sums[width:] - sums[:-width]) / width)


def _spread(blocks: Blocks, amounts: Floats, begin: int, edges: Floats) -> Floats:
    """Return the part of `amounts`, each spread evenly over its block, between the edges (ticks after `begin`)."""
    times = np.column_stack([blocks["start_ticks"], blocks["stop_ticks"]]).astype(np.int64).ravel() - begin
    done = np.cumsum(amounts)
    sums = np.column_stack([done - amounts, done]).ravel()
    return np.diff(np.interp(edges, times.astype(np.float64), sums))
