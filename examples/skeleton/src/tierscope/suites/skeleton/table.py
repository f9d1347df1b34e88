"""Read bandwidth of one CPU over footprints.

    bandwidth = median rate of lines * 64 bytes        [bytes/s]

State the formula of every computed column here, with its unit.
"""

from typing import ClassVar

from tierscope.record.result import Record, Run
from tierscope.suites.skeleton.findings import sentences
from tierscope.tables import Column, Flat, Insight, Main, tables
from tierscope.tables.measured import CLOSING, bounds, closing_flat, measured, records
from tierscope.units import LINE_BYTES


class Skeleton:
    """One row for each footprint."""  # the reference prints this, and the help of each column

    name: ClassVar[str] = "skeleton"  # the `table` of the experiments
    title: ClassVar[str] = "Read bandwidth over footprints"
    # Points of two runs that are equal in these columns are the same point to `compare` and `history`.
    keys: ClassVar[tuple[str, ...]] = ("footprint_bytes", "target")
    # What `compare`, `history` and the exports show of a point. Write less_is_better=True for a time.
    main: ClassVar[tuple[Main, ...]] = (Main("bandwidth_bytes_per_s"),)
    # Every key that a row may have; `help` is for the reference. Units are base units: "B/s", "B", "s", "1/s", "1"; ""
    # for text and truth values. Name the ends of an interval NAME_low and NAME_high: readers find them by these names.
    columns: ClassVar[tuple[Column, ...]] = (
        Column("footprint_bytes", "footprint", "B", help="bytes that the CPU reads"),
        Column("bandwidth_bytes_per_s", "bandwidth", "B/s", help="median of the bytes that the CPU reads per second"),
        Column("bandwidth_low", "low", "B/s"),
        Column("bandwidth_high", "high", "B/s"),
        Column("target", "target", "", tier=True, help="location of the bytes, as `node:0`"),
        *CLOSING,  # verdict, reasons, blocks, share left out, origin
    )
    # For the reference: the name of each insight, and what its value is.
    says: ClassVar[dict[str, str]] = {"skeleton_most": "largest bandwidth of the conclusive rows"}

    def rows(self, run: Run) -> list[Flat]:
        """Return one row for each record. It is called again for each use: keep no state."""
        return [_row(run, record) for record in records(run, self.name)]

    def insights(self, run: Run, rows: list[Flat]) -> list[Insight]:
        """Return the sentences that the rows support."""
        del run
        return sentences(rows)


def _row(run: Run, record: Record) -> Flat:
    point = measured(run, record)  # the samples, judged: intervals, verdict, reasons
    rate = point.groups[0].interval.times(LINE_BYTES)  # lines/s -> bytes/s
    return {
        "footprint_bytes": record.experiment.labels["footprint_bytes"],
        **bounds("bandwidth", "bytes_per_s", rate),
        "target": record.groups[0].target,
        **closing_flat(record, point),
    }


tables.add(Skeleton())
