"""The clean moments of the batches of a record, and what each thread did at them: the work of `together`.

A batch has some hundred blocks, and a call of numpy costs as much as its work on them. So batches are processed in
portions of about PORTION blocks, which stay in a CPU's own cache. Portions of any size give the same numbers, bit by
bit. One search serves all threads of a portion: each thread's ticks in each batch are shifted into a separate range.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from tierscope.arrays import Floats, Integers, Places, Truths
from tierscope.record.result import PREEMPTED, SIZING, STOLEN
from tierscope.stats.crowd import allowed, filled

Number = TypeVar("Number", np.int64, np.float64)

PORTION = 1 << 15  # blocks, or looks at blocks
TAKEN = PREEMPTED | STOLEN  # another thread, or another guest, had the CPU
FARTHEST = 1 << 62  # ticks of all ranges of a portion together: they must fit into int64
NEGLIGIBLE = 1e-3  # of a block's operations may be such a walk itself: memory costs under 100 times a first-level hit


@dataclass(frozen=True, slots=True)
class Columns:
    """Blocks as plain arrays, batch by batch."""

    batch: Integers  # from 0, each number at least once
    slot: Integers  # number of the thread among those of all groups
    start: Integers
    stop: Integers
    operations: Floats
    flags: Integers

    def at(self, rows: Places | Truths | slice) -> "Columns":
        """Return these rows alone."""
        return Columns(
            self.batch[rows], self.slot[rows], self.start[rows], self.stop[rows], self.operations[rows],
            self.flags[rows],
        )  # fmt: skip

    @property
    def timed(self) -> Truths:
        return np.asarray((self.flags & SIZING) == 0)


@dataclass(frozen=True, slots=True)
class Asked:
    """The conditions of a clean moment, for all batches of a record."""

    hz: float  # ticks per second
    unclean: int  # flags of the blocks that are left out
    needed: Floats  # shape (slots,): operations required of a thread after a disturbance
    firsts: Places  # shape (groups,): the first slot of each


@dataclass(frozen=True, slots=True)
class Windows:
    """The batches in which all threads work at the same time, each with its common window; shapes (batches,)."""

    columns: Columns  # of these batches alone, renumbered
    slots: int
    begin: Integers  # ticks
    end: Integers
    step: Floats  # ticks from a moment to the next
    moments: Integers  # how many
    edges: Integers  # shape (batches + 1,): row at which each begins, and the end

    def portions(self) -> Iterator[slice]:
        """Yield the batches that are processed together, each batch once."""
        work = np.maximum(np.diff(self.edges), self.moments * self.slots).tolist()
        at_once = max(1, FARTHEST // (self.slots * self._longest()))
        first, done = 0, 0
        for batch, own in enumerate(work):
            if batch > first and (done + own > PORTION or batch - first >= at_once):
                yield slice(first, batch)
                first, done = batch, 0
            done += own
        if work:
            yield slice(first, len(work))

    def _longest(self) -> int:
        """Return the ticks of the longest batch."""
        if not self.begin.size:
            return 1
        places = self.edges[:-1]
        first = np.minimum.reduceat(self.columns.start, places)
        return int((np.maximum.reduceat(self.columns.stop, places) - first).max()) + 1


@dataclass(frozen=True, slots=True)
class Moments:
    """The clean moments of some batches."""

    ticks: Floats  # shape (moments,)
    batch: Integers  # shape (moments,)
    ages_s: Floats  # shape (moments,), of undisturbed work before
    rates: Floats  # shape (groups, moments), operations/s
    absent: Floats  # shape (groups, moments), the share of a rate that is filled in
    taken: int  # moments at which others had the CPU of a thread, clean or not
    marked: int  # moments at which a thread has any unclean mark
    undisturbed: Integers  # shape (slots,), moments at which each thread is undisturbed
    ages: Floats  # shape (slots,), the sum of the thread's ages at these moments, in ticks
    clean_ages: Floats  # shape (slots,), of the same at clean moments


def windows(columns: Columns, slots: int, spacing: float, most: int) -> Windows:
    """Return the common windows; a batch in which some thread has no timed block has none.

    slots: how many threads there are; spacing: ticks of a median block; most: moments for each block, at most.
    """
    batches = int(columns.batch[-1]) + 1
    timed = columns.timed
    lane = (columns.batch * slots + columns.slot)[timed]
    first = np.full(batches * slots, np.iinfo(np.int64).max)
    last = np.full(batches * slots, -1)
    np.minimum.at(first, lane, columns.start[timed])
    np.maximum.at(last, lane, columns.stop[timed])
    begin, end = first.reshape(batches, slots).max(axis=1), last.reshape(batches, slots).min(axis=1)
    common = (begin >= 0) & (begin < end) & (spacing > 0)
    sizes = np.bincount(columns.batch, minlength=batches)[common]
    begin, end = begin[common], end[common]
    if not common.all():
        columns = columns.at(common[columns.batch])
        columns = replace(columns, batch=(np.cumsum(common) - 1)[columns.batch])
    step = np.maximum(spacing, (end - begin) / (most * sizes))
    edges = np.concatenate([[0], np.cumsum(sizes)])
    return Windows(columns, slots, begin, end, step, ((end - begin) / step).astype(np.int64), edges)


def clean_moments(found: Windows, which: slice, asked: Asked) -> Moments:
    """Return the clean moments of the batches `which`."""
    counts = found.moments[which]
    batch = np.repeat(np.arange(which.start, which.stop), counts)
    place = np.arange(batch.size) - np.repeat(np.cumsum(counts) - counts, counts)
    ticks = found.begin[batch] + found.step[batch] * (place.astype(np.float64) + 0.5)
    line = _Line(found, which)
    wanted = line.at(batch, ticks)
    covering = np.searchsorted(line.key, wanted, side="right") - 1
    present = _present(line, asked)[covering]
    marks = (line.part.flags & asked.unclean)[covering]
    ages = wanted - _at_last_disturbance(line, line.key, line.key + line.lasted, asked.unclean)[covering]
    rates = (line.part.operations * asked.hz / np.maximum(line.lasted, 1))[covering]
    clean = np.ones(batch.size, dtype=np.bool_)
    taken, marked = np.zeros(batch.size, dtype=np.bool_), np.zeros(batch.size, dtype=np.bool_)
    age = np.full(batch.size, np.iinfo(np.int64).max)
    filled_in = []
    for team in np.split(np.arange(found.slots), asked.firsts[1:]):
        few = allowed(team.size)
        clean &= (~present[team]).sum(axis=0) <= few
        taken |= ((marks[team] & TAKEN) != 0).sum(axis=0) > few
        marked |= (marks[team] != 0).sum(axis=0) > few
        age = np.minimum(age, np.partition(ages[team], few, axis=0)[few] if few else ages[team].min(axis=0))
        filled_in.append(_filled(rates[team], present[team], batch, few))
    return Moments(
        ticks=ticks[clean],
        batch=batch[clean],
        ages_s=age[clean] / asked.hz,
        rates=np.stack([one[clean] for one, _ in filled_in]),
        absent=np.stack([one[clean] for _, one in filled_in]),
        taken=int(taken.sum()),
        marked=int(marked.sum()),
        undisturbed=present.sum(axis=1),
        ages=(ages * present).sum(axis=1, dtype=np.float64),
        clean_ages=(ages * (present & clean)).sum(axis=1, dtype=np.float64),
    )


class _Line:
    """The blocks of some batches in the order of batch, thread and time, on one line of ticks."""

    def __init__(self, found: Windows, which: slice) -> None:
        edges = found.edges[which.start : which.stop + 1]
        part = found.columns.at(slice(int(edges[0]), int(edges[-1])))
        self._first, places = which.start, edges[:-1] - edges[0]
        own = part.batch - which.start
        self._base = np.minimum.reduceat(part.start, places)
        self._stretch = np.maximum.reduceat(part.stop, places) - self._base + 1
        self._from = found.slots * (np.cumsum(self._stretch) - self._stretch)
        self._slots = np.arange(found.slots, dtype=np.int64)[:, None]
        key = self._from[own] + part.slot * self._stretch[own] + (part.start - self._base[own])
        order = np.argsort(key, kind="stable")
        self.key: Integers = key[order]
        self.part = part.at(order)

    @property
    def lasted(self) -> Integers:
        """Return the ticks of each block."""
        return self.part.stop - self.part.start

    @property
    def begins(self) -> Places:
        """Return the first block of each thread in each batch."""
        return np.flatnonzero(np.diff(self.part.slot, prepend=-1) | np.diff(self.part.batch, prepend=-1))

    def at(self, batch: Integers, ticks: Floats) -> Integers:
        """Return the places of moments, for each thread; shape (slots, moments)."""
        own = batch - self._first
        begins = self._from[own] + self._slots * self._stretch[own]
        return np.asarray(begins + (ticks - self._base[own]).astype(np.int64))


def _present(line: _Line, asked: Asked) -> Truths:
    """Return whether each block is undisturbed, and its thread has the lines back that a disturbance took."""
    part = line.part
    undisturbed = np.asarray((part.flags & asked.unclean) == 0)
    if not asked.needed.any():
        return undisturbed
    done = np.cumsum(part.operations)
    before = done - part.operations
    since = before - _at_last_disturbance(line, before, done, asked.unclean)
    return np.asarray(undisturbed & (since + part.operations * NEGLIGIBLE >= asked.needed[part.slot]))


def _at_last_disturbance(
    line: _Line, before: npt.NDArray[Number], after: npt.NDArray[Number], unclean: int
) -> npt.NDArray[Number]:
    """Return the value of a monotone clock when each block's thread was last disturbed, or began its batch.

    before, after: the clock as each block starts and stops.
    """
    disturbed = (line.part.flags & (unclean & ~SIZING)) != 0
    marks = np.where(disturbed, after, 0)
    begins = line.begins
    marks[begins] = np.maximum(marks[begins], before[begins])
    return np.maximum.accumulate(marks)


def _filled(rates: Floats, present: Truths, batch: Integers, few: int) -> tuple[Floats, Floats]:
    """Return the same as `crowd.filled`, batch by batch. few: threads that may be absent; with 0, a clean moment lacks
    none.
    """
    if not few:
        return np.add.reduceat(rates, [0], axis=0)[0], np.zeros(batch.size)
    edges = np.flatnonzero(np.diff(batch)) + 1
    parts = zip(np.split(rates, edges, axis=1), np.split(present, edges, axis=1), strict=True)
    found = [filled(*one) for one in parts]
    return np.concatenate([one for one, _ in found]), np.concatenate([one for _, one in found])
