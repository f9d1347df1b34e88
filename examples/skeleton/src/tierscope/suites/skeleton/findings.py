"""Sentences about the rows. Every number of a sentence is stated beside it, so that the audit can check it."""

from tierscope.tables import Flat, Insight
from tierscope.tables.measured import sure_rows_flat
from tierscope.units import show_bytes, show_rate


def sentences(rows: list[Flat]) -> list[Insight]:
    """Return the footprint that is read fastest; nothing where no row is conclusive."""
    known = sure_rows_flat(rows, "bandwidth", "bytes_per_s")  # the conclusive rows, each with its interval
    if not known:
        return []
    row, best = max(known, key=lambda one: one[1].middle)
    text = f"One CPU reads {show_bytes(float(row['footprint_bytes'] or 0))} fastest: {show_rate(best.middle)}"
    return [
        Insight(name="skeleton_most", text=text, value=best.middle, low=best.low, high=best.high, unit="B/s"),
    ]
