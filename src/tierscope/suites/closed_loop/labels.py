"""The labels of a point."""

from tierscope.record.labels import Labels


class LoopLabels(Labels, frozen=True, kw_only=True):
    """Labels in addition to those of the prober's own point. of_table: the table in which the prober files it."""

    device: int
    prober: str
    of_table: str
