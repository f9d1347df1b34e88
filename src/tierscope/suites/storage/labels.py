"""The labels that identify a point."""

from tierscope.record.labels import Labels


class StorageLabels(Labels, frozen=True, kw_only=True):
    """mix: "read", "write" or "mix"; depth: operations in flight."""

    mix: str
    read_share: float
    depth: int
