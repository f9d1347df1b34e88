"""Near and far memory, and the ratios of pages, in a terminal."""

from tierscope.draw import cells, vega
from tierscope.draw.forms import forms, of_rows, rate, wait, with_interval
from tierscope.draw.grid import Grid
from tierscope.suites.cxl.row import FarMemoryRow, InterleaveRow


def interleave(rows: list[InterleaveRow]) -> list[Grid]:
    """Return a line for each ratio."""
    heads = [("near:far", False), ("far, %", True), ("bandwidth, GB/s", True), ("over near", True)]
    lines = [
        [
            f"{row.near_pages}:{row.far_pages}",
            f"{100 * row.far_share:.0f}",
            rate(row, row.bandwidth),
            with_interval(row, row.over_near, lambda value: f"{value:.3f}"),
        ]
        for row in rows
    ]
    return (
        [(f"Pages of {rows[0].near} and {rows[0].far} ({rows[0].kernel}; 95 % interval)", heads, lines)] if rows else []
    )


def far_memory(rows: list[FarMemoryRow]) -> list[Grid]:
    """Return a line for each memory."""
    heads = [
        ("memory", False), ("latency, ns", True), ("over near", True), ("reported, ns", True),
        ("bandwidth, GB/s", True), ("over near", True), ("reported, GB/s", True),
    ]  # fmt: skip
    return [("Near and far memory (95 % interval)", heads, [_line(row) for row in rows])] if rows else []


def _line(row: FarMemoryRow) -> list[str]:
    def times(value: float) -> str:
        return f"{value:.3f}"

    told = [vega.ns(row.reported_latency_s), vega.gb(row.reported_bandwidth_bytes_per_s)]
    late, fast = (cells.NOTHING if value is None else f"{value:.4g}" for value in told)
    return [
        f"{row.memory} ({row.target})",
        wait(row, row.latency), with_interval(row, row.latency_over_near, times), late,
        rate(row, row.bandwidth), with_interval(row, row.bandwidth_over_near, times), fast,
    ]  # fmt: skip


forms.add(of_rows("page_ratio", interleave))
forms.add(of_rows("far_memory", far_memory))
