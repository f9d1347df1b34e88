"""The smallest identity: the best bandwidth is no less than the bandwidth.

    best_bytes_per_s >= bandwidth_bytes_per_s

An identity is a statement that every result must satisfy, whoever measured it. It finds the impossible, not the
unlikely. Write the formula as above, then what it is blind to, and its source where it has one.
Blind to two numbers that are wrong by the same factor.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.statement import Quantity, Statement


class BestIsMost:
    """The identity for every row that has both."""

    name: ClassVar[str] = "skeleton_best"  # as `tierscope audit` prints it
    title: ClassVar[str] = "the best is no less than the median"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        """Yield one item for each place where the identity applies: None where it is satisfied."""
        for one in statements:
            # Quantities have the names of row keys. The identity does not apply to a statement without one of them.
            if known := one.get("best_bytes_per_s", "bandwidth_bytes_per_s"):
                best, median = known
                # Compare the far ends: rounding and intervals are not faults.
                yield None if best.high >= median.low else _failure(one, best, median)


def _failure(one: Statement, best: Quantity, median: Quantity) -> Failure:
    said, found = f"best {best.value:g} bytes/s", f"the median is {median.value:g} bytes/s"
    return Failure("skeleton_best", one.label, one.table, "best_bytes_per_s", said, found, "columns were swapped")


def _stated(best: float, median: float) -> Statement:
    numbers = {"best_bytes_per_s": Quantity(best), "bandwidth_bytes_per_s": Quantity(median)}
    return Statement("row", numbers, {}, "t", conclusive=True)


# The tests read both: a set that satisfies every identity, and one with a fault and a part of the reason for it.
GOOD = [_stated(11e9, 10e9)]
PLANTED = ([_stated(10e9, 11e9)], "columns were swapped")

identities.add(BestIsMost())
