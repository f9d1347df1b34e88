"""Emulated tiers in a terminal: asked and achieved values next to each other."""

from tierscope.draw import cells
from tierscope.draw.forms import forms, of_rows, with_interval
from tierscope.draw.grid import Grid
from tierscope.suites.emulation.table import EmulationRow
from tierscope.units import show_rate, show_seconds


def emulation(rows: list[EmulationRow]) -> Grid:
    """Return a line for each tier and quantity."""
    heads = [
        ("quantity", False),
        ("threads", True),
        ("asked", True),
        ("achieved", True),
        ("off", True),
        ("tier", False),
    ]
    return "Emulated tiers (95 % interval)", heads, [_line(row) for row in rows]


def _line(row: EmulationRow) -> list[str]:
    slow = row.quantity == "latency"
    asked, achieved = (row.asked_latency_s, row.latency) if slow else (row.asked_bytes_per_s, row.bandwidth)
    show = show_seconds if slow else show_rate
    asked_word = cells.NOTHING if asked is None else show(asked)
    off = cells.NOTHING if row.off is None else f"{100 * row.off:+.1f} %"
    return [row.quantity, str(row.threads), asked_word, with_interval(row, achieved, show), off, row.target]


forms.add(of_rows("emulation", lambda rows: [emulation(rows)]))
