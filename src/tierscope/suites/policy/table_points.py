"""The curves behind `policy`: bandwidth over stride, stalls over the place that is written, time over fresh regions.

    ratio    = lines/s at the stride / lines/s of the control nearest to it          [1]
    period   = mean number of writes between two stalls in step                      [1]
    fitted   = what the layout or the queue that was found gives                     [as measured]

Source and inference: `suites.policy.table`.
"""

from typing import ClassVar

from tierscope.record.result import Run
from tierscope.tables import Column, Flat, Insight, Main, tables
from tierscope.tables.measured import CLOSING
from tierscope.tables.policy_found import COMBINING, INTERLEAVE, MIGRATION, Found, found


class _Points:
    """Rows of all targets, one part of what was found."""

    def rows(self, run: Run) -> list[Flat]:
        return [row for one in found(run).values() for row in self._of(one)]

    def insights(self, run: Run, rows: list[Flat]) -> list[Insight]:
        """What they show is told by `policy`."""
        del run, rows
        return []

    def _of(self, one: Found) -> list[Flat]:
        raise NotImplementedError


class Strides(_Points):
    """One row for each stride of `run policy`; those of the controls are last."""

    name: ClassVar[str] = INTERLEAVE
    title: ClassVar[str] = "Scattered lines over the stride between them"
    keys: ClassVar[tuple[str, ...]] = ("stride_bytes", "control", "threads", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("bandwidth_bytes_per_s"),)
    columns: ClassVar[tuple[Column, ...]] = (
        Column("stride_bytes", "stride", "B", help="between two lines"),
        Column("control", "control", "", help="whether it is a control, which meets memories of any grain alike"),
        Column("bandwidth_bytes_per_s", "bandwidth", "B/s", help="of the lines alone"),
        Column("bandwidth_low", "low", "B/s"),
        Column("bandwidth_high", "high", "B/s"),
        Column("ratio", "over the control's", "1", help="over that of the control nearest to it"),
        Column("ratio_low", "low", "1"),
        Column("ratio_high", "high", "1"),
        Column("fitted", "as found", "1", help="ratio that the layout found gives"),
        Column("threads", "threads", "1", help="that stored"),
        Column("target", "target", "", tier=True, help="as `node:0`"),
        *CLOSING,
    )

    def _of(self, one: Found) -> list[Flat]:
        return [*one.strides, *one.controls]


class Places(_Points):
    """One row for each size of a place that `run policy` overwrote, 256 B at a time."""

    name: ClassVar[str] = MIGRATION
    title: ClassVar[str] = "Stalls of single writes to one place"
    keys: ClassVar[tuple[str, ...]] = ("region_bytes", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("stall_s", less_is_better=True),)
    columns: ClassVar[tuple[Column, ...]] = (
        Column("region_bytes", "place", "B", help="the place"),
        Column("writes", "writes", "1", help="of 256 B"),
        Column("typical_s", "median write", "s", help="median of one write"),
        Column(
            "stalls",
            "far slower writes",
            "1",
            help="writes that took more than 4x this time, for any reason",
        ),
        Column(
            "alike",
            "as long as those in step",
            "1",
            help="in a million writes, those that stall as long as the ones in step at the smallest place",
        ),
        Column("alike_low", "low", "1", help="range of such a count"),
        Column("alike_high", "high", "1", help="range of such a count"),
        Column(
            "period_writes", "writes between stalls", "1", help="writes between two stalls in step; null where none are"
        ),
        Column("period_low", "low", "1"),
        Column("period_high", "high", "1"),
        Column("period_s", "time between stalls", "s", help="time between two"),
        Column("stall_s", "stall", "s", help="median stall of those in step"),
        Column("stall_low", "low", "s"),
        Column("stall_high", "high", "s"),
        Column("target", "target", "", tier=True, help="as `node:0`"),
        *CLOSING,
    )

    def _of(self, one: Found) -> list[Flat]:
        return one.places


class Regions(_Points):
    """One row for each size of fresh regions that `run policy` stored."""

    name: ClassVar[str] = COMBINING
    title: ClassVar[str] = "Lines stored in fresh regions"
    keys: ClassVar[tuple[str, ...]] = ("region_bytes", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("line_s", less_is_better=True),)
    columns: ClassVar[tuple[Column, ...]] = (
        Column("region_bytes", "region", "B", help="each of its lines is stored once, then a fence"),
        Column("line_s", "time per line", "s", help="time of one line"),
        Column("line_low", "low", "s"),
        Column("line_high", "high", "s"),
        Column("fitted_s", "as found", "s", help="what the queue found gives"),
        Column("target", "target", "", tier=True, help="as `node:0`"),
        *CLOSING,
    )

    def _of(self, one: Found) -> list[Flat]:
        return one.regions


for table in (Strides(), Places(), Regions()):
    tables.add(table)
