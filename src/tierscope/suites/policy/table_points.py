"""The curves behind `policy`: bandwidth over stride, stalls over the place that is written, time over fresh regions.

    ratio    = lines/s at the stride / lines/s of the control nearest to it          [1]
    period   = mean number of writes between two stalls in step                      [1]
    fitted   = what the layout or the queue that was found gives                     [as measured]

Source and inference: `suites.policy.table`.
"""

from typing import Annotated, ClassVar

from tierscope.record.result import Run
from tierscope.stats.median import Interval
from tierscope.tables import Flat, Insight, JudgedRow, Main, tables
from tierscope.tables.policy_found import COMBINING, INTERLEAVE, MIGRATION, Found, found
from tierscope.tables.rows import Bandwidth, Col, Count, Quotient, Ratio, Seconds, Size, Time, Unit


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


class StridesRow(JudgedRow, frozen=True, kw_only=True):
    """One row of `interleave`."""

    stride_bytes: Annotated[Size, Col("stride", help="between two lines")]
    control: Annotated[bool, Col("control", help="whether it is a control, which meets memories of any grain alike")]
    bandwidth: Annotated[Bandwidth | None, Col("bandwidth", help="of the lines alone")]
    ratio: Annotated[Quotient | None, Col("over the control's", help="over that of the control nearest to it")]
    fitted: Annotated[Ratio | None, Col("as found", help="ratio that the layout found gives")]
    threads: Annotated[Count, Col("threads", help="that stored")]
    target: Annotated[str, Col("target", help="as `node:0`", tier=True)]


class Strides(_Points):
    """One row for each stride of `run policy`; those of the controls are last."""

    name: ClassVar[str] = INTERLEAVE
    title: ClassVar[str] = "Scattered lines over the stride between them"
    keys: ClassVar[tuple[str, ...]] = ("stride_bytes", "control", "threads", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("bandwidth_bytes_per_s"),)
    row: ClassVar[type[StridesRow]] = StridesRow

    def _of(self, one: Found) -> list[Flat]:
        return [*one.strides, *one.controls]


class PlacesRow(JudgedRow, frozen=True, kw_only=True):
    """One row of `migration`."""

    region_bytes: Annotated[Size, Col("place", help="the place")]
    writes: Annotated[Count, Col("writes", help="of 256 B")]
    typical_s: Annotated[Seconds, Col("median write", help="median of one write")]
    stalls: Annotated[Count, Col("far slower writes", help="writes that took more than 4x this time, for any reason")]
    alike: Annotated[
        Ratio,
        Col(
            "as long as those in step",
            help="in a million writes, those that stall as long as the ones in step at the smallest place",
        ),
    ]
    alike_low: Annotated[Ratio | None, Col("low", help="range of such a count")]
    alike_high: Annotated[Ratio | None, Col("high", help="range of such a count")]
    period: Annotated[
        Annotated[Interval, Unit("1", "_writes")] | None,
        Col("writes between stalls", help="writes between two stalls in step; null where none are"),
    ]
    period_s: Annotated[Seconds | None, Col("time between stalls", help="time between two")]
    stall: Annotated[Time | None, Col("stall", help="median stall of those in step")]
    target: Annotated[str, Col("target", help="as `node:0`", tier=True)]


class Places(_Points):
    """One row for each size of a place that `run policy` overwrote, 256 B at a time."""

    name: ClassVar[str] = MIGRATION
    title: ClassVar[str] = "Stalls of single writes to one place"
    keys: ClassVar[tuple[str, ...]] = ("region_bytes", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("stall_s", less_is_better=True),)
    row: ClassVar[type[PlacesRow]] = PlacesRow

    def _of(self, one: Found) -> list[Flat]:
        return one.places


class RegionsRow(JudgedRow, frozen=True, kw_only=True):
    """One row of `combining`."""

    region_bytes: Annotated[Size, Col("region", help="each of its lines is stored once, then a fence")]
    line: Annotated[Time | None, Col("time per line", help="time of one line")]
    fitted_s: Annotated[Seconds, Col("as found", help="what the queue found gives")]
    target: Annotated[str, Col("target", help="as `node:0`", tier=True)]


class Regions(_Points):
    """One row for each size of fresh regions that `run policy` stored."""

    name: ClassVar[str] = COMBINING
    title: ClassVar[str] = "Lines stored in fresh regions"
    keys: ClassVar[tuple[str, ...]] = ("region_bytes", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("line_s", less_is_better=True),)
    row: ClassVar[type[RegionsRow]] = RegionsRow

    def _of(self, one: Found) -> list[Flat]:
        return one.regions


for table in (Strides(), Places(), Regions()):
    tables.add(table)
