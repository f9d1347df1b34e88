"""The labels that identify a point."""

from tierscope.record.labels import Labels

BETWEEN = "; "


class ResponseLabels(Labels, frozen=True, kw_only=True):
    """command: the line of the victim, or `flow test`; steps and on: joined by `BETWEEN`.

    The first step is the one without the lever.
    """

    command: str
    lever: str
    steps: str
    on: str = ""
