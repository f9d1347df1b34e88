"""Time that the hypervisor took is left out of the number.

    left_out_share >= stolen_share - ROOM

`stolen_share` is the share of the timed blocks' time in blocks with steal time; `left_out_share` that of moments that
are left out. Blind to a hypervisor that does not report steal time.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.statement import Statement

ROOM = 0.1  # blocks and moments are counted separately, and a batch's ends belong to blocks alone


class Steal:
    """Check every experiment whose blocks were watched."""

    name: ClassVar[str] = "steal"
    title: ClassVar[str] = "stolen time is left out"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            if known := one.get("stolen_share", "left_out_share"):
                stolen, left_out = (quantity.value for quantity in known)
                yield None if left_out >= stolen - ROOM or not one.conclusive else _failure(one, stolen, left_out)


def _failure(one: Statement, stolen: float, left_out: float) -> Failure:
    said, found = f"{100 * left_out:.0f} % left out", f"{100 * stolen:.0f} % of the timed blocks met stolen time"
    why = "the number includes the time that the host took from this guest: repeat it when the host is quiet"
    return Failure("steal", one.label, one.table, "stolen_share", said, found, why)


identities.add(Steal())
