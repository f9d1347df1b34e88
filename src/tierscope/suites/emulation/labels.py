"""The labels that identify a point."""

from tierscope.record.labels import Labels


class EmulationLabels(Labels, frozen=True, kw_only=True):
    """quantity: "latency" or "bandwidth"."""

    quantity: str
