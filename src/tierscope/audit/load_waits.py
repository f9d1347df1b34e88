"""With less load no access waits longer.

    latency(longer delay) <= ROOM * latency(shorter delay)

It compares neighbouring delays of one mix. The margin is wide: at the knee curves turn back, and a neighbour may
disturb one row. Blind to a curve that is too flat: see `no_load`.
Source: P. Esmaili-Dokht and others, "A Mess of Memory System Benchmarking, Simulation and Application Profiling", MICRO
2024 (latency rises with the load; past the knee it may turn back).
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.orders import never_rises
from tierscope.audit.statement import Statement

ROOM = 2.0
NAME = "latency_s"


class LoadWaits:
    """Check rows with a delay."""

    name: ClassVar[str] = "load_waits"
    title: ClassVar[str] = "a longer delay makes no access wait longer"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        why = "a digit was lost in one of the two, rows were swapped, or a neighbour interfered"
        return never_rises(self.name, statements, "delay_cycles", NAME, ROOM, why)


identities.add(LoadWaits())
