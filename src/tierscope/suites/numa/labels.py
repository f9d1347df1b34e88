"""What a point is filed by."""

from tierscope.record.labels import Labels


class NumaLabels(Labels, frozen=True, kw_only=True):
    """initiator, target: nodes; what: "latency" or "bandwidth"."""

    initiator: int
    target: int
    what: str
