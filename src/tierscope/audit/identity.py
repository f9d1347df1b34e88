"""The identity that each file of this folder registers, and the failure that it finds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from tierscope.audit.statement import Statement


@dataclass(frozen=True, slots=True)
class Failure:
    """An identity that a statement does not keep."""

    identity: str
    label: str  # of the statement
    table: str
    quantity: str  # the name of the number in doubt
    said: str  # that number, as shown to people
    found: str  # the value that the identity requires
    why: str  # what would explain it

    @property
    def text(self) -> str:
        """Return one sentence for people."""
        return f"{self.label}: {self.said}, but {self.found}; {self.why}"


class Identity(Protocol):
    """One physical or arithmetical identity."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str:
        """Return the identity in a few words."""

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        """Yield one item for each place where the identity applies: None if it is true there."""
