"""Refuses numbers that a field of what is to be measured cannot have, with one that it can."""

import math
from collections.abc import Mapping

import msgspec

from tierscope.errors import OutOfRangeError

NUMBERS = (int, float)


def impossible(what: str, made: msgspec.Struct, name: str, needed: str) -> OutOfRangeError:
    """Return the error for a field that has an impossible number; the default is what it proposes."""
    default = next(field.default for field in msgspec.structs.fields(made) if field.name == name)
    hint = "" if default is msgspec.NODEFAULT else f"; try {name}={default!r}"
    return OutOfRangeError(f"{what}: {name}={getattr(made, name)!r} is not {needed}{hint}")


def refuse_numbers(what: str, made: msgspec.Struct, least: Mapping[str, int]) -> None:
    """Raise OutOfRangeError for a number below 0 or below its field's least value, and for one that is not finite."""
    for name in made.__struct_fields__:
        value = getattr(made, name)
        if isinstance(value, NUMBERS) and not (lowest := least.get(name, 0)) <= value < math.inf:
            raise impossible(what, made, name, f"a number from {lowest}")
