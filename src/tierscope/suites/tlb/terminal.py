"""The TLB in a terminal: its levels as a small table, and what translation adds as curves, one for each page size."""

from tierscope.draw import cells, vega
from tierscope.draw.braille import Axis, Curve
from tierscope.draw.forms import Form, curve, forms, in_ns, of_rows, plot
from tierscope.draw.grid import Grid
from tierscope.suites.tlb.row import TlbRow, show_pages, touched
from tierscope.suites.tlb.table_levels import TlbLevelsRow
from tierscope.units import show_bytes


def levels(rows: list[TlbLevelsRow]) -> Grid:
    """Return the grid of the rows of `tlb_levels`."""
    heads = [("pages", True), ("level", False), ("entries", True), ("from", True), ("to", True), ("round", True),
             ("reach", True), ("adds, ns", True), ("from", True), ("to", True)]  # fmt: skip
    return "Levels of the TLB (what a hit adds to an access)", heads, [_level(row) for row in rows]


def _level(row: TlbLevelsRow) -> list[str]:
    counts = [_number(value) for value in (row.entries, row.entries_low, row.entries_high, row.entries_round)]
    if row.entries_low == 0:
        counts[0] = f"<{counts[2]}"
    reach = cells.NOTHING if row.reach_bytes is None else show_bytes(row.reach_bytes)
    times = [f"{vega.ns(value) or 0:.2f}" for value in (row.extra.middle, row.extra.low, row.extra.high)]
    level = f"{row.level}{' ?' if row.certain is False else ''}"
    pages = show_pages(row.page_bytes, row.part_bytes)
    return [pages.replace(" MiB", "M").replace(" KiB", "K") if row.part_bytes else pages, level, *counts, reach, *times]


def _number(value: float | None) -> str:
    return cells.NOTHING if value is None else f"{value:.0f}"


def curves(rows: list[TlbRow]) -> tuple[list[Curve], Axis, Axis]:
    """Return the curves of translation over pages touched, and their axes."""
    known = [row for row in rows if row.extra]
    sizes = sorted({row.page_bytes for row in known})
    parts = [[row for row in known if row.page_bytes == size] for size in sizes]
    found = [
        curve(show_pages(part[0].page_bytes, part[0].part_bytes), [(row.touched, in_ns(row.extra)) for row in part])
        for part in parts
    ]
    most = max((row.touched for row in known), default=2)
    ticks = {float(2 * 4**power): str(2 * 4**power) for power in range(12) if 2 * 4**power <= most}
    return found, Axis(touched(known), log=True, ticks=ticks), Axis("translation, ns")


forms.add(of_rows("tlb_levels", lambda rows: [levels(rows)]))
forms.add(Form("tlb", lambda section, console: plot(console, *curves(section.typed))))
