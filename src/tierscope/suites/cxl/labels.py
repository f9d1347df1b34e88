"""What a point is filed by."""

from tierscope.record.labels import Labels


class PagesLabels(Labels, frozen=True, kw_only=True):
    """near, far: the memories, as `node:0`; near_pages, far_pages: how many pages of each follow one another."""

    near: str
    far: str
    near_pages: int
    far_pages: int
