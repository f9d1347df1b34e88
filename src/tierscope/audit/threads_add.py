"""Bandwidth grows at most in proportion to the threads.

    bandwidth(n) <= ROOM * n / m * most bandwidth of m threads or fewer      m the next smaller number
    bandwidth(n) <= DIP * n / m * bandwidth(m)

With more threads each may reach a little more, if clocks rise or prefetchers help one another. Far more means a wrong
thread count, or arrays that were split so small that they fit in caches. The first compares with the most so far, since
a neighbour may have disturbed one number of threads: the second finds a row that fell by more than that.
Blind to scaling that is too poor.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.orders import broken, series
from tierscope.audit.statement import Statement

ROOM = 1.5
DIP = 3.0  # a neighbour that takes two thirds while one number of threads is measured
NAME, BY = "bandwidth_bytes_per_s", "threads"


class ThreadsAdd:
    """Compare each number of threads with those below it."""

    name: ClassVar[str] = "threads_add"
    title: ClassVar[str] = "n threads reach n times one at most"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for rows in series(statements, BY, NAME):
            levels = [list(same) for _, same in groupby(rows, key=lambda one: one.quantities[BY].value)]
            best: Statement | None = None
            for few, many in pairwise(levels):
                best = max((*few, *([best] if best else [])), key=lambda one: one.quantities[NAME].high)
                yield from (_failure(one, few[-1], best) for one in many)


def _failure(one: Statement, few: Statement, best: Statement) -> Failure | None:
    times = one.quantities[BY].value / max(few.quantities[BY].value, 1)
    low = one.quantities[NAME].low
    if low > ROOM * times * best.quantities[NAME].high:
        why = "the number of threads is wrong, each thread's share fits in a cache, or a digit was lost"
        return broken("threads_add", one, best, NAME, why)
    if low > DIP * times * few.quantities[NAME].high:
        return broken(
            "threads_add", few, one, NAME, "a digit was lost, or a neighbour took most of the memory meanwhile"
        )
    return None


identities.add(ThreadsAdd())
