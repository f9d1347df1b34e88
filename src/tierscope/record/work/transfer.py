"""The work of the task `transfer`."""

from tierscope.record.work.base import OfTask


class TransferWork(OfTask, frozen=True, kw_only=True, tag="transfer"):
    """Lines that one thread reads from the cache of another, which prepares them before each block."""
