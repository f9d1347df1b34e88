"""The labels that identify a tail."""

from tierscope.plans.loaded import LoadLabels


class TailLabels(LoadLabels, frozen=True, kw_only=True):
    """mix: the kernel of the load; hops: accesses of one batch of the chaser."""

    mix: str
    hops: int
