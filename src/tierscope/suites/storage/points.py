"""One datum of the figures of storage."""

from tierscope.draw import vega
from tierscope.draw.vega import Point
from tierscope.tables import Flat
from tierscope.units import show_seconds, show_size

TIPS = vega.tips(
    ("operation", "operation"), ("order", "order"), ("size", "block"), ("depth", "depth"), ("iops", "operations/s"),
    ("low", "95 % interval from"), ("high", "to"), ("gb", "bandwidth, GB/s"), ("mean", "mean latency"),
    ("p99", "99th percentile"), ("flight", "in flight"), ("verdict", "verdict"),
)  # fmt: skip


def whole(rows: list[Flat]) -> list[Flat]:
    """Rows of whole jobs that have a number: the reads of a mix alone are in the table."""
    return [row for row in rows if row["part"] in ("both", row["operation"]) and row["iops"] and row["latency_s"]]


def point(row: Flat) -> Point:
    mix = f"{100 * float(row['read_share'] or 0):.0f} % reads"
    return {
        "operation": mix if row["operation"] == "mix" else str(row["operation"]),
        "order": row["order"],
        "block": row["block_bytes"],
        "size": show_size(int(row["block_bytes"] or 0)),
        "depth": row["depth"],
        "iops": vega.digits(row["iops"]),
        "low": vega.digits(row["iops_low"]),
        "high": vega.digits(row["iops_high"]),
        "gb": vega.gb(row["bandwidth_bytes_per_s"]),
        "us": vega.digits(float(row["latency_s"] or 0) * 1e6),
        "mean": show_seconds(float(row["latency_s"] or 0)),
        "p99": show_seconds(float(row["latency_p99_s"])) if row["latency_p99_s"] else "unknown",
        "p99_us": vega.digits(float(row["latency_p99_s"]) * 1e6) if row["latency_p99_s"] else None,
        "flight": f"{float(row['in_flight'] or 0):.4g}",
        "verdict": "conclusive" if row["conclusive"] else "inconclusive",
    }
