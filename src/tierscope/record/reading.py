"""What another tool printed, in base units: rows of an imported result."""

import msgspec

from tierscope.record.experiment import Label


class Value(msgspec.Struct, frozen=True, kw_only=True):
    """A number that another tool printed."""

    value: float  # in the base unit that the end of its name says
    step: float = 0.0  # what the last printed digit is worth, in the same unit; 0: it was computed from others
    said: str = ""  # as printed, with its unit


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """One row of another tool's output."""

    test: str  # as the tool calls it: "Triad"
    labels: dict[str, Label] = {}  # what was set: threads, array ...
    values: dict[str, Value] = {}  # by the names of the keys of the table `imported`
