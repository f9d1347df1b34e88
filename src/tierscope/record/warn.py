"""A doubt about a record or a run, and the codes that doubts have."""

from typing import Annotated

import msgspec
from msgspec import Meta

CODES = {
    "smaller": "less memory than the rule requires",
    "pages": "other pages than requested",
    "placement": "bytes on another node than requested",
    "busy": "more than half of the moments left out",
    "emulation": "an emulated tier differs by more than 5 % from what was requested",
    "engine": "fio accesses the system in another way than the first",
    "threads": "a queue consists of threads",
    "buffered": "numbers of the page cache",
    "said": "a warning of the program that measured",
    "left_out": "a part of the suite that this machine cannot do",
    "preamble": "of imports: text around the results",
    "failed": "of imports: a job ended with an error",
    "unchecked": "of imports: the tool did not find its own data right",
    "not_counted": "of imports: events that were not counted",
    "scaled": "of imports: events that were counted for a share of the time",
    "interim": "of imports: the last of several documents of fio was read",
}
"""Code -> what is in doubt, for the reference."""


class Warn(msgspec.Struct, frozen=True, kw_only=True):
    """A doubt about a record, and what to do about it."""

    code: Annotated[str, Meta(description="one of the [codes](#codes-of-warnings)")]
    message: Annotated[str, Meta(description="the doubt")]
    next_step: Annotated[str, Meta(description="what to do")]
