"""The rates of all groups at instants at which every thread was at work, undisturbed.

In each batch (one `measure` of the core) the common window starts when the last thread has started its first block that
is not SIZING. It ends when the first thread has stopped its last block. Instants are in the middle of cells as long as
the median block, or longer where there would be more than MOMENTS for each block. At each instant every thread is in
the block that covers it, or in the gap after the latest one; the instant is clean if all these blocks of all groups
are. A team of 50 threads or more may have a few disturbed ones, whose work is filled in (`crowd`).

    rate of a group = sum over its threads of operations / (stop - start)      [operations/s]

Instants weigh blocks by their time, so a thread that is stopped for ten blocks leaves out ten instants, not one.
The age of an instant is the shortest time that any thread has by then worked undisturbed, apart from those that may be
absent. That time starts when its last block that was not clean ended, or when the batch began. The lines that another
process left in the caches show at low ages (`point` deals with it), unless no thread is ever undisturbed long enough to
fill them. So a group may require that a thread has done a number of operations since (`walks`) before its blocks count
as clean.
Blind to what other machines do to this one's memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats, Integers, Places
from tierscope.record.result import DRIFTED, MIGRATED, PREEMPTED, SIZING, STOLEN, Blocks
from tierscope.stats.crowd import relieved
from tierscope.stats.lost import NONE, Lost
from tierscope.stats.moments import Asked, Columns, Moments, Windows, clean_moments, windows

UNCLEAN = SIZING | PREEMPTED | STOLEN | DRIFTED | MIGRATED
SHARED = UNCLEAN & ~PREEMPTED  # where threads share a CPU, the switches are part of what is measured
AS_OLD = 0.8  # of the mean age of a thread alone, at least at common moments: where threads do not disturb each other
# in step, the two are equal
MOMENTS = 64  # of a batch, for each of its blocks at most: more than blocks of very different lengths need
MOST_MOMENTS = 1 << 24  # of a record whose blocks are few, whatever their lengths


@dataclass(frozen=True, slots=True)
class Together:
    """Series of all groups at the same clean instants."""

    instants_s: Floats  # shape (instants,), since the first block of the record
    ages_s: Floats  # shape (instants,), of undisturbed work before
    rates: Floats  # shape (groups, instants), operations/s
    windows: tuple[tuple[float, float], ...]  # (start, stop) of each batch, s
    total: int  # instants, clean or not
    coverage: tuple[float, ...]  # of each group: timed blocks wholly inside a window / all timed blocks
    filled_errors: tuple[float, ...]  # of each group: relative standard error of its rates by what was filled in
    lost: Lost = NONE  # why instants are not clean

    @property
    def left_out_share(self) -> float:
        """Return the instants that are not clean / all; 1.0 when there is no common window at all."""
        return 1.0 - self.instants_s.size / self.total if self.total else 1.0


def together(blocks: Blocks, hz: float, groups: int, walks: tuple[float, ...] = (), unclean: int = UNCLEAN) -> Together:
    """Return the series of one record; a batch in which a thread has no timed block has no window.

    blocks: in any order. hz: ticks per second. groups: their number. If one of them left no block, nothing is common.
    walks: for each group the operations that a thread must have done undisturbed before it counts; () requires none.
    The flags of the blocks that are left out are `unclean`; it is SHARED where threads share CPUs on purpose.
    """
    nothing = Together(np.empty(0), np.empty(0), np.empty((groups, 0)), (), 0, (0.0,) * groups, (0.0,) * groups)
    if blocks.size == 0:
        return nothing
    columns, group_of_slot = _columns(blocks)
    firsts = np.flatnonzero(np.diff(group_of_slot, prepend=-1))  # the first slot of each group
    if group_of_slot[firsts].tolist() != list(range(groups)):
        return nothing
    asked = Asked(hz, unclean, np.asarray(walks or (0.0,) * groups)[group_of_slot], firsts)
    timed = columns.timed
    spacing = float(np.median((columns.stop - columns.start)[timed])) if timed.any() else 0.0
    common = windows(columns, group_of_slot.size, spacing, max(MOMENTS, MOST_MOMENTS // blocks.size))
    found = [clean_moments(common, portion, asked) for portion in common.portions()]
    origin = int(columns.start.min())
    series = np.concatenate([nothing.rates, *(one.rates for one in found)], axis=1)
    lacked = np.concatenate([nothing.rates, *(one.absent for one in found)], axis=1)
    batch = np.concatenate([np.empty(0, dtype=np.int64), *(one.batch for one in found)])
    relieved_series = [relieved(*one, batch) for one in zip(series, lacked, strict=True)]
    return Together(
        instants_s=np.concatenate([nothing.instants_s, *((one.ticks - origin) / hz for one in found)]),
        ages_s=np.concatenate([nothing.ages_s, *(one.ages_s for one in found)]),
        rates=np.stack([one for one, _ in relieved_series]),
        windows=tuple(zip(((common.begin - origin) / hz).tolist(), ((common.end - origin) / hz).tolist(), strict=True)),
        total=int(common.moments.sum()),
        coverage=tuple((_inside(common, group_of_slot) / _timed(columns, group_of_slot)).tolist()),
        filled_errors=tuple(error for _, error in relieved_series),
        lost=Lost(
            taken=sum(one.taken for one in found),
            marked=sum(one.marked for one in found),
            clean=sum(one.ticks.size for one in found),
            rarest=_rarest(found),
        ),
    )


def _rarest(found: Sequence[Moments]) -> int:
    """Return the undisturbed moments of the thread that has the fewest; 0 where threads are younger together.

    Threads that are interrupted in step may share only moments that directly follow an interruption of one of them.
    """
    if not found:
        return 0
    own = np.sum([one.undisturbed for one in found], axis=0)
    ages = np.sum([one.ages for one in found], axis=0)
    clean_ages = np.sum([one.clean_ages for one in found], axis=0)
    clean = sum(one.ticks.size for one in found)
    younger = clean_ages * own < AS_OLD * ages * clean
    return 0 if younger.any() else int(own.min())


def _columns(blocks: Blocks) -> tuple[Columns, Integers]:
    """Return the columns, batch by batch, and the group of each slot."""
    batch = blocks["batch"].astype(np.int64)
    if np.any(np.diff(batch) < 0):
        return _columns(blocks[_by_batch(blocks)])
    width = int(blocks["thread"].max()) + 1
    wide = blocks["group"].astype(np.int64) * width + blocks["thread"]
    runs = np.flatnonzero(
        np.diff(wide, prepend=-1)
    )  # of one thread each: few, where blocks come as the core wrote them
    used, slot = np.unique(wide[runs], return_inverse=True)  # no array as long as the largest number in a file
    columns = Columns(
        batch=np.cumsum(np.diff(batch, prepend=batch[0]) != 0),
        slot=np.repeat(slot.astype(np.int64), np.diff(runs, append=wide.size)),
        start=blocks["start_ticks"].astype(np.int64),
        stop=blocks["stop_ticks"].astype(np.int64),
        operations=blocks["operations"].astype(np.float64),
        flags=blocks["flags"].astype(np.int64),
    )
    return columns, used // width


def _inside(common: Windows, group_of_slot: Integers) -> Integers:
    """Return the timed blocks wholly inside a window, of each group."""
    part = common.columns
    within = part.timed & (part.start >= common.begin[part.batch]) & (part.stop <= common.end[part.batch])
    return np.bincount(group_of_slot[part.slot[within]], minlength=int(group_of_slot[-1]) + 1)


def _timed(columns: Columns, group_of_slot: Integers) -> Integers:
    """Return the timed blocks of each group, 1 at least."""
    found = np.bincount(group_of_slot[columns.slot[columns.timed]], minlength=int(group_of_slot[-1]) + 1)
    return np.maximum(found, 1)


def batches(blocks: Blocks) -> list[Places]:
    """Return the row numbers of each batch, in the order of batch numbers."""
    order = _by_batch(blocks)
    return np.split(order, np.flatnonzero(np.diff(blocks["batch"][order])) + 1)


def _by_batch(blocks: Blocks) -> Places:
    return np.argsort(np.ascontiguousarray(blocks["batch"]), kind="stable")
