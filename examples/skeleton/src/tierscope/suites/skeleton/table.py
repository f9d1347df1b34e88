"""Read bandwidth of one CPU over footprints.

    bandwidth = median rate of lines * 64 bytes        [bytes/s]

State the formula of every computed column here, with its unit.
"""

from typing import ClassVar

from tierscope.record.result import Record, Run
from tierscope.suites.skeleton.findings import sentences
from tierscope.suites.skeleton.labels import SkeletonLabels
from tierscope.suites.skeleton.row import SkeletonRow
from tierscope.tables import Insight, Main, OverTime, tables
from tierscope.tables.measured import closing, measured, records
from tierscope.units import LINE_BYTES


class Skeleton:
    """One row for each footprint."""  # the reference prints this

    name: ClassVar[str] = "skeleton"  # the `table` of the experiments
    title: ClassVar[str] = "Read bandwidth over footprints"
    # Points of two runs that are equal in these columns are the same point to `compare` and `history`.
    keys: ClassVar[tuple[str, ...]] = ("footprint_bytes", "target")
    # The values that `compare`, `history` and the exports show of a point. Write less_is_better=True for a time.
    main: ClassVar[tuple[Main, ...]] = (Main("bandwidth_bytes_per_s"),)
    row: ClassVar[type[SkeletonRow]] = SkeletonRow
    # The page shows the blocks of some records over time. Leave it out if the records have no blocks.
    over_time: ClassVar[OverTime] = OverTime.FEW
    # For the reference: the name of each insight, and what its value is.
    says: ClassVar[dict[str, str]] = {"skeleton_most": "largest bandwidth of the conclusive rows"}

    def rows(self, run: Run) -> list[SkeletonRow]:
        """Return one row for each record. It is called again for each use: keep no state."""
        return [_row(run, record) for record in records(run, self.name)]

    def insights(self, run: Run, rows: list[SkeletonRow]) -> list[Insight]:
        """Return the sentences that the rows support."""
        del run
        return sentences(rows)


def _row(run: Run, record: Record) -> SkeletonRow:
    point = measured(run, record)  # the samples, judged: intervals, verdict, reasons
    return SkeletonRow(
        footprint_bytes=SkeletonLabels.read(record.experiment).footprint_bytes,
        bandwidth=point.groups[0].interval.times(LINE_BYTES),  # lines/s -> bytes/s
        target=record.groups[0].target,
        **closing(record, point),
    )


tables.add(Skeleton())
