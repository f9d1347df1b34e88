"""The labels of a point."""

from tierscope.record.labels import Labels


class PagesLabels(Labels, frozen=True, kw_only=True):
    """near, far: the memories, as `node:0`; near_pages, far_pages: how many consecutive pages each has."""

    near: str
    far: str
    near_pages: int
    far_pages: int
