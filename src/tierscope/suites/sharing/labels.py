"""The labels that identify a point."""

from tierscope.record.labels import Labels


class SharingLabels(Labels, frozen=True, kw_only=True):
    """A pair of CPUs."""

    a_cpu: int
    b_cpu: int
