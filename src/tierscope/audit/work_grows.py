"""More work takes no less time.

    seconds(more operations) >= ROOM * seconds(fewer)        latency(more bytes) >= ROOM * latency(fewer)

It compares neighbours of one series whose rows differ only in their amount of work, printed without intervals.
Blind to a time that is too long.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.orders import broken, steps
from tierscope.audit.statement import Statement

ROOM = 0.75  # single runs of one amount differ by as much on a busy machine
PAIRS = (("operations", "seconds"), ("operation_bytes", "latency_s"))


class WorkGrows:
    """Check that times grow with amounts."""

    name: ClassVar[str] = "work_grows"
    title: ClassVar[str] = "more work takes no less time"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        printed = [one for one in statements if not any(q.bounds for q in one.quantities.values())]
        for amount, name in PAIRS:
            for less, more in steps([one for one in printed if "work" in one.words], amount, name):
                good = more.quantities[name].high >= ROOM * less.quantities[name].low
                why = "rows were swapped, or a digit was lost in one of the two"
                yield None if good else broken(self.name, more, less, name, why)


identities.add(WorkGrows())
