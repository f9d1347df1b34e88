"""Latency under load in a terminal."""

from rich.console import Console

from tierscope.draw import cells, vega
from tierscope.draw.braille import Axis
from tierscope.draw.forms import (
    Form,
    Parts,
    Shown,
    curve,
    forms,
    in_gb,
    in_ns,
    plain,
    plot,
    rate,
    titled,
    wait,
    with_interval,
)
from tierscope.draw.words import load_name
from tierscope.suites.loaded_latency.row import LoadedLatencyRow, apart_names
from tierscope.suites.loaded_latency.table import loads

FLAT = 1.5  # latency that rises by less is drawn from zero, or noise would look like a mountain
MODEL_WIDTH = 100  # letters of a terminal that has space for the model; in fewer, cells would break
CURVES = 6  # in one plot: the letters of more curves are hard to distinguish


def _loaded(section: Shown, console: Console) -> Parts:
    """Return three lines per mix: the longest delay, the middle one and none; then the curves."""
    series: dict[str, list[LoadedLatencyRow]] = {}
    names = apart_names(section.typed)
    for row in loads(section.typed):
        which = f", {names[row.curve]}" if names[row.curve] else ""
        series.setdefault(f"{load_name(row.read_share, row.store)}{which}", []).append(row)
    if not series:
        return plain(section, console)
    lines = []
    modelled = console.width >= MODEL_WIDTH and any(row.model for row in section.typed)
    for name, rows in series.items():
        rows.sort(key=lambda row: -(row.delay_cycles or 0))
        for row in [rows[i] for i in sorted({0, len(rows) // 2, len(rows) - 1})]:
            label = name if row is rows[0] else ""
            over = with_interval(row, row.over_idle, lambda value: f"{value:.3f}")
            model = [_model(row)] if modelled else []
            delay = cells.NOTHING if row.delay_cycles is None else str(row.delay_cycles)
            values = [rate(row, row.bandwidth), wait(row, row.latency), over, *model]
            lines.append([label, delay, *values])
    numbers = ("delay, cycles", "bandwidth, GB/s", "latency, ns", "over idle", *(["model, ns"] if modelled else []))
    heads = [("reads:writes", False), *((name, True) for name in numbers)]
    curves = [
        curve(name, [(in_gb(row.bandwidth), in_ns(row.latency)) for row in rows])
        for name, rows in list(series.items())[:CURVES]
    ]
    parts = titled("Latency under load (95 % interval)", heads, lines)
    waits = [wait for one in curves for wait in one.y]
    y = Axis("latency, ns", zero=max(waits) < FLAT * min(waits))
    return [*parts, *plot(console, curves, Axis("bandwidth of the load, GB/s"), y)]


def _model(row: LoadedLatencyRow) -> str:
    """Return '81.2 (78.0 to 90.1)', the bounds of the model; a dash for a load that was given to it."""
    if row.model is None:
        return cells.NOTHING
    low, middle, high = (f"{vega.ns(value):.4g}" for value in (row.model.low, row.model.middle, row.model.high))
    return f"{middle} ({low} to {high})"


forms.add(Form("loaded_latency", _loaded))
