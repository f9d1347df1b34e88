"""Threads that wait for each operation have no more operations in flight than there are threads.

    rate_per_s * latency_s <= most_in_flight

`most_in_flight` is the largest possible number in flight: the threads of a program whose operations return when they
are done, or depth x jobs of fio. It is the upper half of Little's law, which is true for any time that the threads
spend between two operations. A program may leave its reads of the clock out of its rate, but not out of its latencies.
Blind to a latency or a rate that is too small.
Source: J. D. C. Little, "A Proof for the Queuing Formula: L = lambda W", Operations Research 9, 1961.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.shown import shown
from tierscope.audit.statement import Statement
from tierscope.audit.under_way import READS_S

ROOM = 0.02  # rate and latency are means over windows that differ by their ends


class ThreadsHold:
    """Check rows with a rate, a mean latency and a limit."""

    name: ClassVar[str] = "threads_hold"
    title: ClassVar[str] = "not more in flight than threads or depth allow"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            if known := one.get("rate_per_s", "latency_s", "most_in_flight"):
                rate, latency, most = known
                good = rate.low * (latency.low - READS_S) <= most.value * (1 + ROOM)
                yield None if good else _failure(one)


def _failure(one: Statement) -> Failure:
    rate, latency, most = (one.quantities[name] for name in ("rate_per_s", "latency_s", "most_in_flight"))
    found = (
        f"{shown('rate_per_s', rate)} would keep {rate.value * latency.value:.3g} in flight of {most.value:g} at most"
    )
    why = "one of the two has another unit or lost a digit, or more threads ran than stated"
    return Failure("threads_hold", one.label, one.table, "latency_s", shown("latency_s", latency), found, why)


identities.add(ThreadsHold())
