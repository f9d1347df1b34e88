"""The labels that identify a point."""

from msgspec import UNSET, UnsetType

from tierscope.record.labels import Labels


class TlbLabels(Labels, frozen=True, kw_only=True):
    """layout: "pages", "lines" or "parts"; touched: lines; coarse: whether the point is one of the first, far apart.

    part_bytes: in which the pages are translated; not set: as a whole.
    """

    layout: str
    touched: int
    pages: str = ""
    found_page_bytes: int = 0
    coarse: bool = False
    part_bytes: int | UnsetType = UNSET
