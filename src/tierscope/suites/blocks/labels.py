"""What a point is filed by."""

from tierscope.record.labels import Labels


class BlocksLabels(Labels, frozen=True, kw_only=True):
    """part: "throughput", "latency", or what serves both."""

    operation: str
    threads: int
    block_bytes: int
    part: str
