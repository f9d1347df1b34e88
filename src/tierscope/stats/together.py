"""The rates of all groups at instants at which every thread was at work, undisturbed.

In each batch (one `measure` of the core) the common window starts when the last thread has started its first block that
is not SIZING, and ends when the first thread has stopped its last block. Instants lie in the middle of cells as long as
the median block, of longer ones where there would be more than MOMENTS for each block. At each instant every thread is
in the block that covers it, or in the gap after the latest one; the instant is clean if all these blocks of all groups
are. Of a team of 50 threads and more a few may be disturbed; what they would have done is filled in (`crowd`).

    rate of a group = sum over its threads of operations / (stop - start)      [operations/s]

Instants weigh blocks by their time, so a thread held up for ten blocks leaves out ten instants, not one.
The age of an instant is the shortest time that any thread has by then worked undisturbed, apart from those that may be
absent: since its last block that was not clean ended, or since the batch began. What another process left in the caches
shows at low ages (`point` deals with it), unless no thread is ever left alone for long enough to fill them: a group may
ask that a thread has done so many operations since (`walks`) before its blocks count as clean.
Blind to what other machines do to this one's memory.
"""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from tierscope.record.result import DRIFTED, MIGRATED, PREEMPTED, SIZING, STOLEN, Blocks
from tierscope.stats.crowd import allowed, filled, relieved

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Number = TypeVar("Number", np.int64, np.float64)

UNCLEAN = SIZING | PREEMPTED | STOLEN | DRIFTED | MIGRATED
SHARED = UNCLEAN & ~PREEMPTED  # where threads take turns on a CPU, the switches are part of what is measured
MOMENTS = 64  # of a batch, for each of its blocks at most: more than blocks of very different lengths need
MOST_MOMENTS = 1 << 24  # of a record whose blocks are few, whatever their lengths
NEGLIGIBLE = 1e-3  # of a block's operations may be such a walk itself: memory costs under 100 times a first-level hit


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

    @property
    def left_out_share(self) -> float:
        """Instants that are not clean / all; 1.0 when there is no common window at all."""
        return 1.0 - self.instants_s.size / self.total if self.total else 1.0


@dataclass(frozen=True, slots=True)
class _Columns:
    """The blocks of some batch as plain arrays; `slot` numbers the threads of all groups."""

    slot: Integers
    start: Integers
    stop: Integers
    operations: Floats
    flags: Integers

    def at(self, index: npt.NDArray[np.intp]) -> "_Columns":
        return _Columns(
            self.slot[index], self.start[index], self.stop[index], self.operations[index], self.flags[index]
        )

    @property
    def timed(self) -> npt.NDArray[np.bool_]:
        return np.asarray((self.flags & SIZING) == 0)


def together(blocks: Blocks, hz: float, groups: int, walks: tuple[float, ...] = (), unclean: int = UNCLEAN) -> Together:
    """Blocks of one record, in any order, to series; a batch in which a thread has no timed block has no window.

    hz: ticks per second. groups: how many there are; if one of them left no block, nothing is common. walks: for each
    group the operations that a thread must have done undisturbed before it counts; () asks nothing. unclean: flags of
    the blocks that are left out; SHARED where threads share CPUs on purpose.
    """
    nothing = Together(np.empty(0), np.empty(0), np.empty((groups, 0)), (), 0, (0.0,) * groups, (0.0,) * groups)
    if blocks.size == 0:
        return nothing
    columns, threads, group_of_slot = _columns(blocks)
    firsts = np.flatnonzero(np.diff(group_of_slot, prepend=-1))  # the first slot of each group
    if group_of_slot[firsts].tolist() != list(range(groups)):
        return nothing
    needed = np.asarray(walks or (0.0,) * groups)[group_of_slot]
    origin = int(columns.start.min())
    timed = columns.timed
    spacing = float(np.median((columns.stop - columns.start)[timed])) if timed.any() else 0.0
    most = max(MOMENTS, MOST_MOMENTS // blocks.size)
    instants, ages, rates, absent, windows, total = [], [], [], [], [], 0
    inside = np.zeros(groups)
    for batch in batches(blocks):
        part = columns.at(batch)
        window = _window(part, threads)
        if window is None or spacing <= 0:
            continue
        begin, end = window
        within = part.timed & (part.start >= begin) & (part.stop <= end)
        inside += np.bincount(group_of_slot[part.slot[within]], minlength=groups)
        step = max(spacing, (end - begin) / (most * batch.size))
        moments = begin + step * (np.arange(int((end - begin) / step), dtype=np.float64) + 0.5)
        clean, age, rate, lacking = _rates(part, needed, moments, hz, unclean, firsts)
        windows.append(((begin - origin) / hz, (end - origin) / hz))
        instants.append((moments[clean] - origin) / hz)
        ages.append(age[clean])
        rates.append(rate[:, clean])
        absent.append(lacking[:, clean])
        total += moments.size
    blocks_of_group = np.maximum(np.bincount(group_of_slot[columns.slot[timed]], minlength=groups), 1)
    batch_of = np.repeat(np.arange(len(instants)), [one.size for one in instants])
    series = np.concatenate([nothing.rates, *rates], axis=1)
    lacked = np.concatenate([nothing.rates, *absent], axis=1)
    found = [relieved(*one, batch_of) for one in zip(series, lacked, strict=True)]
    return Together(
        instants_s=np.concatenate([nothing.instants_s, *instants]),
        ages_s=np.concatenate([nothing.ages_s, *ages]),
        rates=np.stack([one for one, _ in found]),
        windows=tuple(windows),
        total=total,
        coverage=tuple((inside / blocks_of_group).tolist()),
        filled_errors=tuple(error for _, error in found),
    )


def _columns(blocks: Blocks) -> tuple[_Columns, int, Integers]:
    """Columns, the number of slots, and the group of each slot."""
    width = int(blocks["thread"].max()) + 1
    wide = blocks["group"].astype(np.int64) * width + blocks["thread"]
    used, slot = np.unique(wide, return_inverse=True)  # no array as long as the largest number in a file
    columns = _Columns(
        slot=slot.astype(np.int64),
        start=blocks["start_ticks"].astype(np.int64),
        stop=blocks["stop_ticks"].astype(np.int64),
        operations=blocks["operations"].astype(np.float64),
        flags=blocks["flags"].astype(np.int64),
    )
    return columns, int(used.size), used // width


def batches(blocks: Blocks) -> list[npt.NDArray[np.intp]]:
    """Row numbers of each batch, in the order of batch numbers."""
    batch = np.ascontiguousarray(blocks["batch"])
    order = np.argsort(batch, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(batch[order])) + 1)


