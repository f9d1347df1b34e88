"""One datum of the figures of storage."""

from tierscope.draw import vega
from tierscope.draw.vega import Point
from tierscope.suites.storage.row import StorageRow
from tierscope.units import show_seconds, show_size

TIPS = vega.tips(
    ("operation", "operation"), ("order", "order"), ("size", "block"), ("depth", "depth"), ("iops", "operations/s"),
    ("low", "95 % interval from"), ("high", "to"), ("gb", "bandwidth, GB/s"), ("mean", "mean latency"),
    ("p99", "99th percentile"), ("flight", "in flight"), ("verdict", "verdict"),
)  # fmt: skip


def drawn(rows: list[StorageRow]) -> list[Point]:
    """Return those of whole jobs that have a number: the reads of a mix alone are in the table."""
    return [_point(row) for row in rows if row.whole and row.iops.middle and row.latency.middle]


def _point(row: StorageRow) -> Point:
    tail = row.latency_p99_s
    return {
        "operation": f"{100 * row.read_share:.0f} % reads" if row.operation == "mix" else row.operation,
        "order": row.order,
        "block": row.block_bytes,
        "size": show_size(row.block_bytes),
        "depth": row.depth,
        **vega.bar("iops", row.iops, vega.digits),
        "gb": vega.gb(row.bandwidth.middle),
        "us": vega.digits(row.latency.middle * 1e6),
        "mean": show_seconds(row.latency.middle),
        "p99": show_seconds(tail) if tail else "unknown",
        "p99_us": vega.digits(tail * 1e6) if tail else None,
        "flight": f"{row.in_flight:.4g}",
        "verdict": row.verdict,
    }
