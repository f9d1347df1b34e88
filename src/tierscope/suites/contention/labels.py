"""What a point is filed by."""

from tierscope.record.labels import Labels


class SplitLabels(Labels, frozen=True, kw_only=True):
    """Of a split of the threads. stand_in: whether b only stands in for a second tier."""

    mode: str
    a_threads: int
    b_threads: int
    a_target: str
    b_source: str
    b_target: str
    stand_in: bool = False


class SideLabels(Labels, frozen=True, kw_only=True):
    """Of one target alone. side: "a" or "b"."""

    threads: int
    side: str
    stand_in: bool = False
