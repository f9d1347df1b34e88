"""The labels that identify a point."""

from tierscope.record.labels import Labels


class StrideLabels(Labels, frozen=True, kw_only=True):
    """store: its kind, None for reads; cached: whether the touched lines may stay in the caches."""

    op: str
    store: str | None
    order: str
    threads: int
    stride_bytes: int
    access_bytes: int
    touched_bytes: int
    cached: bool
