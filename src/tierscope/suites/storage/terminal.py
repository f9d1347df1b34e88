"""Storage in a terminal: a line for each job, as in the table of document 003."""

from collections.abc import Callable

from tierscope.draw import cells, vega
from tierscope.draw.forms import flat_with_interval, forms, of_rows
from tierscope.draw.grid import Grid
from tierscope.suites.storage.findings import show_iops
from tierscope.tables import Flat
from tierscope.units import show_seconds, show_size

VARIED: dict[str, Callable[[Flat], str]] = {
    "block_bytes": lambda row: show_size(int(row["block_bytes"] or 0)),
    "depth": lambda row: f"depth {row['depth']}",
}
"""Columns that stand in the title where all rows have the same."""


def kind_name(row: Flat) -> str:
    """'random 70/30', 'sequential write', '  its reads'."""
    if row["part"] not in ("both", row["operation"]):
        return f"  its {row['part']}s"
    reads = 100 * float(row["read_share"] or 0)
    mix = f"{reads:.0f}/{100 - reads:.0f}"
    return f"{row['order']} {mix if row['operation'] == 'mix' else row['operation']}"


def grid(rows: list[Flat]) -> Grid:
    """What all share is in the title."""
    shown = [key for key in VARIED if len({row[key] for row in rows}) > 1]
    shared = [VARIED[key](rows[0]) for key in VARIED if key not in shown]
    names = ["job", *(key.partition("_")[0] for key in shown), "operations/s", "GB/s", "mean", "p99", "usr/sys %"]
    lines = [[kind_name(row), *(VARIED[key](row).removeprefix("depth ") for key in shown), *_line(row)] for row in rows]
    title = f"Storage ({', '.join([how(rows), *shared])}; 95 % interval)"
    return title, [(name, name != "job") for name in names], lines


def how(rows: list[Flat]) -> str:
    """'io_uring, direct, ext4 on /dev/vda'."""
    first = rows[0]
    engines = dict.fromkeys(str(row["engine"]) for row in rows)
    place = f"{first['file_system']} on {first['source']}" if first["file_system"] else str(first["source"])
    return f"{', '.join(engines)}, {str(first['access']).replace('buffered', 'BUFFERED')}, {place}"


def _line(row: Flat) -> list[str]:
    shares = "/".join(f"{100 * float(row[key] or 0):.1f}" for key in ("cpu_user", "cpu_system"))
    return [
        flat_with_interval(row, "iops", "iops", show_iops),
        f"{vega.gb(row['bandwidth_bytes_per_s']) or 0:.3f}",
        *(show_seconds(float(row[key] or 0)) if row[key] else cells.NOTHING for key in ("latency_s", "latency_p99_s")),
        shares if row["part"] in ("both", row["operation"]) else "",
    ]


forms.add(of_rows("storage", lambda rows: [grid(rows)]))
