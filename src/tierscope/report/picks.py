"""The rows that a headline rests on, and their numbers in words; picked, not computed."""

from tierscope.draw import cells, vega
from tierscope.record.experiment import Label
from tierscope.report.content import Content
from tierscope.tables import Flat
from tierscope.tables.measured import sure_flat
from tierscope.units import show_rate, show_seconds


def fastest(content: Content) -> Flat | None:
    rows = [row for row in content.sure_rows("stream") if sure_flat(row, "bandwidth", "bytes_per_s")]
    return max(rows, key=lambda row: float(row["bandwidth_bytes_per_s"] or 0), default=None)


def passed_over(content: Content) -> Flat | None:
    """The fastest of all, where it is inconclusive and another one is the headline."""
    chosen = fastest(content)
    rows = [row for row in content.rows("stream") if row["bandwidth_bytes_per_s"]]
    best = max(rows, key=lambda row: float(row["bandwidth_bytes_per_s"] or 0), default=None)
    return best if best is not chosen else None


def idle(content: Content) -> Flat | None:
    """The latency of memory: the largest footprint in global order, with the largest pages; None if inconclusive."""
    rows = [row for row in content.rows("latency") if row["latency_s"] and row["order"] == "global"]
    cycles = [row for row in rows if row["probe"] == "cycle"] or rows
    row = max(cycles, key=lambda row: (row["footprint_bytes"] or 0, row["page_bytes"] or 0), default=None)
    return row if row in content.sure_rows("latency") and sure_flat(row, "latency", "s") else None


def most_loaded(content: Content) -> Flat | None:
    """The conclusive row of the most bandwidth under load."""
    loads = [
        row for row in content.sure_rows("loaded_latency") if row["load_threads"] and sure_flat(row, "latency", "s")
    ]
    rows = [row for row in loads if sure_flat(row, "bandwidth", "bytes_per_s")]
    return max(rows, key=lambda row: float(row["bandwidth_bytes_per_s"] or 0), default=None)


def judged(content: Content) -> list[Flat]:
    return [row for section in content.sections.values() for row in section.judged]


def reaches_memory(content: Content) -> bool:
    """Whether the staircase ends on memory's plateau, so that the largest footprint may be called memory."""
    return any(insight.name == "memory" and insight.value is not None for insight in content.conclusions)


def rate(value: Label) -> str:
    return show_rate(float(value)) if isinstance(value, int | float) else cells.NOTHING


def seconds(value: Label) -> str:
    return show_seconds(float(value)) if isinstance(value, int | float) else cells.NOTHING


def rate_span(low: Label, high: Label) -> str:
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return ""
    return f" ({vega.gb(low):.2f} to {vega.gb(high):.2f})"


def time_span(row: Flat) -> str:
    low, high = row["latency_low"], row["latency_high"]
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return ""
    return f" ({vega.ns(low):.4g} to {vega.ns(high):.4g})"
