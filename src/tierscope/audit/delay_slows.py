"""A longer delay between accesses requests less: bandwidth never rises with the delay by more than noise.

    bandwidth(longer delay) <= ROOM * bandwidth(shorter delay)

It compares neighbouring delays of one mix, by the ends of their intervals. Blind to a delay that has no effect: see
`no_load`.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.orders import never_rises
from tierscope.audit.statement import Statement

ROOM = 1.25  # past the knee more load may yield less, as on persistent memory; a change of a quarter is not the delay's
NAME = "bandwidth_bytes_per_s"


class DelaySlows:
    """Check rows with a delay."""

    name: ClassVar[str] = "delay_slows"
    title: ClassVar[str] = "a longer delay brings no more bandwidth"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        why = "rows were swapped, the delay is not in the order that it is labelled with, or a neighbour interfered"
        return never_rises(self.name, statements, "delay_cycles", NAME, ROOM, why)


identities.add(DelaySlows())
