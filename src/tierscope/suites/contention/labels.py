"""The labels of a point."""

from tierscope.record.labels import Labels


class SplitLabels(Labels, frozen=True, kw_only=True):
    """The labels of a split of the threads. stand_in: whether b only replaces a second tier."""

    mode: str
    a_threads: int
    b_threads: int
    a_target: str
    b_source: str
    b_target: str
    stand_in: bool = False


class SideLabels(Labels, frozen=True, kw_only=True):
    """The labels of one target alone. side: "a" or "b"."""

    threads: int
    side: str
    stand_in: bool = False
