"""The rate of threads that take turns on their CPUs: work done over time gone by.

A block during which its thread waited for its turn is long and has a low rate; the blocks between have the rate of
a thread that has its CPU for itself. The median over instants (`together`) would take the latter for the rule: with
blocks of 1 ms and turns of 4 ms, two threads on one CPU come out a fifth too fast. So the common window of each
batch is cut into equal cells, longer than a turn, the work of each block is spread evenly over its time, and

    rate of a cell = sum over all threads of the operations that fall into it / its length       [operations/s]

Where blocks are longer than cells, work and waiting spread unevenly over the cells, which moves their median; so each
rate is the mean over as many cells as BLOCKS median blocks take. It counts if no block that reaches into these cells
was marked for another reason than a switch: stolen time, a drifting clock, another CPU. The series is then judged as
any other (`summary`), which knows that neighbours resemble each other.
Blind to switches to other programs, which here look like turns: on a busy machine this rate is too low.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tierscope.record.experiment import Schedule
from tierscope.record.result import SIZING, Blocks
from tierscope.stats.summary import Summary, verdict
from tierscope.stats.together import SHARED, batches

Floats = npt.NDArray[np.float64]

BLOCKS = 4  # simulated (tests/unit/test_stats_turns.py): within 1 % of the work done, 2 to 5 % off without
CELL_S = 0.01  # over the 2 to 4 ms for which Linux leaves a thread its CPU


@dataclass(frozen=True, slots=True)
class Turns:
    """`summary` is of the rate of one group in operations/s; `left_out_share` of the cells, 1 where there is none."""

    summary: Summary
    left_out_share: float


def turns(blocks: Blocks, hz: float, schedule: Schedule) -> Turns:
    """Blocks of one group, in any order. hz: ticks per second."""
    parts = [_batch(blocks[rows], hz) for rows in batches(blocks)] if blocks.size else []
    rates = np.concatenate([np.empty(0), *(part[0] for part in parts)])
    clean = np.concatenate([np.empty(0, dtype=bool), *(part[1] for part in parts)])
    share = 1.0 - float(clean.mean()) if clean.size else 1.0
    return Turns(verdict(rates[clean], schedule, int(clean.size)), share)


def _batch(part: Blocks, hz: float) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Rate of each cell of one batch, and whether it is clean; empty where some thread has no timed block."""
    threads = [
        one[np.argsort(one["start_ticks"])]
        for t in np.unique(part["thread"])
        if (one := part[part["thread"] == t]).size
    ]
    timed = [one[(one["flags"] & SIZING) == 0] for one in threads]
    if not timed or not all(one.size for one in timed):
        return np.empty(0), np.empty(0, dtype=bool)
    begin = max(int(one["start_ticks"][0]) for one in timed)
    end = min(int(one["stop_ticks"][-1]) for one in timed)
    count = max(0, int((end - begin) / hz / CELL_S))
    edges = np.asarray(np.arange(count + 1) * (CELL_S * hz), dtype=np.float64)
    work, spoilt = np.zeros(count), np.zeros(count)
    for one in timed:
        work += _spread(one, one["operations"].astype(np.float64), begin, edges)
        unclean = (one["flags"] & SHARED) != 0
        spoilt += _spread(one, unclean * (one["stop_ticks"] - one["start_ticks"]).astype(np.float64), begin, edges)
    every = np.concatenate(timed)
    block_s = float(np.median(every["stop_ticks"] - every["start_ticks"])) / hz
    width = max(1, round(BLOCKS * block_s / CELL_S))
    return _means(work, width) / CELL_S, _means(spoilt, width) < 1  # tick: sums of floats leave less


def _means(series: Floats, width: int) -> Floats:
    """Moving means over `width` points, as many as fit, at most the whole series."""
    if not series.size:
        return series
    width = min(width, series.size)
    sums = np.cumsum(np.concatenate([[0.0], series]))
    return np.asarray((sums[width:] - sums[:-width]) / width)


def _spread(blocks: Blocks, amounts: Floats, begin: int, edges: Floats) -> Floats:
    """What of `amounts`, each spread evenly over its block, falls between the edges (ticks after `begin`)."""
    times = np.column_stack([blocks["start_ticks"], blocks["stop_ticks"]]).astype(np.int64).ravel() - begin
    done = np.cumsum(amounts)
    sums = np.column_stack([done - amounts, done]).ravel()
    return np.diff(np.interp(edges, times.astype(np.float64), sums))
