"""The work of the task `call`."""

from tierscope.record.work.base import OfTask


class CallWork(OfTask, frozen=True, kw_only=True, tag="call"):
    """Calls of a kernel that touches no memory: `busy`, `noop`, `sleep`."""
