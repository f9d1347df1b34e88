"""The TLB in a terminal: its levels as a small table, and what translation adds as curves, one for each page size."""

from tierscope.draw import cells, vega
from tierscope.draw.braille import Axis, Curve
from tierscope.draw.forms import Form, forms, of_rows, plot
from tierscope.draw.grid import Grid
from tierscope.tables import Flat
from tierscope.units import show_bytes, show_size


def levels(rows: list[Flat]) -> Grid:
    """Rows of `tlb_levels`."""
    heads = [("pages", True), ("level", False), ("entries", True), ("from", True), ("to", True), ("round", True),
             ("reach", True), ("adds, ns", True), ("from", True), ("to", True)]  # fmt: skip
    return "Levels of the TLB (what a hit adds to an access)", heads, [_level(row) for row in rows]


def _level(row: Flat) -> list[str]:
    counts = [_number(row[key]) for key in ("entries", "entries_low", "entries_high", "entries_round")]
    if row["entries_low"] == 0:
        counts[0] = f"<{counts[2]}"
    reach = cells.NOTHING if row["reach_bytes"] is None else show_bytes(float(row["reach_bytes"]))
    times = [f"{vega.ns(row[key]) or 0:.2f}" for key in ("extra_s", "extra_low", "extra_high")]
    level = f"{row['level']}{' ?' if row['certain'] is False else ''}"
    return [show_size(int(row["page_bytes"] or 0)), level, *counts, reach, *times]


def _number(value: object) -> str:
    return f"{value:.0f}" if isinstance(value, int | float) else cells.NOTHING


def curves(rows: list[Flat]) -> tuple[list[Curve], Axis, Axis]:
    """Rows of `tlb`: translation over pages touched."""
    known = [row for row in rows if row["extra_s"] is not None]
    sizes = sorted({int(row["page_bytes"] or 0) for row in known})
    parts = [(size, [row for row in known if row["page_bytes"] == size]) for size in sizes]
    found = [
        Curve(
            show_size(size),
            [float(row["touched"] or 0) for row in part],
            [vega.ns(row["extra_s"]) or 0 for row in part],
        )
        for size, part in parts
    ]
    most = max((int(row["touched"] or 0) for row in known), default=2)
    ticks = {float(2 * 4**power): str(2 * 4**power) for power in range(12) if 2 * 4**power <= most}
    return found, Axis("pages touched", log=True, ticks=ticks), Axis("translation, ns")


forms.add(of_rows("tlb_levels", lambda rows: [levels(rows)]))
forms.add(Form("tlb", lambda section, console: plot(console, *curves(section.rows))))
