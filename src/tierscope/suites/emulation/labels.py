"""What a point is filed by."""

from tierscope.record.labels import Labels


class EmulationLabels(Labels, frozen=True, kw_only=True):
    """quantity: "latency" or "bandwidth"."""

    quantity: str
