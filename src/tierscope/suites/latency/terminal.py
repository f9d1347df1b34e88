"""The staircase in a terminal."""

from rich.console import Console

from tierscope.draw.braille import Axis
from tierscope.draw.forms import (
    Form,
    Parts,
    Shown,
    flat_curve_of,
    flat_number,
    flat_wait,
    forms,
    plot,
    titled,
)
from tierscope.draw.words import probe_name
from tierscope.tables import Flat
from tierscope.units import KiB, show_bytes

LINES = 20


def _latency(section: Shown, console: Console) -> Parts:
    """A line per power of four and the largest footprint, a column per curve; then the staircase."""
    rows = [{**row, "series": _series(row)} for row in section.rows if row["latency_s"]]
    rows.sort(key=lambda row: flat_number(row["footprint_bytes"]))
    sizes = sorted({int(flat_number(row["footprint_bytes"])) for row in rows})
    names = list(dict.fromkeys(str(row["series"]) for row in rows))
    curves = [flat_curve_of(name, rows, "series", "footprint_bytes", "latency_s") for name in names]
    long = [curve for curve in curves if len(curve.x) > 1] or curves
    by = {(row["series"], row["footprint_bytes"]): row for row in rows}
    powers = {4**power * KiB for power in range(1, 20)}
    shown = [size for size in sizes if size in powers or size == sizes[-1]]
    lines = [
        [show_bytes(size), *(flat_wait(by.get((curve.label, size))) for curve in long[:4])] for size in shown[-LINES:]
    ]
    heads = [("footprint", True), *((curve.label, True) for curve in long[:4])]
    ticks = {float(size): show_bytes(size).replace(" ", "") for size in powers}
    parts = titled("Latency, ns (one dependent access, 95 % interval)", heads, lines)
    x, y = Axis("footprint", log=True, ticks=ticks), Axis("latency, ns", log=True)
    return [*parts, *plot(console, [curve for curve in long if len(curve.x) > 1], x, y)]


def _series(row: Flat) -> str:
    page = row["page_bytes"]
    return probe_name(str(row["probe"]), str(row["order"]), page if isinstance(page, int) else None)


forms.add(Form("latency", _latency))
