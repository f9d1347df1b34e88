"""The labels of a point."""

from tierscope.record.labels import Labels


class ProbeLabels(Labels, frozen=True, kw_only=True):
    """level: the cache or the memory in which the chains of the probe are, or how page walks place them; "": it has no
    chains.
    """

    probe: str
    level: str
