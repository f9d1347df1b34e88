"""The labels of a point."""

from tierscope.record.labels import Labels


class HandOverLabels(Labels, frozen=True, kw_only=True):
    """a_cpu: the CPU that all pairs of the experiment have in common."""

    a_cpu: int


class TransferLabels(Labels, frozen=True, kw_only=True):
    """state: of the lines before they are read, "clean" or "modified"."""

    state: str
    reader_cpu: int
