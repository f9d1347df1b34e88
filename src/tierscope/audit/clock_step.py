"""A timing is much longer than the clock's step, and than one read of the clock.

    seconds of one timing >= TICKS * clock_step_s        clock_cost_s <= COST * seconds of one timing

Blind to a clock that states a finer step than it has.
Source: J. D. McCalpin, "STREAM: Sustainable Memory Bandwidth in High Performance Computers", 1995 (twenty ticks).
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.shown import value_of
from tierscope.audit.statement import Statement

TICKS = 20
COST = 0.02  # as much as the precision of a run


class ClockStep:
    """Check `timed_s`, which is one timing: a block of Tierscope, a pass of STREAM."""

    name: ClassVar[str] = "clock_step"
    title: ClassVar[str] = "a timing is at least twenty steps of the clock"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            if (known := one.get("timed_s", "clock_step_s")) and known[0].value > 0:
                yield _step(one, known[0].value, known[1].value)
            if (known := one.get("timed_s", "clock_cost_s")) and known[0].value > 0:
                yield _cost(one, known[0].value, known[1].value)


def _step(one: Statement, timed: float, step: float) -> Failure | None:
    if timed >= TICKS * step:
        return None
    said, found = f"a timing of {value_of('x_s', timed)}", f"the clock steps by {value_of('x_s', step)}"
    why = f"{timed / step:.1f} steps: up to {100 * step / timed:.0f} % of the number is rounding; time longer blocks"
    return Failure("clock_step", one.label, one.table, "timed_s", said, found, why)


def _cost(one: Statement, timed: float, cost: float) -> Failure | None:
    if cost <= COST * timed:
        return None
    said, found = f"a timing of {value_of('x_s', timed)}", f"reading the clock costs {value_of('x_s', cost)}"
    why = f"{100 * cost / timed:.0f} % of the number is the clock itself; time longer blocks"
    return Failure("clock_step", one.label, one.table, "timed_s", said, found, why)


identities.add(ClockStep())
