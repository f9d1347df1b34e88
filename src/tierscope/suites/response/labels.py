"""The labels that identify a point."""

from tierscope.record.labels import Labels

BETWEEN = "; "


class ResponseLabels(Labels, frozen=True, kw_only=True):
    """command: the line of the victim; steps and on: joined by `BETWEEN`, the first step is without the lever."""

    command: str
    lever: str
    steps: str
    on: str = ""
