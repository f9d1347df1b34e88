"""No access is faster with a load than without one.

    latency(load) >= ROOM * latency(idle)        seconds(with neighbours) >= ROOM * seconds(alone)

A load may raise clocks that fall on an idle machine, so an access may be a little faster. Idle is the row without load
threads of the same target and setting, or the lowest row of a tool's own test of idle latency (marked `idle`). Blind if
no row is idle.
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
NAME, TIME = "latency_s", "seconds"


class IdleIsLeast:
    """Check rows with load threads or neighbours, and the output of tools that also test idle latency."""

    name: ClassVar[str] = "idle_is_least"
    title: ClassVar[str] = "latency is not lower with a load than without"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for name, same in ((NAME, _target), (TIME, _setting)):
            rows = [one for one in statements if one.conclusive and one.get(name, "load_threads")]
            for idle in (one for one in rows if not one.quantities["load_threads"].value):
                for one in rows:
                    if one.quantities["load_threads"].value and one.table == idle.table and same(one) == same(idle):
                        why = "rows were swapped, the idle row met a neighbour, or the loaded one ran in a cache"
                        yield _pair(one, idle, name, why)
        idle_rows = [one for one in statements if "idle" in one.words and NAME in one.quantities]
        if idle_rows:
            least = min(idle_rows, key=lambda one: one.quantities[NAME].low)
            why = "a digit was lost in one of the two, or the clock was low while the idle row was measured"
            yield from (_pair(one, least, NAME, why) for one in statements if "loaded" in one.words and one.get(NAME))


def _target(one: Statement) -> str | None:
    return one.words.get("target")


def _setting(one: Statement) -> str:
    return one.series


def _pair(one: Statement, idle: Statement, name: str, why: str) -> Failure | None:
    good = one.quantities[name].high >= ROOM * idle.quantities[name].low
    return None if good else broken("idle_is_least", one, idle, name, why)


identities.add(IdleIsLeast())
