"""A time that is stated as proportional is the same number for each operation.

    proportional_s / operations is the same in all rows, within the rounding of each

It checks predictions whose formula is a constant times the operations. The constant is the one that the most rows
allow; rows that do not allow it come from other constants. Blind to a constant that is wrong in all rows.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.shown import shown, value_of
from tierscope.audit.statement import Statement

LEAST = 4  # rows that agree: fewer do not show that the others are wrong
NAME, COUNT = "proportional_s", "operations"


class Proportional:
    """Check each series of predictions."""

    name: ClassVar[str] = "proportional"
    title: ClassVar[str] = "proportional predictions share their constant"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        series: dict[tuple[str, str], list[Statement]] = {}
        for one in statements:
            if (known := one.get(NAME, COUNT)) and known[1].value > 0:
                series.setdefault((one.table, one.series), []).append(one)
        for rows in series.values():
            constant, count = _constant(rows)
            if count >= LEAST:
                yield from (None if _allows(one, constant) else _failure(one, constant, count) for one in rows)


def _ends(one: Statement) -> tuple[float, float]:
    stated, count = one.quantities[NAME], one.quantities[COUNT].value
    return stated.low / count, stated.high / count


def _allows(one: Statement, constant: float) -> bool:
    low, high = _ends(one)
    return low * (1 - 1e-12) <= constant <= high * (1 + 1e-12)


def _constant(rows: list[Statement]) -> tuple[float, int]:
    """Return the middle of the interval that the most rows share, and the number of these rows."""
    lows, highs = [_ends(one)[0] for one in rows], [_ends(one)[1] for one in rows]
    start = max(lows, key=lambda low: sum(_allows(one, low) for one in rows))
    end = min((high for high in highs if high >= start), default=start)
    middle = (start + min([end, *(low for low in lows if low > start)])) / 2
    return middle, sum(_allows(one, middle) for one in rows)


def _failure(one: Statement, constant: float, count: int) -> Failure:
    made = constant * one.quantities[COUNT].value
    found = f"{count} other rows take {value_of('x_s', constant)} an operation, which makes {value_of('x_s', made)}"
    why = "this row comes from other constants than the rest"
    return Failure("proportional", one.label, one.table, NAME, shown(NAME, one.quantities[NAME]), found, why)


identities.add(Proportional())
