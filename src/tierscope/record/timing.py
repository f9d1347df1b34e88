"""The times of operations on a structure: a line of totals and a histogram for each batch."""

from typing import Annotated

import msgspec
from msgspec import Meta


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """Times of operations on a structure in one batch, of all threads of a group together.

    Ticks are those of the clock of the record.
    """

    rounds: Annotated[int, Meta(description="sequences of operations that threads went through")]
    operations: Annotated[int, Meta(description="in them")]
    done: Annotated[
        int, Meta(description="of them: gets that found their key, inserts and removes that changed something")
    ]
    ticks: Annotated[int, Meta(description="of the operations alone")]
    least_ticks: Annotated[int, Meta(description="of the shortest")]
    most_ticks: Annotated[int, Meta(description="of the longest")]
    rehashes: Annotated[int, Meta(description="that the operations left due")]
    moved: Annotated[int, Meta(description="entries that they moved")]
    rehash_ticks: Annotated[int, Meta(description="that they took")]
    lock_ticks: Annotated[int, Meta(description="waited for the lock of a shared structure")]
    fills: Annotated[int, Meta(description="structures made and filled, or emptied and filled, outside of the blocks")]
    fill_ticks: Annotated[
        int, Meta(description="that this took; where time is simulated without the making, which is not")
    ]
    clock_ticks: Annotated[int, Meta(description="of one look at the clock and its count, in each operation")]
    lines_read: Annotated[
        int,
        Meta(
            description="distinct lines that each operation read, added up; this and the next three are 0 "
            "where accesses were not recorded"
        ),
    ] = 0
    lines_written: Annotated[int, Meta(description="distinct lines that each wrote")] = 0
    lines_flushed: Annotated[
        int, Meta(description="lines that were written back by an instruction or a store past the caches, each time")
    ] = 0
    fences: Annotated[int, Meta(description="fences that were waited for")] = 0
    delayed_loads: Annotated[
        int, Meta(description="loads that waited for the floor of an emulated tier; 0 on other targets")
    ] = 0
    histogram: Annotated[
        str,
        Meta(
            description="of the operations' ticks, `130:2 1:7 14:1`: for each step that is not empty its "
            "distance from the one before, and its count; numbers below 128 have a step each, then every "
            "power of two has 64"
        ),
    ]
