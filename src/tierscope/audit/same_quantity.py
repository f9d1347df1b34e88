"""A number that is stated twice is the same both times.

`second_bandwidth_bytes_per_s` is a second column for the bandwidth, such as fio's mean of samples. The two may differ
by as much as two averages of one run; a factor of a thousand is a wrong unit.
Blind to a number that is wrong in both columns.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.shown import shown
from tierscope.audit.statement import Quantity, Statement

MEAN = 0.02  # of two averages of one run
LARGE = 100.0  # times: no mean of samples is this far from the mean of the run; a wrong unit is
PREFIXES = {True: (1024.0, "MiB/s in a column of KiB/s"), False: (1000.0, "a prefix below the one that is printed")}


class SameQuantity:
    """Compare both columns of one row."""

    name: ClassVar[str] = "same_quantity"
    title: ClassVar[str] = "a number that is stated twice is the same"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            if known := one.get("bandwidth_bytes_per_s", "second_bandwidth_bytes_per_s"):
                yield _failure(one, *known)


def _failure(one: Statement, first: Quantity, again: Quantity) -> Failure | None:
    if not first.value or not again.value:
        return None
    ratio = again.value / first.value
    if abs(1 / ratio - 1) <= MEAN + first.slack + again.slack:
        return None
    name = "second_bandwidth_bytes_per_s"
    found = f"the other column shows {shown('bandwidth_bytes_per_s', first)}"
    return Failure("same_quantity", one.label, one.table, name, shown(name, again), found, _why(ratio, again))


def _why(ratio: float, again: Quantity) -> str:
    away = max(ratio, 1 / ratio)
    if away < LARGE:
        way = "more" if ratio > 1 else "less"
        return f"{way} by a factor of {away:.2f}: a mean of samples, not of the run"
    factor, words = PREFIXES["KiB" in again.said]
    left = ratio * factor if ratio < 1 else ratio / factor
    return f"unit slip: it is in {words}; then {left:.2f}x the other remains"


identities.add(SameQuantity())
