"""The labels of a point."""

from msgspec import UNSET, UnsetType

from tierscope.record.labels import Labels


class WatchLabels(Labels, frozen=True, kw_only=True):
    """known: the curves of another run, as JSON; part: set only for the moment before the curves."""

    window_s: float = 1.0
    curve: str | None = None
    known: str | UnsetType = UNSET
    part: str | UnsetType = UNSET
