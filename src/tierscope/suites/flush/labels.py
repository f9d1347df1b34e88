"""The labels that identify a point."""

from tierscope.record.labels import Labels


class FlushLabels(Labels, frozen=True, kw_only=True):
    """total_bytes: what the printed times are of, as document 002 states them."""

    chunk_bytes: int
    fence: str
    order: str
    total_bytes: int
