"""Series in which one number must follow another: its neighbours, and the failure for a break."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from tierscope.audit.identity import Failure
from tierscope.audit.shown import shown
from tierscope.audit.statement import Statement


def series(statements: Sequence[Statement], by: str, name: str) -> Iterator[list[Statement]]:
    """Return conclusive statements with both quantities, ordered by `by`, a list for each series of two or more."""
    found: dict[tuple[str, str], list[Statement]] = {}
    for one in statements:
        if one.conclusive and one.get(by, name):
            found.setdefault((one.table, one.series), []).append(one)
    for each in found.values():
        if len(each) > 1:
            yield sorted(each, key=lambda one: one.quantities[by].value)


def steps(statements: Sequence[Statement], by: str, name: str) -> Iterator[tuple[Statement, Statement]]:
    """Yield the neighbours in each series that differ in `by`."""
    for each in series(statements, by, name):
        yield from ((a, b) for a, b in pairwise(each) if a.quantities[by].value < b.quantities[by].value)


def never_rises(
    identity: str, statements: Sequence[Statement], by: str, name: str, room: float, why: str
) -> Iterator[Failure | None]:
    """Yield, for each step of `by`, the failure if `name` surely rises by more than the factor `room`, else None."""
    for less, more in steps(statements, by, name):
        good = more.quantities[name].low <= room * less.quantities[name].high
        yield None if good else broken(identity, more, less, name, why)


def broken(identity: str, one: Statement, other: Statement, name: str, why: str) -> Failure:
    """Return the failure of `one`, which has a number that `other` makes impossible."""
    said, found = shown(name, one.quantities[name]), f"{other.label} has {shown(name, other.quantities[name])}"
    return Failure(identity, one.label, one.table, name, said, found, why)
