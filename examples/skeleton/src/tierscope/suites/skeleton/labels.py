"""The labels by which a point is filed. Omit them if the facts of the core contain all that the table needs."""

from tierscope.record.labels import Labels


# A plan writes `SkeletonLabels(...).stored()`, and a table reads `SkeletonLabels.read(experiment)`. A field that you
# add later needs a default: what the runs that lack it meant.
class SkeletonLabels(Labels, frozen=True, kw_only=True):
    """footprint_bytes: as it was asked for."""

    footprint_bytes: int
