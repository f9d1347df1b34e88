"""The levels of the TLB that the rows of `tlb` hold, by `stats.tlb`: one row for each, and one for what lies beyond.

    reach = entries * bytes of a page     [bytes]

Inconclusive points count: the fit weighs each by its error.
"""

from typing import Annotated, ClassVar

from tierscope.record.result import Run
from tierscope.stats.tlb import Extra, Translation
from tierscope.suites.tlb.table import Tlb, found, parts
from tierscope.tables import Flat, Insight, Main, Row, tables
from tierscope.tables.measured import whole
from tierscope.tables.rows import Col, Count, Ratio, Size, Time

BEYOND = "beyond"
SIZED = ("entries", "entries_low", "entries_high", "entries_round", "reach_bytes", "certain")


class TlbLevelsRow(Row, frozen=True, kw_only=True):
    """One row of `tlb_levels`."""

    target: Annotated[str, Col("target", help="as `node:0`", tier=True)]
    page_bytes: Annotated[Size, Col("pages", help="page size")]
    level: Annotated[
        str, Col("level", help="`1` for the nearest, `2`, ...; `beyond`: behind the last, as a rule a page walk")
    ]
    entries: Annotated[
        Ratio | None,
        Col("entries", help="number of pages with which a quarter of the accesses miss; null for `beyond`"),
    ]
    entries_low: Annotated[
        Ratio | None,
        Col(
            "low",
            help=(
                "largest number of pages without observed misses; 0: the smallest number that was touched misses, "
                "so the level has fewer entries than `entries`"
            ),
        ),
    ]
    entries_high: Annotated[Ratio | None, Col("high", help="smallest number with which half of the accesses miss")]
    entries_round: Annotated[
        Count | None,
        Col(
            "as a round number",
            help=(
                "the one power of two, or three of them, from the first to below the second; null where there is "
                "none or several"
            ),
        ),
    ]
    reach_bytes: Annotated[Size | None, Col("reach", help="entries x page size")]
    certain: Annotated[
        bool | None,
        Col(
            "certain",
            help=(
                "false: page walks alone may cause the step after it, when their reads leave a cache; null for `beyond`"
            ),
        ),
    ]
    extra: Annotated[
        Time | None, Col("adds to an access", help="what translation adds to an access there, over the nearest level")
    ]
    most_pages: Annotated[Count, Col("of pages up to", help="that were touched")]
    origin: Annotated[str, Col("origin", help="`real`, `emulated` or `simulated`")]


class TlbLevels:
    """One row for each page size and level that the rows of `tlb` show, and one for what is beyond.

    It has none of the keys at the end of other rows but `origin`.
    """

    name: ClassVar[str] = "tlb_levels"
    title: ClassVar[str] = "Levels of the TLB"
    keys: ClassVar[tuple[str, ...]] = ("target", "page_bytes", "level")
    main: ClassVar[tuple[Main, ...]] = ()  # parameters of a processor are neither slower nor faster
    row: ClassVar[type[TlbLevelsRow]] = TlbLevelsRow

    def rows(self, run: Run) -> list[Flat]:
        return [row for part in parts(Tlb().rows(run)) for row in _rows(part, found(part))]

    def insights(self, run: Run, rows: list[Flat]) -> list[Insight]:
        """Those stand beside the points, where a TLB without a level has rows too."""
        del run, rows
        return []


def _rows(points: list[Flat], levels: Translation) -> list[Flat]:
    first = points[0]
    size = whole(first, "page_bytes")
    most = max(whole(row, "touched") for row in points)
    rows = []
    for number, level in enumerate(levels.levels, 1):
        sized: Flat = {
            "entries": level.entries, "entries_low": level.low, "entries_high": level.high,
            "entries_round": level.round, "reach_bytes": int(level.entries * size), "certain": level.certain,
        }  # fmt: skip
        rows.append(_row(first, str(number), sized, level.extra, most))
    if levels.beyond:
        nothing: Flat = dict.fromkeys(SIZED)
        rows.append(_row(first, BEYOND, nothing, levels.beyond, most))
    return rows


def _row(point: Flat, level: str, sized: Flat, extra: Extra, most: int) -> Flat:
    return {
        "target": point["target"],
        "page_bytes": point["page_bytes"],
        "level": level,
        **sized,
        "extra_s": extra.middle_s,
        "extra_low": extra.low_s,
        "extra_high": extra.high_s,
        "most_pages": most,
        "origin": point["origin"],
    }


tables.add(TlbLevels())
