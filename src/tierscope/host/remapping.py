"""How often the host of a virtual machine takes the mapping of this guest's memory away: reads of pages, timed.

A guest's page has a second translation, which the host owns (Intel EPT, AMD NPT, Arm stage 2). While it is absent, the
next access leaves the guest until the host has mapped the page again. No counter of the guest shows this. So half of
the pages rest, and the other half is read again and again. An effect on resting pages alone is a search for unused
memory; one on all of them is also in the middle of a measurement.

A read of another 4 KiB page of the same part follows each read immediately. It is fast where the host maps 2 MiB at a
time, and shows what a read costs here. Reads with a page fault of this kernel, or with a switch of tasks, are marked.
Blind to: an interrupt, or time that the host gives to another guest, within one read. Both are long and rare.
"""

import ctypes
import mmap
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from resource import RUSAGE_THREAD, getrusage
from typing import NamedTuple

PART = 2 << 20  # bytes: a huge page of x86, and of Arm with pages of 4 KiB
REST_S, STEP_S = 0.6, 0.02  # seconds that pages rest; between two reads of those in use
FILL_S = 0.3  # seconds for the first writes: a host that provides 4 KiB at a time took 40 to 60 ms for one part
FIRST, SECOND = 64 * 1031, 64 * 9001  # bytes from the start of a part: lines in two pages of 4 KiB, and of 64 KiB


class Read(NamedTuple):
    """Two reads of one part, in seconds, clock reads included. own: a fault or a switch of this kernel was between."""

    first_s: float
    second_s: float
    own: bool


class Reads(NamedTuple):
    """The reads of `parts` parts within `rest_s`: each resting one once, the others again and again.

    huge: whether this kernel gave huge pages. fill_s: seconds until a part was there, on average.
    """

    resting: tuple[Read, ...]
    used: tuple[Read, ...]
    used_parts: int
    rest_s: float
    huge: bool
    fill_s: float

    @property
    def parts(self) -> int:
        return len(self.resting) + self.used_parts


def reads(parts: int, wait: Callable[[float], None]) -> Reads:
    """Map `parts` parts and one more, read and unmap them; about FILL_S + REST_S seconds at most.

    Fewer parts are read if the host provides memory slowly. OSError where the memory cannot be had.
    """
    with closing(mmap.mmap(-1, (parts + 2) * PART, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)) as memory:
        with suppress(OSError):  # a kernel without huge pages
            memory.madvise(mmap.MADV_HUGEPAGE)
        start = -_address(memory) % PART
        began, faults = time.perf_counter(), _own()[0]
        starts = _fill(memory, [start + number * PART for number in range(parts + 1)])
        huge = _own()[0] - faults < 2 * len(starts)
        fill_s = (time.perf_counter() - began) / len(starts)
        rest_s, used, resting = _rest(memory, starts, wait)
        return Reads(resting, used, len(starts[2::2]), rest_s, huge, fill_s)


def _rest(
    memory: mmap.mmap, starts: Sequence[int], wait: Callable[[float], None]
) -> tuple[float, tuple[Read, ...], tuple[Read, ...]]:
    """Return the seconds of rest, all reads of the parts in use, and those of the parts that rested.

    The first part is read before the others and not counted: a process that has just woken is slow once.
    """
    spare, resting, in_use = starts[0], starts[1::2], starts[2::2]
    for part in starts:  # what was lost while others were written
        _read(memory, part)
    used: list[Read] = []
    began = time.perf_counter()
    while (passed := time.perf_counter() - began) < REST_S and len(used) <= REST_S / STEP_S * len(in_use):
        wait(STEP_S)
        _read(memory, spare)
        used += [_read(memory, part) for part in in_use]
    _read(memory, spare)
    return passed, tuple(used), tuple(_read(memory, part) for part in resting)


def _address(memory: mmap.mmap) -> int:
    view = ctypes.c_char.from_buffer(memory)
    return ctypes.addressof(view)  # `view` ends here: a mapping in use cannot be closed


def _fill(memory: mmap.mmap, starts: Sequence[int]) -> list[int]:
    """Write to every page of each part while time is left; return the parts that were written, one at least."""
    began, written, ones = time.perf_counter(), [], bytes(PART // mmap.PAGESIZE)
    for start in starts:
        memory[start : start + PART : mmap.PAGESIZE] = ones
        written.append(start)
        if time.perf_counter() - began > FILL_S:
            break
    return written


def _own() -> tuple[int, int]:
    """Return the page faults of this thread, and how often another task ran in its place."""
    used = getrusage(RUSAGE_THREAD)
    return used.ru_minflt + used.ru_majflt, used.ru_nivcsw + used.ru_nvcsw


def _read(memory: mmap.mmap, part: int) -> Read:
    first, second = part + FIRST, part + SECOND
    before = _own()
    began = time.perf_counter_ns()
    _ = memory[first]
    between = time.perf_counter_ns()
    _ = memory[second]
    ended = time.perf_counter_ns()
    return Read((between - began) * 1e-9, (ended - between) * 1e-9, own=_own() != before)
