"""The curves behind `policy`: bandwidth over stride, stalls over the place that is written, time over fresh regions.

    ratio    = lines/s at the stride / lines/s of the control nearest to it          [1]
    period   = mean number of writes between two stalls in step                      [1]
    fitted   = what the layout or the queue that was found gives                     [as measured]

Source and inference: `suites.policy.table`.
"""

from typing import ClassVar

from tierscope.record.result import Run
from tierscope.tables import Column, Insight, Main, Row, tables
from tierscope.tables.measured import CLOSING
from tierscope.tables.policy_found import COMBINING, INTERLEAVE, MIGRATION, Found, found


class _Points:
    """Rows of all targets, one part of what was found."""

    def rows(self, run: Run) -> list[Row]:
        return [row for one in found(run).values() for row in self._of(one)]

    def insights(self, run: Run, rows: list[Row]) -> list[Insight]:
        """What they show is told by `policy`."""
        del run, rows
        return []

    def _of(self, one: Found) -> list[Row]:
        raise NotImplementedError


class Strides(_Points):
    """One row per stride; those of the controls last."""

    name: ClassVar[str] = INTERLEAVE
    title: ClassVar[str] = "Scattered lines over the stride between them"
    keys: ClassVar[tuple[str, ...]] = ("stride_bytes", "control", "threads", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("bandwidth_bytes_per_s"),)
    columns: ClassVar[tuple[Column, ...]] = (
        Column("stride_bytes", "stride", "B"),
        Column("control", "control", ""),
        Column("bandwidth_bytes_per_s", "bandwidth", "B/s"),
        Column("bandwidth_low", "low", "B/s"),
        Column("bandwidth_high", "high", "B/s"),
        Column("ratio", "over the control's", "1"),
        Column("ratio_low", "low", "1"),
        Column("ratio_high", "high", "1"),
        Column("fitted", "as found", "1"),
        Column("threads", "threads", "1"),
        Column("target", "target", "", tier=True),
        *CLOSING,
    )

    def _of(self, one: Found) -> list[Row]:
        return [*one.strides, *one.controls]


class Places(_Points):
    """One row per size of the place that was overwritten."""

    name: ClassVar[str] = MIGRATION
    title: ClassVar[str] = "Stalls of single writes to one place"
    keys: ClassVar[tuple[str, ...]] = ("region_bytes", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("stall_s", less_is_better=True),)
    columns: ClassVar[tuple[Column, ...]] = (
        Column("region_bytes", "place", "B"),
        Column("writes", "writes", "1"),
        Column("typical_s", "median write", "s"),
        Column("stalls", "far slower writes", "1"),
        Column("alike", "as long as those in step", "1"),
        Column("alike_low", "low", "1"),
        Column("alike_high", "high", "1"),
        Column("period_writes", "writes between stalls", "1"),
        Column("period_low", "low", "1"),
        Column("period_high", "high", "1"),
        Column("period_s", "time between stalls", "s"),
        Column("stall_s", "stall", "s"),
        Column("stall_low", "low", "s"),
        Column("stall_high", "high", "s"),
        Column("target", "target", "", tier=True),
        *CLOSING,
    )

    def _of(self, one: Found) -> list[Row]:
        return one.places


class Regions(_Points):
    """One row per size of fresh regions."""

    name: ClassVar[str] = COMBINING
    title: ClassVar[str] = "Lines stored in fresh regions"
    keys: ClassVar[tuple[str, ...]] = ("region_bytes", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("line_s", less_is_better=True),)
    columns: ClassVar[tuple[Column, ...]] = (
        Column("region_bytes", "region", "B"),
        Column("line_s", "time per line", "s"),
        Column("line_low", "low", "s"),
        Column("line_high", "high", "s"),
        Column("fitted_s", "as found", "s"),
        Column("target", "target", "", tier=True),
        *CLOSING,
    )

    def _of(self, one: Found) -> list[Row]:
        return one.regions


for table in (Strides(), Places(), Regions()):
    tables.add(table)
