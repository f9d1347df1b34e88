"""Bandwidth in a terminal: a line for each kernel, with a bar, then curves over threads."""

from rich.console import Console

from tierscope.draw import braille
from tierscope.draw.braille import Axis
from tierscope.draw.forms import (
    Form,
    Parts,
    Shown,
    draws,
    flat_curve_of,
    flat_number,
    flat_rate,
    forms,
    plot,
    titled,
    width,
)
from tierscope.draw.words import threads_name

BAR = 16  # columns of the longest bar
CURVES = 6  # in one plot: more letters cannot be told apart


def _stream(section: Shown, console: Console) -> Parts:
    """One line per kernel, the fastest first; of the thread counts the first, the middle and the last."""
    counts = sorted({int(flat_number(row["threads"])) for row in section.rows})
    shown = sorted({counts[0], counts[len(counts) // 2], counts[-1]})
    by = {(str(row["kernel"]), row["threads"]): row for row in section.rows}
    best: dict[str, float] = {}
    for (kernel, _), row in by.items():
        best[kernel] = max(best.get(kernel, 0.0), flat_number(row["bandwidth_bytes_per_s"]))
    order = sorted(best, key=lambda kernel: (-best[kernel], kernel))
    bars = draws(console) and width(console) >= 60 + 10 * len(shown)
    top = best[order[0]] or 1.0
    rows = []
    for kernel in order:
        values = [flat_rate(by.get((kernel, count))) for count in shown]
        rows.append([kernel, *values, *([braille.bar(best[kernel] / top, BAR)] if bars else [])])
    heads = [("kernel", False), *((threads_name(count), True) for count in shown), *([("", False)] if bars else [])]
    parts = titled("Bandwidth, GB/s (program bytes, 95 % interval)", heads, rows)
    if len(counts) > 2:
        rising = sorted(section.rows, key=lambda row: flat_number(row["threads"]))
        curves = [flat_curve_of(name, rising, "kernel", "threads", "bandwidth_bytes_per_s") for name in order[:CURVES]]
        parts += plot(console, curves, Axis("threads", ticks={n: str(n) for n in counts}), Axis("GB/s"))
    return parts


forms.add(Form("stream", _stream))
