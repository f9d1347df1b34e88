"""The bytes are on the nodes that were requested.

    bytes found on the asked nodes >= (1 - STRAY) * bytes found

It reads `placed_bytes` and `astray_bytes`. Blind to pages that moved after the check, and to memory whose placement
could not be queried.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.statement import Statement
from tierscope.units import show_bytes

STRAY = 0.01  # of the bytes may be elsewhere: shared libraries' pages, and the last ones when a node is full


class Placement:
    """Check every group that named nodes."""

    name: ClassVar[str] = "placement"
    title: ClassVar[str] = "bytes are on the nodes that were requested"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            if known := one.get("placed_bytes", "astray_bytes"):
                placed, astray = (quantity.value for quantity in known)
                good = astray <= STRAY * (placed + astray)
                yield None if good else _failure(one, placed, astray)


def _failure(one: Statement, placed: float, astray: float) -> Failure:
    said = f"node {one.words.get('asked', '?')} was asked for"
    found = f"{show_bytes(astray)} of {show_bytes(placed + astray)} are on node {one.words.get('elsewhere', '?')}"
    why = "the node was full or the kernel moved the pages: the number is of a mixture of tiers"
    return Failure("placement", one.label, one.table, "astray_bytes", said, found, why)


identities.add(Placement())
