"""The levels of the TLB in the rows of `tlb`, by `stats.tlb`: one row for each, and one beyond the last.

    reach = entries * bytes of a page, or of the parts in which pages are translated     [bytes]

Inconclusive points count: the fit weighs each by its error.
"""

from typing import Annotated, ClassVar

from msgspec.structs import replace

from tierscope.record.result import Run
from tierscope.stats.median import Interval
from tierscope.stats.tlb import Extra, Translation
from tierscope.suites.tlb.row import TlbRow
from tierscope.suites.tlb.table import Tlb, found, parts
from tierscope.tables import Insight, Main, Row, tables
from tierscope.tables.rows import Col, Count, Ratio, Size, Time
from tierscope.tables.usual import Origin, Where

BEYOND = "beyond"


class TlbLevelsRow(Row, frozen=True, kw_only=True):
    """One level for one page size; beyond the last level, columns with a default are unknown."""

    target: Where
    page_bytes: Annotated[Size, Col("pages", help="page size")]
    part_bytes: Annotated[
        Size | None,
        Col("parts", help="in which pages of this size are translated, as where a host maps them so; null: as a whole"),
    ] = None
    level: Annotated[
        str, Col("level", help="`1` for the nearest, `2`, ...; `beyond`: behind the last, as a rule a page walk")
    ]
    entries: Annotated[
        Ratio | None,
        Col("entries", help="number of pages, or parts, with which a quarter of the accesses miss; null for `beyond`"),
    ] = None
    entries_low: Annotated[
        Ratio | None,
        Col(
            "low",
            help=(
                "largest number of pages without observed misses; 0: the smallest number that was touched misses, "
                "so the level has fewer entries than `entries`"
            ),
        ),
    ] = None
    entries_high: Annotated[Ratio | None, Col("high", help="smallest number with which half of the accesses miss")] = (
        None
    )
    entries_round: Annotated[
        Count | None,
        Col(
            "as a round number",
            help=(
                "the one power of two, or three of them, from the first to below the second; null where there is "
                "none or several"
            ),
        ),
    ] = None
    reach_bytes: Annotated[Size | None, Col("reach", help="entries x page size, or x that of a part")] = None
    certain: Annotated[
        bool | None,
        Col(
            "certain",
            help=(
                "false: page walks alone may cause the step after it, when their reads leave a cache, or it is behind "
                "a second level, or it is so gradual that another level may end in it; null for `beyond`"
            ),
        ),
    ] = None
    extra: Annotated[
        Time, Col("adds to an access", help="what translation adds to an access there, over the nearest level")
    ]
    most_pages: Annotated[Count, Col("of pages up to", help="that were touched")]
    origin: Origin


class TlbLevels:
    """One row for each page size and level that the rows of `tlb` show, and one for what is beyond.

    It has none of the keys at the end of other rows but `origin`.
    """

    name: ClassVar[str] = "tlb_levels"
    title: ClassVar[str] = "Levels of the TLB"
    keys: ClassVar[tuple[str, ...]] = ("target", "page_bytes", "part_bytes", "level")
    main: ClassVar[tuple[Main, ...]] = ()  # parameters of a processor are neither slower nor faster
    row: ClassVar[type[TlbLevelsRow]] = TlbLevelsRow

    def rows(self, run: Run) -> list[TlbLevelsRow]:
        return [row for part in parts(Tlb().rows(run)) for row in _rows(part, found(part))]

    def insights(self, run: Run, rows: list[TlbLevelsRow]) -> list[Insight]:
        """Return none: the insights are next to the points, where a TLB without a level has rows too."""
        del run, rows
        return []


def _rows(points: list[TlbRow], levels: Translation) -> list[TlbLevelsRow]:
    rows = []
    for number, level in enumerate(levels.levels, 1):
        row = replace(
            _row(points, str(number), level.extra),
            entries=level.entries,
            entries_low=level.low,
            entries_high=level.high,
            entries_round=level.round,
            reach_bytes=int(level.entries * (points[0].part_bytes or points[0].page_bytes)),
            certain=level.certain,
        )
        rows.append(row)
    return [*rows, _row(points, BEYOND, levels.beyond)] if levels.beyond else rows


def _row(points: list[TlbRow], level: str, extra: Extra) -> TlbLevelsRow:
    return TlbLevelsRow(
        target=points[0].target,
        page_bytes=points[0].page_bytes,
        part_bytes=points[0].part_bytes,
        level=level,
        extra=Interval(extra.low_s, extra.middle_s, extra.high_s, len(points)),
        most_pages=max(row.touched for row in points),
        origin=points[0].origin,
    )


tables.add(TlbLevels())
