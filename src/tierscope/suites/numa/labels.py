"""The labels that identify a point."""

from msgspec import UNSET, UnsetType

from tierscope.record.labels import Labels


class NumaLabels(Labels, frozen=True, kw_only=True):
    """initiator, target: nodes; what: "latency", "bandwidth" or "loaded"; kernel: not set for latency."""

    initiator: int
    target: int
    what: str
    kernel: str | UnsetType = UNSET


class InjectionLabels(Labels, frozen=True, kw_only=True):
    """what: "alone", of one node, or "together", of all."""

    kernel: str
    node: int | UnsetType = UNSET
    read_share: float | None
    what: str
