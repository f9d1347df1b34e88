"""Bandwidth in a terminal: a line for each kernel, with a bar, then curves over threads."""

from collections.abc import Iterable

from rich.console import Console

from tierscope.draw import braille, cells, vega
from tierscope.draw.braille import Axis
from tierscope.draw.forms import Form, Parts, Shown, curve, draws, forms, in_gb, plot, rate, titled, width
from tierscope.draw.words import threads_name
from tierscope.suites.stream.table import StreamRow

BAR = 16  # columns of the longest bar
CURVES = 6  # in one plot: the letters of more curves are hard to distinguish


def _stream(section: Shown, console: Console) -> Parts:
    """Return one line per kernel, the fastest first, with the first, the middle and the last thread count."""
    by: dict[str, dict[int, StreamRow]] = {}
    for row in section.typed:
        by.setdefault(row.kernel, {})[row.threads] = row
    counts = sorted({row.threads for row in section.typed})
    shown = sorted({counts[0], counts[len(counts) // 2], counts[-1]})
    best = {
        kernel: max(row.bandwidth.middle if row.bandwidth else 0.0 for row in own.values())
        for kernel, own in by.items()
    }
    order = sorted(best, key=lambda kernel: (-best[kernel], kernel))
    bars = draws(console) and width(console) >= 60 + 10 * len(shown)
    top = best[order[0]] or 1.0
    rows = []
    last = counts[-1]
    modelled = any(row.model for row in section.typed if row.threads == last)
    for kernel in order:
        own = [by[kernel].get(count) for count in shown]
        values = [rate(row, row.bandwidth if row else None) for row in own]
        model = [_model(by[kernel].get(last))] if modelled else []
        rows.append([kernel, *values, *model, *([braille.bar(best[kernel] / top, BAR)] if bars else [])])
    by_model = [("model, " + threads_name(last), True)] if modelled else []
    heads = [
        ("kernel", False),
        *((threads_name(count), True) for count in shown),
        *by_model,
        *([("", False)] if bars else []),
    ]
    parts = titled("Bandwidth, GB/s (program bytes, 95 % interval)", heads, rows)
    parts += _arithmetic([by[kernel][last] for kernel in order if last in by[kernel]])
    if len(counts) > 2:
        rising = sorted(section.typed, key=lambda row: row.threads)
        curves = [curve(name, _points(row for row in rising if row.kernel == name)) for name in order[:CURVES]]
        parts += plot(console, curves, Axis("threads", ticks={n: str(n) for n in counts}), Axis("GB/s"))
    return parts


def _arithmetic(rows: list[StreamRow]) -> Parts:
    """Return floating-point operations and cycles with the most threads; nothing if no kernel has either."""
    shown = [row for row in rows if row.flops_per_s or row.cycles_per_line]
    if not shown:
        return []
    clocked = any(row.cycles_per_line for row in shown)
    lines = []
    for row in shown:
        bytes_per_s = row.bandwidth.middle if row.bandwidth else 0.0
        flops = f"{row.flops_per_s / 1e9:.3g}" if row.flops_per_s else cells.NOTHING
        each = f"{row.flops_per_s / bytes_per_s:.3g}" if row.flops_per_s and bytes_per_s else cells.NOTHING
        cycles = [f"{row.cycles_per_line:.3g}" if row.cycles_per_line else cells.NOTHING] if clocked else []
        lines.append([row.kernel, flops, each, *cycles])
    heads = [("kernel", False), ("Gflop/s", True), ("flop/B", True)]
    title = f"Floating-point operations, {threads_name(shown[0].threads)}"
    return titled(title, [*heads, *([("cycles per line", True)] if clocked else [])], lines)


def _model(row: StreamRow | None) -> str:
    """Return '36.0 (34.1 to 37.2)', the bounds of the model in GB/s; a dash where it is not known."""
    if row is None or row.model is None:
        return cells.NOTHING
    low, middle, high = (f"{vega.gb(value):.4g}" for value in (row.model.low, row.model.middle, row.model.high))
    return f"{middle} ({low} to {high})"


def _points(rows: Iterable[StreamRow]) -> list[tuple[float, float]]:
    """Return (threads, GB/s) of the rows that have a bandwidth."""
    return [(float(row.threads), rate) for row in rows if (rate := in_gb(row.bandwidth))]


forms.add(Form("stream", _stream))
