"""What a group does on its memory: one struct for each task, with the keys that the task takes and no others.

A task is what one operation of a kernel is, as the kernel states it in the catalogue; the core has a class of the same
name for each (core/bench/tasks/). `JobWork` is of a program that measures in place of the core.
"""

from collections.abc import Mapping
from typing import Annotated, ClassVar, get_args

import msgspec
from msgspec import Meta

from tierscope.record.possible import refuse_numbers

Bytes = Annotated[int, Meta(ge=0)]


class OfTask(msgspec.Struct, frozen=True, kw_only=True, tag_field="task"):
    """What all works have in common. Zero and "" mean: the simplest choice of the core, which the facts state.

    OutOfRangeError for a number below 0, for one that is not finite, and for one below `least`.
    """

    least: ClassVar[Mapping[str, int]] = {}

    def __post_init__(self) -> None:
        refuse_numbers("workload", self, self.least)


class LineWork(OfTask, frozen=True, kw_only=True, tag="line"):
    """Whole arrays, a line of each operand in one operation; its fields are the loop variant."""

    least: ClassVar[Mapping[str, int]] = {"streams": 1, "unroll": 1}

    streams: Annotated[int, Meta(description="parts that one thread visits side by side")] = 1
    unroll: Annotated[int, Meta(description="lines of each stream in one step")] = 1
    prefetch_bytes: Annotated[
        int, Meta(description="distance in bytes of the software prefetch for loads; 0: none")
    ] = 0
    prefetchw_bytes: Annotated[int, Meta(description="the same for stores")] = 0
    interleave_bytes: Annotated[int, Meta(description="distance in bytes of the streams; 0: far apart")] = 0
    row_bytes: Annotated[
        Bytes, Meta(description="kernels on grids and matrices: bytes of a row; 0: a square, or a cube")
    ] = 0


class HopWork(OfTask, frozen=True, kw_only=True, tag="hop"):
    """Dependent loads: each waits for the one before, along a cycle or at places that each load decides."""

    element_bytes: Annotated[
        int, Meta(description="bytes from one place to the next; `chase_blocks` reads all of them")
    ] = 64
    locality_bytes: Annotated[
        int, Meta(description="bytes of the window that is finished before the next; 0: the footprint of the thread")
    ] = 0
    order: Annotated[str, Meta(description='of the windows: `random` (also ""), `sequential`')] = ""


class BlockWork(OfTask, frozen=True, kw_only=True, tag="block"):
    """Calls, stores or sums of whole blocks, in any order; those named `flush_...` write back what they store."""

    element_bytes: Annotated[int, Meta(description="bytes of a block")] = 64
    access_bytes: Annotated[
        int,
        Meta(description="kernels `read_blocks`, `flush_...`: bytes used of each block, from its start; 0: all of it"),
    ] = 0
    locality_bytes: Annotated[
        int, Meta(description="order `once`: bytes of the region; 0: the footprint of the thread")
    ] = 0
    fence: Annotated[
        str,
        Meta(
            description='kernels `flush_...`: `chunk` (also ""), `line`, `never`, `region`; '
            '`read_blocks`: `never` (also ""), `region`'
        ),
    ] = ""
    order: Annotated[
        str,
        Meta(description='kernels `flush_...`, `read_blocks`: `sequential` (also ""), `random`, `once`'),
    ] = ""


class CallWork(OfTask, frozen=True, kw_only=True, tag="call"):
    """Calls of a kernel that touches no memory: `busy`, `noop`, `sleep`."""


class HandOverWork(OfTask, frozen=True, kw_only=True, tag="handover"):
    """Lines that two threads hand to each other."""


class TransferWork(OfTask, frozen=True, kw_only=True, tag="transfer"):
    """Lines that one thread reads from the cache of another, which prepares them before each block."""


class TaskWork(OfTask, frozen=True, kw_only=True, tag="task"):
    """Whole computations of a victim, on memory that it takes itself."""

    size: Annotated[str, Meta(description="victim `flow`: `test`, `train`, `ref`, the size of its instance")] = ""
    command: Annotated[str, Meta(description="victim `command`: a line for the shell")] = ""
    limit_s: Annotated[float, Meta(description="victim `command`: seconds after which it hangs; 0: 600")] = 0.0


class KeyedWork(OfTask, frozen=True, kw_only=True, tag="key"):
    """Operations on the keys of a structure."""

    operation: Annotated[
        str, Meta(description='`get`, `insert`, `remove`, or shares as `get:8+insert:1+remove:1`; "" is `get`')
    ] = ""
    keys: Annotated[str, Meta(description='how keys are drawn, `uniform` or `zipf:EXPONENT`; "" is `uniform`')] = ""
    sharing: Annotated[str, Meta(description='`own`: a structure for each thread; `one` for all; "" is `own`')] = ""
    count: Annotated[int, Meta(description="keys of the whole team")] = 0
    value_bytes: Annotated[Bytes, Meta(description="bytes of each value; 0 is 16")] = 0


class JobWork(OfTask, frozen=True, kw_only=True, tag="job"):
    """One job of a program that measures in place of the core: `fio`."""

    block_bytes: Annotated[int, Meta(description="bytes of one read or write")]
    order: Annotated[str, Meta(description="`random`, `sequential`")]
    arguments: Annotated[str, Meta(description="of its command line, without the place and the time")]


Work = LineWork | HopWork | BlockWork | CallWork | HandOverWork | TransferWork | TaskWork | KeyedWork | JobWork

KINDS: dict[str, type[Work]] = {str(kind.__struct_config__.tag): kind for kind in get_args(Work)}
"""By task, as kernels and the catalogue state it."""


def task_of(kind: type[OfTask]) -> str:
    """Return the task of a kind of work."""
    return str(kind.__struct_config__.tag)