def _window(part: _Columns, threads: int) -> tuple[int, int] | None:
    """(begin, end) in ticks, None if some thread has no timed block or no time is common."""
    timed = part.timed
    first = np.full(threads, np.iinfo(np.int64).max)
    last = np.full(threads, -1)
    np.minimum.at(first, part.slot[timed], part.start[timed])
    np.maximum.at(last, part.slot[timed], part.stop[timed])
    begin, end = int(first.max()), int(last.min())
    return (begin, end) if 0 <= begin < end else None


def _rates(
    part: _Columns, needed: Floats, moments: Floats, hz: float, unclean: int, firsts: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.bool_], Floats, Floats, Floats]:
    """Which moments are clean and their age, shape (moments,); the rate of each group and the share of it that is
    filled in, shape (groups, moments).

    needed: undisturbed operations asked of each thread; firsts: the first thread of each group. One search serves all
    threads: each thread's ticks are moved into a stretch of their own.
    """
    base = int(part.start.min())
    stretch = int(part.stop.max()) - base + 1
    key = part.slot * stretch + (part.start - base)
    order = np.argsort(key, kind="stable")
    part, key = part.at(order), key[order]
    wanted = np.arange(needed.size, dtype=np.int64)[:, None] * stretch + (moments - base).astype(np.int64)
    covering = np.searchsorted(key, wanted, side="right") - 1
    done = np.cumsum(part.operations)
    before = done - part.operations
    since = before - _at_last_disturbance(part, before, done, unclean)
    warm = since + part.operations * NEGLIGIBLE >= needed[part.slot]
    present = (warm & ((part.flags & unclean) == 0))[covering]
    left_alone = _at_last_disturbance(part, key, key + (part.stop - part.start), unclean)
    ages = (wanted - left_alone[covering]) / hz
    rate = (part.operations * hz / np.maximum(part.stop - part.start, 1))[covering]
    teams = np.split(np.arange(needed.size), firsts[1:])
    clean = np.ones(moments.size, dtype=np.bool_)
    age = np.full(moments.size, np.inf)
    filled_in = []
    for team in teams:
        few = allowed(team.size)
        clean &= (~present[team]).sum(axis=0) <= few
        age = np.minimum(age, np.partition(ages[team], few, axis=0)[few])
        filled_in.append(filled(rate[team], present[team]))
    return clean, age, np.stack([one for one, _ in filled_in]), np.stack([one for _, one in filled_in])


def _at_last_disturbance(
    part: _Columns, before: npt.NDArray[Number], after: npt.NDArray[Number], unclean: int
) -> npt.NDArray[Number]:
    """What stood on a clock that only rises when each block's thread was last disturbed, or began its batch.

    before, after: the clock as each block starts and stops; blocks in the order of slots and time.
    """
    disturbed = (part.flags & (unclean & ~SIZING)) != 0
    marks = np.where(disturbed, after, 0)
    begins = np.flatnonzero(np.diff(part.slot, prepend=-1))
    marks[begins] = np.maximum(marks[begins], before[begins])
    return np.maximum.accumulate(marks)
