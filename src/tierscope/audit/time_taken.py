"""A rate is a count over the time it took.

    bandwidth_bytes_per_s = total_bytes / seconds        rate_per_s = operations / seconds
    total_bytes = operations * operation_bytes

Where several passes were timed, `seconds` is that of the pass that gave the rate. Blind to a clock that runs wrong:
both sides share it.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.products import failure
from tierscope.audit.statement import Statement

ROOM = 0.005  # in addition to rounding: programs leave set-up out of one of the two
PRINTED = 1e-6  # a program that prints all three computes one from the others
PAIRS = (("bandwidth_bytes_per_s", "total_bytes"), ("rate_per_s", "operations"))


class TimeTaken:
    """Compare rates with counts and seconds."""

    name: ClassVar[str] = "time_taken"
    title: ClassVar[str] = "rate = count / seconds"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            for rate, count in PAIRS:
                if (known := one.get(rate, count, "seconds")) and known[2].value > 0:
                    _, total, seconds = known
                    exact = seconds.step > 0 and one.quantities[rate].step > 0
                    room = (PRINTED if exact else ROOM) + total.slack + seconds.slack
                    made = total.value / seconds.value
                    yield failure(self.name, one, rate, made, f"{count.replace('_', ' ')} / seconds", room)
            if known := one.get("total_bytes", "operations", "operation_bytes"):
                _, count_of, size = known
                yield failure(self.name, one, "total_bytes", count_of.value * size.value, "operations x size", ROOM)


identities.add(TimeTaken())
