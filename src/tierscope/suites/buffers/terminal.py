"""Buffers in a terminal: one line for each part."""

from tierscope.draw import cells
from tierscope.draw.forms import forms, of_rows
from tierscope.draw.grid import Grid
from tierscope.stats.buffers_levels import vague_unit
from tierscope.stats.median import Interval
from tierscope.suites.buffers.row import BuffersRow
from tierscope.units import show_bytes, show_seconds, show_size


def buffers(rows: list[BuffersRow]) -> Grid:
    """Return capacity with its interval, possible units, time of a line that is found there, amplification."""
    targets = list(dict.fromkeys(row.target for row in rows))
    several = len(targets) > 1
    heads = [
        ("part", False), ("capacity", True), ("unit", True), ("latency", True), ("bytes moved", True),
        *([("target", False)] if several else []),
    ]  # fmt: skip
    lines = [[*_line(row), *([row.target] if several else [])] for row in rows]
    return (f"Buffers of {targets[0]}" if len(targets) == 1 else "Buffers"), heads, lines


def _line(row: BuffersRow) -> list[str]:
    return [
        f"{row.part}{'' if row.conclusive else ' ?'}",
        _capacity(row),
        _unit(row.unit),
        f"≥ {show_seconds(row.latency_least_s)}" if row.latency_least_s else _time(row.latency),
        _moved(row),
    ]


def _moved(row: BuffersRow) -> str:
    """Return 'x 4' for writes, '<= x 4' for reads."""
    sign = "" if row.amplification else "≤ "
    times = row.amplification or row.amplification_most
    return f"{sign}x {times:g}" if times else cells.NOTHING


def _capacity(row: BuffersRow) -> str:
    """Return '16 KiB ±3.1%': the round size if there is one; the interval is that of the size found. A lower bound is
    '≥ 64 MiB', a range '300 KiB-400 KiB'.
    """
    if row.capacity_least_bytes:
        return f"≥ {show_bytes(row.capacity_least_bytes)}"
    found = row.capacity
    if found is None:
        return cells.NOTHING
    if row.ranged:
        return f"{show_bytes(found.low)}-{show_bytes(found.high)}"
    shown = show_size(row.round_bytes) if row.round_bytes else show_bytes(found.middle)
    return cells.within(shown, found.low, found.middle, found.high)


def _unit(found: Interval | None) -> str:
    """Return '256 B', '2 KiB-8 KiB' if others are possible, or '256 B-8 KiB ?' if they are too many for an answer."""
    if found is None:
        return cells.NOTHING
    low, high = show_size(int(found.low)), show_size(int(found.high))
    vague = " ?" if vague_unit(found.low, found.high) else ""
    return low if low == high else f"{low}-{high}{vague}"


def _time(found: Interval | None) -> str:
    return cells.within(show_seconds(found.middle), found.low, found.middle, found.high) if found else cells.NOTHING


forms.add(of_rows("buffers", lambda rows: [buffers(rows)]))
