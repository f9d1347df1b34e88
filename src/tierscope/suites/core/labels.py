"""What a point is filed by."""

from tierscope.record.labels import Labels


class ProbeLabels(Labels, frozen=True, kw_only=True):
    """level: of the caches or the memory in which the chains of the probe are; "": it has none."""

    probe: str
    level: str
