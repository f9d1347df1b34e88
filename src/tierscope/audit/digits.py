"""A number has no more digits than the clock can resolve.

    a single timing is a multiple of clock_step_s, within what its last digit is worth
    half of an interval over its middle >= clock_step_s / timed_s / points

The first is for programs that print their clock's step and single times (`single_s`); the second for medians of blocks
(`points` of them). Counts (`operations`, `count`) are whole. A number with an interval is an estimate of a count, such
as the writes between two stalls.
Blind to false digits of a value that is a mean of many timings.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.shown import shown, value_of
from tierscope.audit.statement import Statement

COUNTS = ("operations", "count", "in_flight", "most_in_flight", "threads")
MEDIANS = ("latency_s", "bandwidth_bytes_per_s", "rate_per_s")


class Digits:
    """Check times and intervals against the clock's step, and that counts are whole numbers."""

    name: ClassVar[str] = "digits"
    title: ClassVar[str] = "no more digits than the clock or a count has"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            if one.get("single_s", "clock_step_s"):
                yield _single(one)
            if one.get("points", "timed_s", "clock_step_s"):
                yield from (_median(one, name) for name in MEDIANS if name in one.quantities)
            yield from (_count(one, name) for name in COUNTS if name in one.quantities)


def _single(one: Statement) -> Failure | None:
    stated, step = one.quantities["single_s"], one.quantities["clock_step_s"].value
    off = abs(stated.value - step * round(stated.value / step)) if step > 0 else 0.0
    if off <= stated.step or step <= stated.step:
        return None
    found = f"the clock steps by {value_of('clock_step_s', step)}"
    why = "these digits cannot come from that clock: the time is not what was measured, or the step is not the clock's"
    return Failure("digits", one.label, one.table, "single_s", shown("single_s", stated), found, why)


def _median(one: Statement, name: str) -> Failure | None:
    stated = one.quantities[name]
    points, timed, step = (one.quantities[key].value for key in ("points", "timed_s", "clock_step_s"))
    if not stated.bounds or not stated.value or min(points, timed) <= 0:
        return None
    half = (stated.high - stated.low) / 2 / abs(stated.value)
    least = step / timed / points
    if half >= least:
        return None
    found = f"{points:.0f} timings of {value_of('timed_s', timed)} by steps of {value_of('clock_step_s', step)}"
    said = f"{shown(name, stated)} within {100 * half:.2g} %"
    why = f"they determine it to {100 * least:.2g} % at best: digits were added, or samples repeated"
    return Failure("digits", one.label, one.table, name, said, found, why)


def _count(one: Statement, name: str) -> Failure | None:
    stated = one.quantities[name]
    if stated.bounds or stated.step > 1 or stated.value == round(stated.value):
        return None
    why = "it was scaled or averaged after it was counted"
    return Failure("digits", one.label, one.table, name, shown(name, stated), "a count is a whole number", why)


identities.add(Digits())
