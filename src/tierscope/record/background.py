"""The activity of other programs while a point was visited, and the speed of the memory without it."""

from typing import Annotated

import msgspec
from msgspec import Meta

Above = msgspec.Meta(gt=0)


class Quiet(msgspec.Struct, frozen=True, kw_only=True):
    """How fast one CPU found the memory while other programs rested, in this run or in earlier ones of this user."""

    latency_s: Annotated[float, Above, Meta(description="95 % of the latencies were shorter")]
    bytes_per_s: Annotated[float, Above, Meta(description="95 % of the bandwidths were higher")]
    count: Annotated[int, msgspec.Meta(ge=1), Meta(description="how often it was measured")]
    middle_latency_s: Annotated[
        Annotated[float, Above] | None, Meta(description="the median of the latencies; null in older runs")
    ] = None
    middle_bytes_per_s: Annotated[
        Annotated[float, Above] | None, Meta(description="the median of the bandwidths; null in older runs")
    ] = None


class Background(msgspec.Struct, frozen=True, kw_only=True):
    """The activity of other programs during one visit of a point."""

    cpus: Annotated[
        Annotated[float, msgspec.Meta(ge=0)] | None,
        Meta(description="CPUs that other programs used, the mean over a second or more; null is unknown"),
    ] = None
    latency_s: Annotated[
        Annotated[float, Above] | None,
        Meta(
            description="latency of memory for one CPU while Tierscope did nothing else, shortly before the visit or "
            "after it, the longer one; null: not measured"
        ),
    ] = None
    bytes_per_s: Annotated[
        Annotated[float, Above] | None,
        Meta(description="bandwidth of reads by one CPU at the same moments, the lower one"),
    ] = None
    quiet: Annotated[
        Quiet | None, Meta(description="[`Quiet`](#quiet): what is known of quiet times; null: nothing")
    ] = None
