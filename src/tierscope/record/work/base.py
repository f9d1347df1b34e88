"""The common part of all works, and the names of their fields in a plan."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta

from tierscope.record.possible import refuse_numbers

Bytes = Annotated[int, Meta(ge=0)]
UNITS = ("_bytes", "_cycles", "_s")
"""Ends of the names of fields: the unit, which a plan writes behind the number."""


class OfTask(msgspec.Struct, frozen=True, kw_only=True, tag_field="task"):
    """The common part of all works. Zero and "" mean: the simplest choice of the core, which the facts state.

    OutOfRangeError for a number below 0, for one that is not finite, and for one below `least`.
    """

    least: ClassVar[Mapping[str, int]] = {}
    of_core: ClassVar[bool] = True
    """Whether the core measures it: its fields are keys of a plan."""
    encoded: ClassVar[frozenset[str]] = frozenset()
    """Fields whose text may contain any character: a plan carries them percent-encoded, and the core decodes them."""

    def __post_init__(self) -> None:
        refuse_numbers("workload", self, self.least)

    def refuse(self) -> None:
        """Raise UsageError for a text that the core would refuse. Called where it is typed, not where a run is read."""


def key_of(field: str) -> str:
    """Return the key of a plan for a field of a work: its name without the unit, `element` for `element_bytes`."""
    unit = next((unit for unit in UNITS if field.endswith(unit)), "")
    return field.removesuffix(unit)
