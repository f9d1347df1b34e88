"""Emulated tiers in a terminal: what was asked for beside what was achieved."""

from tierscope.draw import cells
from tierscope.draw.forms import forms, of_rows
from tierscope.draw.grid import Grid
from tierscope.tables import Flat
from tierscope.units import show_rate, show_seconds


def emulation(rows: list[Flat]) -> Grid:
    """A line per tier and quantity."""
    heads = [
        ("quantity", False),
        ("threads", True),
        ("asked", True),
        ("achieved", True),
        ("off", True),
        ("tier", False),
    ]
    return "Emulated tiers (95 % interval)", heads, [_line(row) for row in rows]


def _line(row: Flat) -> list[str]:
    slow = row["quantity"] == "latency"
    stem, unit, show = ("latency", "s", show_seconds) if slow else ("bandwidth", "bytes_per_s", show_rate)
    asked, middle = (
        float(row[key] or 0) for key in ("asked_latency_s" if slow else "asked_bytes_per_s", f"{stem}_{unit}")
    )
    low, high = (float(row[f"{stem}_{end}"] or 0) for end in ("low", "high"))
    said = cells.within(show(middle), low, middle, high)
    achieved = f"{said}{'' if row['conclusive'] else ' ?'}" if middle else cells.NOTHING
    off = cells.NOTHING if row["off"] is None else f"{100 * float(row['off']):+.1f} %"
    return [str(row["quantity"]), str(row["threads"]), show(asked), achieved, off, str(row["target"])]


forms.add(of_rows("emulation", lambda rows: [emulation(rows)]))
