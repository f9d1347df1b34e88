"""A longer delay between accesses asks for less: bandwidth over delay never rises, by more than noise.

    bandwidth(longer delay) <= ROOM * bandwidth(shorter delay)

Between neighbouring delays of one mix, by the ends of their intervals. Blind to a delay that does nothing at all: see
`no_load`.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.orders import broken, steps
from tierscope.audit.statement import Statement

ROOM = 1.25  # past the knee more load may bring less, as on persistent memory; by a quarter it was not the delay
NAME = "bandwidth_bytes_per_s"


class DelaySlows:
    """Check rows with a delay."""

    name: ClassVar[str] = "delay_slows"
    title: ClassVar[str] = "a longer delay brings no more bandwidth"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for short, long in steps(statements, "delay_cycles", NAME):
            good = long.quantities[NAME].low <= ROOM * short.quantities[NAME].high
            why = "rows were swapped, the delay is not in the order that it is labelled with, or a neighbour interfered"
            yield None if good else broken(self.name, long, short, NAME, why)


identities.add(DelaySlows())
