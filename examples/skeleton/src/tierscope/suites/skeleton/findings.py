"""Sentences about the rows. Every number of a sentence is also stated as a value, so that the audit can check it."""

from tierscope.suites.skeleton.row import SkeletonRow
from tierscope.tables import Insight
from tierscope.tables.measured import sure_rows
from tierscope.units import show_bytes, show_rate


def sentences(rows: list[SkeletonRow]) -> list[Insight]:
    """Return the footprint that is read fastest; nothing where no row is conclusive."""
    known = sure_rows(rows, lambda row: row.bandwidth)  # the conclusive rows, each with its interval
    if not known:
        return []
    row, best = max(known, key=lambda one: one[1].middle)
    text = f"One CPU reads {show_bytes(row.footprint_bytes)} fastest: {show_rate(best.middle)}"
    return [Insight.of(best, name="skeleton_most", text=text, unit="B/s")]
