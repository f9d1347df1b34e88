"""The labels that identify a point."""

from tierscope.record.labels import Labels


class LatencyLabels(Labels, frozen=True, kw_only=True):
    """probe: "cycle" or "random"; order: "global", "page", "pair", "window" or "block"; pages: the word of the page
    size.
    """

    probe: str = "cycle"
    order: str = "global"
    pages: str = ""
