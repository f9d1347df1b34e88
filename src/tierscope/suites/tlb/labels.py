"""The labels that identify a point."""

from tierscope.record.labels import Labels


class TlbLabels(Labels, frozen=True, kw_only=True):
    """layout: "pages" or "lines"; touched: lines; coarse: whether the point is one of the first, far apart."""

    layout: str
    touched: int
    pages: str = ""
    found_page_bytes: int = 0
    coarse: bool = False
