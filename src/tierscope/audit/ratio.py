"""A ratio that is printed is that of the numbers next to it.

    ratio = ratio_of / ratio_to          called a difference: (ratio_to - ratio_of) / ratio_to

The check allows for the rounding of all three. If the header calls it a difference (`ratio_called` of the statement)
and the number is the quotient, that is one failure of the whole table. Blind to a ratio of numbers that are all wrong.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.shown import shown
from tierscope.audit.statement import Quantity, Statement

CALLED = "ratio_called"
QUOTIENT, DIFFERENCE = "quotient", "difference"
ROOM = 1e-9  # of the value: binary floating point must not decide a tie


class Ratio:
    """Check rows with a ratio and its two parts."""

    name: ClassVar[str] = "ratio"
    title: ClassVar[str] = "a ratio is that of its two numbers"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        wrongly: dict[str, list[Statement]] = {}
        for one in statements:
            if one.get("ratio", "ratio_of", "ratio_to"):
                called = one.words.get(CALLED, QUOTIENT)
                other = QUOTIENT if called == DIFFERENCE else DIFFERENCE
                if not _is(one, called) and _is(one, other):
                    wrongly.setdefault(one.table, []).append(one)
                else:
                    yield None if _is(one, called) else _failure(one, called)
        yield from (_misnamed(rows) for rows in wrongly.values())


def _made(one: Statement, how: str) -> tuple[float, float]:
    """Return the least and the most that rounding of the two numbers allows."""
    of, to = one.quantities["ratio_of"], one.quantities["ratio_to"]
    low, high = of.low / to.high, of.high / to.low
    return (1 - high, 1 - low) if how == DIFFERENCE else (low, high)


def _is(one: Statement, how: str) -> bool:
    stated: Quantity = one.quantities["ratio"]
    if one.quantities["ratio_to"].low <= 0:
        return True  # nothing follows
    low, high = _made(one, how)
    return stated.low <= high + ROOM and low <= stated.high + ROOM


def _failure(one: Statement, how: str) -> Failure:
    of, to = one.quantities["ratio_of"], one.quantities["ratio_to"]
    found = f"the {how} of {of.said or of.value} and {to.said or to.value} is {sum(_made(one, how)) / 2:.4g}"
    why = "one of the three is of another row, or was typed wrongly"
    return Failure("ratio", one.label, one.table, "ratio", shown("ratio", one.quantities["ratio"]), found, why)


def _misnamed(rows: list[Statement]) -> Failure:
    first = rows[0]
    called = first.words.get(CALLED, QUOTIENT)
    is_it = QUOTIENT if called == DIFFERENCE else DIFFERENCE
    label = first.label if len(rows) == 1 else f"{len(rows)} rows such as {first.label}"
    found = f"as a {called} it would be {sum(_made(first, called)) / 2:.4g}"
    why = f"the head states {called}, but the numbers are the {is_it} of the two next to them"
    said = shown("ratio", first.quantities["ratio"])
    return Failure("ratio", label, first.table, "ratio", said, found, why)


identities.add(Ratio())
