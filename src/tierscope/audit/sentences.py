"""Numbers in sentences: shares are in 0..1, parts within their whole, low <= value <= high, nothing is negative.

It checks every number that an insight of ours declares: its value, and those in its text. The insight declares what
each number is (`tables.Number`), so that this one identity serves all tables.
Blind to a number in a text that its insight does not name; the tests look for those.
"""

import math
from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.statement import SAID, Quantity, Statement

ROOM = 1e-9  # of rounding, as a share of the number


class Sentences:
    """Check each number of each sentence."""

    name: ClassVar[str] = "sentences"
    title: ClassVar[str] = "shares in 0..1, parts <= whole, low <= high"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            if (stated := one.quantities.get(SAID)) is not None:
                found = _broken(stated, one.words.get("kind", ""), one.quantities.get("whole"))
                yield _failure(one, stated, *found) if found else None


def _broken(stated: Quantity, kind: str, whole: Quantity | None) -> tuple[str, str] | None:
    """Return (what is impossible, what would explain it)."""
    ends, room = (stated.low, stated.value, stated.high), ROOM * max(abs(stated.value), 1e-12)
    if not all(map(math.isfinite, ends)):
        return "a number is finite", "it was divided by nothing, or taken of no points"
    if not stated.low - room <= stated.value <= stated.high + room:
        bounds = f"its bounds are {stated.low:.6g} and {stated.high:.6g}"
        return bounds, "value and bounds come from different points, or a ratio was taken the wrong way round"
    if kind == "share" and not (stated.low >= -ROOM and stated.high <= 1 + ROOM):
        return "a share is between 0 and 1", "part and whole come from different points, or percent were taken for it"
    if whole is not None and stated.value > whole.value * (1 + ROOM):
        return f"the whole is {whole.value:.6g}", "part and whole come from different points"
    if kind != "difference" and stated.low < 0:
        return "a quantity of this kind is not negative", "a difference was taken the wrong way round"
    return None


def _failure(one: Statement, stated: Quantity, found: str, why: str) -> Failure:
    return Failure("sentences", one.label, one.table, SAID, f"{stated.value:.6g} is stated", found, why)


identities.add(Sentences())
