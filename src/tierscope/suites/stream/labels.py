"""The labels that identify a point."""

from tierscope.record.labels import Labels


class StreamLabels(Labels, frozen=True, kw_only=True):
    """kernel: "" in runs that did not keep it; then the facts of the core name it."""

    kernel: str = ""
    threads: int = 0
