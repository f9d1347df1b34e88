"""The timed span fits into the time that passed.

    span_s <= wall_s        busy_s <= elapsed_s * cpus

`span_s`: from the first clock read of an experiment to the last; `wall_s`: by another clock, set-up included. The
second is a program's CPU time. Blind to time lost between blocks.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.shown import value_of
from tierscope.audit.statement import Statement

ROOM = 0.01  # of two clocks
START_S = 0.01  # CPU time is counted in steps of up to 10 ms


class WallTime:
    """Check that blocks fit into their experiment, and CPU time into its program."""

    name: ClassVar[str] = "wall_time"
    title: ClassVar[str] = "what was timed fits into the time that passed"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            if known := one.get("span_s", "wall_s"):
                why = "the clock's rate is wrong, or the samples are of another experiment"
                yield _failure(one, known[0].value, known[1].value, "span_s", why)
            if known := one.get("busy_s", "elapsed_s", "cpus"):
                busy, elapsed, cpus = (quantity.value for quantity in known)
                why = "more CPUs ran than are stated, or the CPU time is of other tasks than the elapsed time"
                yield _failure(one, busy - START_S, elapsed * cpus, "busy_s", why)


def _failure(one: Statement, timed: float, passed: float, name: str, why: str) -> Failure | None:
    if timed <= passed * (1 + ROOM):
        return None
    said = f"{value_of(name, timed)} were timed"
    found = f"only {value_of('wall_s', passed)} passed"
    return Failure("wall_time", one.label, one.table, name, said, found, why)


identities.add(WallTime())
