"""One row of the table `tlb`, which its findings, figure and terminal form read."""

from collections.abc import Iterable
from typing import Annotated

from tierscope.stats.tlb_windows import FEW
from tierscope.tables import JudgedRow
from tierscope.tables.rows import Col, Count, Ratio, Size, Time
from tierscope.tables.usual import Where
from tierscope.units import show_size


class TlbRow(JudgedRow, frozen=True, kw_only=True):
    """The time of an access to a number of pages of one size, and the part of it that is translation."""

    target: Where
    page_bytes: Annotated[Size, Col("pages", help="page size as it was found")]
    part_bytes: Annotated[
        Size | None,
        Col("parts", help="in which pages of this size are translated, as where a host maps them so; null: as a whole"),
    ] = None
    in_parts: Annotated[
        Ratio | None,
        Col(
            "of them in parts",
            help="share of the pages that were timed and are at least partly slower than others, since only these are "
            "translated in parts; 0: all of them are alike; null: not known",
        ),
    ] = None
    probed: Annotated[bool, Col("timed alone", help="whether pages were to be timed one by one")] = False
    touched: Annotated[Count, Col("touched", help="pages or parts touched, a line of each")]
    latency: Annotated[Time | None, Col("a page apart", help="one dependent access, the lines a page and a line apart")]
    control: Annotated[Time | None, Col("side by side", help="the same, as many lines side by side")]
    extra: Annotated[Time | None, Col("translation", help="their difference: what translation adds")]
    coarse: Annotated[bool, Col("coarse", help="true: of the first curve; false: measured where a level ends")]
    cpu: Annotated[Count, Col("CPU", help="that chased")]
    footprint_bytes: Annotated[Size, Col("footprint", help="mapped")]


def mixed(row: TlbRow) -> str:
    """Return why no level of the pages is known: some are translated in parts and others as a whole, or may be; "" if
    all are alike, or were not timed one by one.
    """
    if row.probed and row.in_parts is None:
        return "its pages were not timed often enough to show whether all are alike; repeat it on a quiet machine"
    if row.in_parts is None or row.in_parts < FEW:
        return ""
    return (
        "some of these pages are translated in parts and the others as a whole, as where the system or a host gives "
        "only some of them as a whole; repeat it later, or with huge pages of the host"
    )


def touched(rows: Iterable[TlbRow]) -> str:
    """Return the title of the axis of rows."""
    kinds = {bool(row.part_bytes) for row in rows}
    return (
        "pages, or parts, touched" if len(kinds) > 1 else "parts of pages touched" if True in kinds else "pages touched"
    )


def show_pages(page_bytes: int, part_bytes: int | None) -> str:
    """Return '4 KiB', or '2 MiB in 4 KiB' where pages are translated in parts."""
    size = show_size(page_bytes)
    return f"{size} in {show_size(part_bytes)}" if part_bytes else size
