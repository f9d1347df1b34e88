"""The audit: identities that any result must keep, ours, imported or published.

One file is one identity, and registers it in its last line. An identity finds what cannot be, not what is unlikely: a
result that keeps every identity may still be wrong. `statement` defines what identities read. `own`, `published` and
`readings` make statements of a run, of a table of `reference`, and of another tool's output.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tierscope.audit.identity import Failure, Identity
from tierscope.audit.statement import Quantity, Statement
from tierscope.registry import Registry

identities: Registry[Identity] = Registry("identity", "tierscope.audit")


@dataclass(frozen=True, slots=True)
class Audit:
    """`checked`: the number of places that each identity was checked in."""

    checked: dict[str, int]
    failures: tuple[Failure, ...]


def examine(statements: Sequence[Statement]) -> Audit:
    """Check every identity over all statements, in the order of their names; equal failures are reported once."""
    found = {name: list(identities[name].check(statements)) for name in identities}
    failures = tuple(dict.fromkeys(one for each in found.values() for one in each if one is not None))
    return Audit({name: len(each) for name, each in found.items()}, failures)


__all__ = ["Audit", "Failure", "Identity", "Quantity", "Statement", "examine", "identities"]
