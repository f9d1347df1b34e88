"""The numbers that another tool printed, in base units: rows of an imported result."""

from typing import Annotated

import msgspec
from msgspec import Meta

from tierscope.record.experiment import Label


class Value(msgspec.Struct, frozen=True, kw_only=True):
    """A number that another tool printed."""

    value: Annotated[float, Meta(description="in the base unit that the end of its name shows")]
    step: Annotated[
        float, Meta(description="what the last printed digit is worth, in the same unit; 0: computed from others")
    ] = 0.0
    said: Annotated[str, Meta(description="as printed, with its unit")] = ""


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """One row of another tool's output."""

    test: Annotated[str, Meta(description="as the tool calls it")]
    labels: Annotated[dict[str, Label], Meta(description="what was set: threads, size, delay")] = {}
    values: Annotated[
        dict[str, Value],
        Meta(description="by the keys of the table [`imported`](json.md#imported), each a [`Value`](#value)"),
    ] = {}
