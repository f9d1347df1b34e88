"""The report of one host in one session: one JSON file, from which everything about a fleet is derived.

A fold reads these files and nothing else, so a synthetic host and a measured one differ only in `origin`. Lengths and
characters are bounded, because one host may send anything.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

SCHEMA = 1
Word = Annotated[str, Meta(min_length=1, max_length=160)]
Text = Annotated[str, Meta(max_length=400)]
Positive = Annotated[float, Meta(ge=1e-30, le=1e30)]  # the store has 32 bits for each
MOST = 2**31  # of a count
MOST_SESSIONS = 99  # of a day, beyond the first one


class Number(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One value of one host with its interval, in base units (seconds, bytes/s)."""

    metric: Annotated[Word, Meta(description="suite, kernel and point, as `stream.triad.all`")]
    unit: Annotated[Word, Meta(description="base unit: `s`, `B/s`")]
    better: Annotated[Literal["higher", "lower"], Meta(description="which direction is faster")]
    value: Annotated[Positive, Meta(description="median")]
    low: Annotated[Positive, Meta(description="lower end of the interval")]
    high: Annotated[Positive, Meta(description="upper end of the interval")]
    blocks: Annotated[int, Meta(ge=1, le=MOST, description="number of blocks in the median")]
    conclusive: Annotated[bool, Meta(description="whether the run calls the interval sure")]


class HostReport(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The measurements of one host in one session. `facts` are the covariates: name -> value, as text.

    The key of a report is (machine, plan, day, session): the same key twice is the same measurement.
    """

    schema: Annotated[int, Meta(ge=1, description="version of this format")]
    host: Annotated[Word, Meta(description="name under which the controller reached the host")]
    machine: Annotated[Word, Meta(description="digest of the machine's own identity; equal for a renamed host")]
    day: Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", description="date of the controller, UTC")]
    at: Annotated[float, Meta(description="start by the host's clock, seconds since 1970")]
    session: Annotated[
        int, Meta(ge=0, le=MOST_SESSIONS, description="0 for the daily canary, 1 and up for repeats of that day")
    ]
    plan: Annotated[Word, Meta(description="digest of the plan")]
    tierscope: Annotated[Word, Meta(description="version that wrote the plan")]
    origin: Annotated[Literal["measured", "synthetic"], Meta(description="a machine or `fleet imagine`")]
    facts: Annotated[
        dict[Word, Text],
        Meta(
            max_length=200,
            description="`sku`, `family`, `microcode`, `bios`, `kernel`, `dimms`, `rack` ...; absent if unknown",
        ),
    ]
    peak_bytes_per_s: Annotated[
        Positive | None, Meta(description="populated channels x configured clock x 8 B; null if unreadable")
    ]
    wrong_answers: Annotated[int, Meta(ge=0, le=MOST, description="kernels whose output differed from scalar code")]
    numbers: Annotated[tuple[Number, ...], Meta(max_length=4096, description="list of `Number`")]
