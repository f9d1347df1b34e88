"""Buffers in a terminal: one line for each part."""

from tierscope.draw import cells, vega
from tierscope.draw.forms import forms, of_rows
from tierscope.draw.grid import Grid
from tierscope.tables import Flat
from tierscope.units import show_bytes, show_seconds, show_size

"""Title, heads with whether they are numbers, lines."""


def buffers(rows: list[Flat]) -> Grid:
    """Capacity with its interval, units that are possible, time of a line that is found there, amplification."""
    targets = list(dict.fromkeys(str(row["target"]) for row in rows))
    several = len(targets) > 1
    heads = [
        ("part", False), ("capacity", True), ("unit", True), ("latency", True), ("bytes moved", True),
        *([("target", False)] if several else []),
    ]  # fmt: skip
    lines = [[*_line(row), *([str(row["target"])] if several else [])] for row in rows]
    return (f"Buffers of {targets[0]}" if len(targets) == 1 else "Buffers"), heads, lines


def _line(row: Flat) -> list[str]:
    return [
        f"{row['part']}{'' if row['conclusive'] else ' ?'}",
        _capacity(row),
        _unit(row),
        _time(row),
        _moved(row),
    ]


def _moved(row: Flat) -> str:
    """'x 4' of writes, '<= x 4' of reads."""
    sign = "" if row["amplification"] else "≤ "
    times = float(row["amplification"] or row["amplification_most"] or 0)
    return f"{sign}x {times:g}" if times else cells.NOTHING


def _capacity(row: Flat) -> str:
    """'16 KiB ±3.1%': the round size where there is one; the interval is that of the size found."""
    size, low, high = (float(row[f"capacity_{key}"] or 0) for key in ("bytes", "low", "high"))
    if not size:
        return cells.NOTHING
    shown = show_size(int(row["round_bytes"])) if row["round_bytes"] else show_bytes(size)
    return cells.within(shown, low, size, high)


def _unit(row: Flat) -> str:
    """'256 B', or '2 KiB-8 KiB' where others are possible."""
    low, high = row["unit_low"], row["unit_high"]
    if not low or not high:
        return cells.NOTHING
    return show_size(int(low)) if low == high else f"{show_size(int(low))}-{show_size(int(high))}"


def _time(row: Flat) -> str:
    seconds, low, high = (float(row[key] or 0) for key in ("latency_s", "latency_low", "latency_high"))
    if not seconds or vega.ns(seconds) is None:
        return cells.NOTHING
    return cells.within(show_seconds(seconds), low, seconds, high)


forms.add(of_rows("buffers", lambda rows: [buffers(rows)]))
