"""The time that a program ran equals its CPU time in user and in system mode.

    busy_s = user_s + system_s          within MEAN and START_S

An event counts `busy_s` from exec to exit. The kernel's own accounts give the other two: they begin at fork, and step
by a tick on some kernels. Blind to both being of another program.
Source: Linux, tools/perf/Documentation/perf-stat.txt; getrusage(2).
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.shown import value_of
from tierscope.audit.statement import Statement

MEAN = 0.05
START_S = 0.02  # two ticks of 10 ms, one for each mode; a fork and an exec take less


class CpuTime:
    """Check programs that state both."""

    name: ClassVar[str] = "cpu_time"
    title: ClassVar[str] = "CPU time = user + system time"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            if known := one.get("busy_s", "user_s", "system_s"):
                busy, user, system = (quantity.value for quantity in known)
                good = abs(busy - user - system) <= MEAN * max(busy, user + system) + START_S
                yield None if good else _failure(one, busy, user, system)


def _failure(one: Statement, busy: float, user: float, system: float) -> Failure:
    said = f"{value_of('busy_s', busy)} of CPU time"
    both = value_of("user_s", user + system)
    found = f"{value_of('user_s', user)} user + {value_of('system_s', system)} system is {both}"
    more = "a part of the run was counted (-D, -i)" if busy < user + system else "children were never waited for"
    why = f"a digit was lost in one of them, or {more}"
    return Failure("cpu_time", one.label, one.table, "busy_s", said, found, why)


identities.add(CpuTime())
