"""The labels of a point."""

from tierscope.record.labels import Labels


class EventLabels(Labels, frozen=True, kw_only=True):
    """repeat: from 0; read_share: of the lines that the kernel moves, None if it moves none."""

    kernel: str
    repeat: int
    read_share: float | None = None
