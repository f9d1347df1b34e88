"""A flush instruction that may overlap with others is not slower than one that may not.

    time(clflushopt), time(clwb) <= ROOM * time(clflush)

It compares the same bytes in the same chunks. CLFLUSH is ordered with every other CLFLUSH and with stores; CLFLUSHOPT
and CLWB are not. Blind to a CLFLUSH that is too slow.
Source: Intel, "64 and IA-32 Architectures Software Developer's Manual", volume 2, CLFLUSH, CLFLUSHOPT, CLWB, 2023.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.orders import broken
from tierscope.audit.statement import Statement

ROOM = 1.25  # on lines that miss, and on processors that order all of them alike
WORD = "flush"
NAMES = ("seconds", "line_s")
OVERLAPPING = ("clflushopt", "clwb")


class FlushOrder:
    """Compare rows of one setting that name their instruction."""

    name: ClassVar[str] = "flush_order"
    title: ClassVar[str] = "clflushopt and clwb take no longer than clflush"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        rows = [one for one in statements if WORD in one.words and one.conclusive]
        ordered = {_setting(one): one for one in rows if one.words[WORD] == "clflush"}
        for one in rows:
            other = ordered.get(_setting(one))
            if one.words[WORD] in OVERLAPPING and other is not None:
                for name in (name for name in NAMES if name in one.quantities and name in other.quantities):
                    good = one.quantities[name].low <= ROOM * other.quantities[name].high
                    why = "columns were swapped, or a digit was lost in one of the two"
                    yield None if good else broken(self.name, one, other, name, why)


def _setting(one: Statement) -> tuple[tuple[str, str], ...]:
    words = sorted((key, word) for key, word in one.words.items() if key != WORD)
    return (*words, ("table", one.table))


identities.add(FlushOrder())
