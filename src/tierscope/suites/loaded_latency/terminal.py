"""Latency under load in a terminal."""

from rich.console import Console

from tierscope.draw.braille import Axis
from tierscope.draw.forms import (
    Form,
    Parts,
    Shown,
    flat_curve_of,
    flat_number,
    flat_rate,
    flat_wait,
    forms,
    plain,
    plot,
    titled,
)
from tierscope.draw.words import load_name

FLAT = 1.5  # latency that rises by less is drawn from zero, or noise would look like a mountain
CURVES = 6  # in one plot: more letters cannot be told apart


def _loaded(section: Shown, console: Console) -> Parts:
    """Three lines per mix: the longest delay, the middle one and none; then the curves."""
    loads = [
        {**row, "series": load_name(flat_number(row["read_share"]), str(row["store"]))}
        for row in section.rows
        if row["load_threads"] and row["latency_s"] and row["bandwidth_bytes_per_s"]
    ]
    if not loads:
        return plain(section, console)
    names = list(dict.fromkeys(str(row["series"]) for row in loads))
    loads.sort(key=lambda row: -flat_number(row["delay_cycles"]))
    lines = []
    for name in names:
        mine = [row for row in loads if row["series"] == name]
        for row in [mine[i] for i in sorted({0, len(mine) // 2, len(mine) - 1})]:
            label = name if row is mine[0] else ""
            lines.append([label, f"{flat_number(row['delay_cycles']):.0f}", flat_rate(row), flat_wait(row)])
    heads = [("reads:writes", False), ("delay, cycles", True), ("bandwidth, GB/s", True), ("latency, ns", True)]
    curves = [flat_curve_of(name, loads, "series", "bandwidth_bytes_per_s", "latency_s") for name in names[:CURVES]]
    parts = titled("Latency under load (95 % interval)", heads, lines)
    waits = [wait for curve in curves for wait in curve.y]
    y = Axis("latency, ns", zero=max(waits) < FLAT * min(waits))
    return [*parts, *plot(console, curves, Axis("bandwidth of the load, GB/s"), y)]


forms.add(Form("loaded_latency", _loaded))
