"""The labels that identify a point."""

from tierscope.record.labels import Labels


class NeighborsLabels(Labels, frozen=True, kw_only=True):
    """size: of a task of the core; command: the line of a victim that is a command."""

    victim: str | None = None
    size: str | None = None
    command: str | None = None
    aggressor_kernel: str
    aggressor_target: str = ""
