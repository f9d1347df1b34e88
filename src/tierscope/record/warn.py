"""A doubt about a record or a run, and the codes of doubts."""

from typing import Annotated

import msgspec
from msgspec import Meta

codes: dict[str, str] = {}
"""Code -> what is in doubt, from all modules that are loaded."""


def state(**meanings: str) -> None:
    """State what the codes of a module mean, for the reference; ValueError if a code gets a second meaning."""
    for code, meaning in meanings.items():
        if codes.setdefault(code, meaning) != meaning:
            raise ValueError(f"the code {code} of a warning has two meanings")


class Warn(msgspec.Struct, frozen=True, kw_only=True):
    """A doubt about a record, and what to do about it."""

    code: Annotated[str, Meta(description="one of the [codes](#codes-of-warnings)")]
    message: Annotated[str, Meta(description="the doubt")]
    next_step: Annotated[str, Meta(description="what to do")]
