"""The staircase in a terminal."""

from rich.console import Console

from tierscope.draw.braille import Axis
from tierscope.draw.forms import Form, Parts, Shown, curve, forms, in_ns, plot, titled, wait
from tierscope.draw.words import probe_name
from tierscope.printable import printable
from tierscope.suites.latency.row import LatencyRow
from tierscope.units import KiB, show_bytes

LINES = 20
COLUMNS = 4


def _latency(section: Shown, console: Console) -> Parts:
    """Return a line per power of four and the largest footprint, a column per curve; then the staircase."""
    series: dict[str, list[LatencyRow]] = {}
    for row in sorted(section.typed, key=lambda row: row.footprint_bytes):
        if row.latency and row.latency.middle and row.footprint_bytes:
            series.setdefault(printable(probe_name(row.probe, row.order, row.page_bytes)), []).append(row)
    long = {name: rows for name, rows in series.items() if len(rows) > 1}
    columns = list((long or series).items())[:COLUMNS]
    by = [{row.footprint_bytes: row for row in rows} for _, rows in columns]
    sizes = sorted({row.footprint_bytes for rows in series.values() for row in rows})
    powers = {4**power * KiB for power in range(1, 20)}
    shown = [size for size in sizes if size in powers or size == sizes[-1]]
    lines = [[show_bytes(size), *(_wait(own.get(size)) for own in by)] for size in shown[-LINES:]]
    heads = [("footprint", True), *((name, True) for name, _ in columns)]
    ticks = {float(size): show_bytes(size).replace(" ", "") for size in powers}
    parts = titled("Latency, ns (one dependent access, 95 % interval)", heads, lines)
    x, y = Axis("footprint", log=True, ticks=ticks), Axis("latency, ns", log=True)
    curves = [curve(name, [(row.footprint_bytes, in_ns(row.latency)) for row in rows]) for name, rows in long.items()]
    return [*parts, *plot(console, curves, x, y)]


def _wait(row: LatencyRow | None) -> str:
    return wait(row, row.latency if row else None)


forms.add(Form("latency", _latency))
