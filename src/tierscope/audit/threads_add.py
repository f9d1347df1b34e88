"""Threads add up at most.

    bandwidth(n) / n <= ROOM * bandwidth(m) / m          n > m, one kernel on one target

More threads may each get a little more, where clocks rise or prefetchers help one another. By far more is a thread
count that is wrong, or arrays that were cut so small that they fit in caches.
Blind to scaling that is too poor.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.orders import broken, steps
from tierscope.audit.statement import Statement

ROOM = 1.5
NAME = "bandwidth_bytes_per_s"


class ThreadsAdd:
    """Neighbouring numbers of threads."""

    name: ClassVar[str] = "threads_add"
    title: ClassVar[str] = "n threads reach n times one at most"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for few, many in steps(statements, "threads", NAME):
            times = many.quantities["threads"].value / max(few.quantities["threads"].value, 1)
            good = many.quantities[NAME].low <= ROOM * times * few.quantities[NAME].high
            why = "the number of threads is wrong, or each thread's share fits in a cache"
            yield None if good else broken(self.name, many, few, NAME, why)


identities.add(ThreadsAdd())
