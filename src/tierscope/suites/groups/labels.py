"""The labels that identify a point."""

from tierscope.record.labels import Labels


class GroupsLabels(Labels, frozen=True, kw_only=True):
    """label: as the user named it."""

    label: str = ""
