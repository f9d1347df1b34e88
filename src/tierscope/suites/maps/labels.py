"""The labels that identify a point."""

from tierscope.record.labels import Labels


class MapsLabels(Labels, frozen=True, kw_only=True):
    """A structure and an operation."""

    structure: str
    operation: str
