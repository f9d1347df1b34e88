"""The work of the task `block`."""

from typing import Annotated

from msgspec import Meta

from tierscope.record.work.base import OfTask


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
