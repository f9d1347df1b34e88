"""The labels of a point."""

from tierscope.record.labels import Labels


class BlocksLabels(Labels, frozen=True, kw_only=True):
    """part: "throughput", "latency", or "both"."""

    operation: str
    threads: int
    block_bytes: int
    part: str
