"""An access on an idle memory takes no longer than one under load.

    latency(load) >= ROOM * latency(idle)

A load may raise clocks that an idle machine lets fall, so it may be a little sooner. Idle is the row without load
threads of the same target. Blind where no row is idle.
Source: P. Esmaili-Dokht and others, "A Mess of Memory System Benchmarking, Simulation and Application Profiling", MICRO
2024 (curves that begin at their least latency).
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.orders import broken
from tierscope.audit.statement import Statement

ROOM = 0.75
NAME = "latency_s"


class IdleIsLeast:
    """Rows with load threads, or with a delay."""

    name: ClassVar[str] = "idle_is_least"
    title: ClassVar[str] = "latency under load >= idle latency"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        rows = [one for one in statements if one.conclusive and one.get(NAME, "load_threads")]
        for idle in (one for one in rows if not one.quantities["load_threads"].value):
            for one in rows:
                same = one.words.get("target") == idle.words.get("target") and one.table == idle.table
                if one.quantities["load_threads"].value and same:
                    good = one.quantities[NAME].high >= ROOM * idle.quantities[NAME].low
                    why = "rows were swapped, the idle row met a neighbour, or the loaded chaser ran in a cache"
                    yield None if good else broken(self.name, one, idle, NAME, why)


identities.add(IdleIsLeast())
