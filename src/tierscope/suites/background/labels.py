"""What a point is filed by."""

from msgspec import UNSET, UnsetType

from tierscope.record.labels import Labels


class WatchLabels(Labels, frozen=True, kw_only=True):
    """known: the curves of another run, as JSON; part: of the moment before the curves, else not set."""

    window_s: float = 1.0
    curve: str | None = None
    known: str | UnsetType = UNSET
    part: str | UnsetType = UNSET
