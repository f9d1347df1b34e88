"""Numbers are possible: finite, not negative, and shares between 0 and 1.

It recognises times, bytes, rates, counts, ratios and shares by the endings of their names; a difference may be
negative. Blind to a number that is wrong within that range.
"""

import math
from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.shown import shown
from tierscope.audit.statement import Statement

ROOM = 1e-9
ENDINGS = ("_s", "_bytes", "_share", "ratio", "_hz", "seconds", "operations", "count", "threads", "in_flight")
COUNTED = ("_bytes", "operations", "count", "threads", "in_flight")  # what a counter shows after an overflow
DIFFERENCES = ("extra_s",)  # may be negative: what one of two numbers has more than the other


class InRange:
    """Check every quantity; a name that ends in _share marks a share."""

    name: ClassVar[str] = "in_range"
    title: ClassVar[str] = "finite, not negative; shares up to 1"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            yield from (
                _failure(one, name) for name in one.quantities if name.endswith(ENDINGS) and name not in DIFFERENCES
            )


def _failure(one: Statement, name: str) -> Failure | None:
    stated = one.quantities[name]
    share = name.endswith("_share") and name != "peak_share"  # that one has an identity of its own
    if math.isfinite(stated.value) and stated.value >= 0 and not (share and stated.value > 1 + ROOM):
        return None
    found = "a share is between 0 and 1" if share else "a quantity of this kind is finite and not negative"
    return Failure("in_range", one.label, one.table, name, shown(name, stated), found, _why(name, stated.value))


def _why(name: str, value: float) -> str:
    if not math.isfinite(value):
        return "it was divided by nothing, or made of a number that is none"
    if value < 0:
        over = "a counter ran over, or " if name.endswith(COUNTED) else ""
        return f"{over}a difference was taken the wrong way round"
    return "percent were taken for a share, or the part is not of that whole"


identities.add(InRange())
