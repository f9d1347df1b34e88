"""A number that appears twice in one output is the same in both places.

    X = again_X          within half of the last digit of each

`again_X` is X printed a second time, in another unit or computed from other printed numbers. Examples: the bytes of
STREAM's arrays in MiB, likwid's cycles over its clock and its time, fio's KiB and its bytes. If the two are averages of
two windows, `same_quantity` compares them instead. Blind to a number that is wrong in both places.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.shown import shown, value_of
from tierscope.audit.slips import slip, slips_of
from tierscope.audit.statement import Statement

AGAIN = "again_"
ROOM = 1e-6  # of the value: tools print %f of single steps of arithmetic; none of their digits is finer


class ToldAgain:
    """Check every quantity that is printed twice."""

    name: ClassVar[str] = "told_again"
    title: ClassVar[str] = "a number printed twice is the same in both places"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            for name in one.quantities:
                if name.startswith(AGAIN) and name.removeprefix(AGAIN) in one.quantities:
                    yield _failure(one, name.removeprefix(AGAIN))


def _failure(one: Statement, name: str) -> Failure | None:
    stated, again = one.quantities[name], one.quantities[AGAIN + name]
    room = ROOM * max(abs(stated.value), abs(again.value))
    if stated.low - room <= again.high and again.low - room <= stated.high:
        return None
    slack = again.slack + stated.slack + ROOM
    word = slip(again.value / stated.value, slips_of(name), slack) if stated.value else ""
    how = one.words.get(AGAIN + name, "the same output")
    found = f"{how} makes {value_of(name, again.value)}"
    why = f"{word} in one of the two" if word else "one of the two was changed, or they are of two runs"
    return Failure("told_again", one.label, one.table, name, shown(name, stated), found, why)


identities.add(ToldAgain())
