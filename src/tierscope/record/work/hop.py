"""The work of the task `hop`."""

from typing import Annotated

from msgspec import Meta

from tierscope.record.work.base import OfTask


class HopWork(OfTask, frozen=True, kw_only=True, tag="hop"):
    """Dependent loads: each waits for the one before, along a cycle or at places that each load decides."""

    element_bytes: Annotated[
        int, Meta(description="bytes from one place to the next; `chase_blocks` reads all of them")
    ] = 64
    locality_bytes: Annotated[
        int, Meta(description="bytes of the window that is finished before the next; 0: the footprint of the thread")
    ] = 0
    spacing_bytes: Annotated[
        int,
        Meta(
            description="bytes between the places of a window; the next windows have the places after these; "
            "0: an element"
        ),
    ] = 0
    order: Annotated[str, Meta(description='of the windows: `random` (also ""), `sequential`')] = ""
