"""No operation takes longer than the run that it is part of.

    latency_most_s <= the longest run

The longest run is `seconds_most` where several were timed, else `seconds`. Blind to a longest operation that is wrong
and still shorter than the run.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.shown import shown
from tierscope.audit.statement import Statement

ROOM = 0.01  # of two clocks, or of one that is read at other moments
START_S = 2e-3  # a program counts its run in whole milliseconds


class WithinRun:
    """Check rows with a longest operation and the time of the whole."""

    name: ClassVar[str] = "within_run"
    title: ClassVar[str] = "no operation takes longer than its run"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            run = next((name for name in ("seconds_most", "seconds") if name in one.quantities), "")
            if run and "latency_most_s" in one.quantities:
                longest, whole = one.quantities["latency_most_s"], one.quantities[run]
                good = longest.low <= whole.high * (1 + ROOM) + START_S
                yield None if good else _failure(one, run)


def _failure(one: Statement, run: str) -> Failure:
    name = "latency_most_s"
    found = f"the whole run took {shown('seconds', one.quantities[run])}"
    why = "one of the two has another unit or lost a digit"
    return Failure("within_run", one.label, one.table, name, shown(name, one.quantities[name]), found, why)


identities.add(WithinRun())
