"""How many CPUs other programs use: what all programs used, less what this process and its children did.

Source: Linux, proc(5), /proc/stat, /proc/PID/stat and /proc/PID/task/TID/children. The kernel counts the first by
clock ticks, so that less than a second shows little. In a container, others are also those outside of it.
Blind to other virtual machines: their time is not in these files.
"""

import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from tierscope.host.proc import cpu_time
from tierscope.host.system import System

MOST = 4096  # descendants that are asked


@dataclass(frozen=True, slots=True)
class Mark:
    """CPU seconds of others up to a moment, from an unknown beginning."""

    moment_s: float
    used_s: float


class Marks(Protocol):
    """Who knows what other programs use on the machine that is measured."""

    def mark(self) -> Mark | None:
        """Return the state of now; None if the system does not report it."""


class Others:
    """Asks the files of a system. clock: seconds that only go forward."""

    def __init__(self, system: System, clock: Callable[[], float] = time.monotonic) -> None:
        self._system, self._clock = system, clock
        self._ticks = os.sysconf("SC_CLK_TCK")

    def mark(self) -> Mark | None:
        """Return the state of now; None if the system does not report it."""
        moment, every = self._clock(), cpu_time(self._system)
        own = self._own()
        if every is None or own is None:
            return None
        return Mark(moment, (every.busy - every.stolen - own) / self._ticks)

    def _own(self) -> float | None:
        """Return the ticks of this process, its children that ended, and those that run."""
        if not (self._system.root / "proc/self/task").is_dir():
            return None
        mine = self._used("self")
        return None if mine is None else mine + sum(self._used(pid) or 0 for pid in self._descendants("self"))

    def _descendants(self, of: str) -> Iterator[str]:
        waiting, met = [of], 0
        while waiting and met < MOST:
            for children in self._children(waiting.pop()):
                yield children
                waiting.append(children)
                met += 1

    def _children(self, pid: str) -> list[str]:
        threads = self._system.root / "proc" / pid / "task"
        try:
            found = sorted(thread.name for thread in threads.iterdir())
        except OSError:  # it ended
            return []
        return [
            child
            for thread in found
            for child in (self._system.read(f"/proc/{pid}/task/{thread}/children") or "").split()
        ]

    def _used(self, pid: str) -> int | None:
        return own_ticks(self._system.read(f"/proc/{pid}/stat", 1 << 12) or "")


def own_ticks(text: str) -> int | None:
    """Return the ticks of a process and of its children that ended. text: /proc/PID/stat."""
    words = text.rpartition(")")[2].split()  # the name may contain spaces and brackets
    if len(words) < 15 or not all(re.fullmatch("[0-9]{1,20}", word) for word in words[11:15]):
        return None
    return sum(map(int, words[11:15]))


def cpus_between(earlier: Mark, later: Mark) -> float:
    """Return how many CPUs others used on average; 0 where the counts of a moment contradict each other."""
    seconds = later.moment_s - earlier.moment_s
    return max((later.used_s - earlier.used_s) / seconds, 0.0) if seconds > 0 else 0.0
