"""A whole is the sum of its parts.

Each statement names its wholes with their parts: both groups of a contention, reads and writes, bytes by page size. If
parts have intervals, the sum may be anywhere between the sums of their ends. If all are printed, it is exact to their
last digits.
Blind to a part that no one named.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.shown import shown, value_of
from tierscope.audit.statement import Statement

ROOM = 0.05  # medians of parts do not add up exactly to the median of the sum
ROUNDING = 1e-9  # printed sums do, within the rounding of their digits: binary floating point is not to decide a tie


class SumOfParts:
    """Check every named whole whose parts are all known."""

    name: ClassVar[str] = "sum_of_parts"
    title: ClassVar[str] = "a whole is the sum of its parts"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            for whole, parts in one.parts:
                if whole in one.quantities and one.get(*parts):
                    yield _failure(one, whole, parts)


def _failure(one: Statement, whole: str, parts: tuple[str, ...]) -> Failure | None:
    stated, each = one.quantities[whole], [one.quantities[part] for part in parts]
    made = sum(part.value for part in each)
    room = ROUNDING if all(one.step > 0 and not one.bounds for one in (stated, *each)) else ROOM
    low, high = sum(part.low for part in each), sum(part.high for part in each)
    if stated.high >= low - room * abs(made) and stated.low <= high + room * abs(made):
        return None
    found = f"{' + '.join(value_of(name, part.value) for name, part in zip(parts, each, strict=True))} is " + value_of(
        whole, made
    )
    why = "a part is missing or counted twice, or the parts are of other moments than the whole"
    return Failure("sum_of_parts", one.label, one.table, whole, shown(whole, stated), found, why)


identities.add(SumOfParts())
