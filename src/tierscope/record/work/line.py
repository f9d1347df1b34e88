"""The work of the task `line`."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from msgspec import Meta

from tierscope.record.work.base import Bytes, OfTask


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
