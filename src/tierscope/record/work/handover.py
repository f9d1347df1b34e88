"""The work of the task `handover`."""

from tierscope.record.work.base import OfTask


class HandOverWork(OfTask, frozen=True, kw_only=True, tag="handover"):
    """Lines that two threads hand to each other."""
