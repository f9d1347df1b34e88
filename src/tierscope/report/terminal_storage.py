"""Storage in a terminal: a line for each job, as in the table of document 003."""

from collections.abc import Callable

from tierscope.report import cells, vega
from tierscope.report.terminal_nodes import Grid
from tierscope.tables import Row
from tierscope.tables.storage_words import show_iops
from tierscope.units import show_seconds, show_size

Cell = Callable[[Row | None, str, str, Callable[[float], str]], str]  # row, key, stem, text


def kind_name(row: Row) -> str:
    """'random 70 % reads', 'sequential write', '  of it reads'."""
    if row["part"] not in ("both", row["operation"]):
        return f"  its {row['part']}s"
    mix = f"{100 * float(row['read_share'] or 0):.0f} % reads"
    return f"{row['order']} {mix if row['operation'] == 'mix' else row['operation']}"


def grid(rows: list[Row], with_interval: Cell) -> Grid:
    """with_interval: '3.62 ±0.4%' of a key whose bounds are stem_low and stem_high."""
    heads = [("job", False), *((name, True) for name in
             ("block", "depth", "operations/s", "GB/s", "mean", "p99", "CPU usr/sys"))]  # fmt: skip
    return f"Storage ({how(rows)}; 95 % interval)", heads, [_line(row, with_interval) for row in rows]


def how(rows: list[Row]) -> str:
    """'io_uring, direct, ext4 on /dev/vda'."""
    first = rows[0]
    engines = dict.fromkeys(str(row["engine"]) for row in rows)
    place = f"{first['file_system']} on {first['source']}" if first["file_system"] else str(first["source"])
    return f"{', '.join(engines)}, {'direct' if first['direct'] else 'BUFFERED'}, {place}"


def _line(row: Row, with_interval: Cell) -> list[str]:
    waits = [
        show_seconds(float(row[key] or 0)) if row[key] else cells.NOTHING for key in ("latency_s", "latency_p99_s")
    ]
    shares = [f"{100 * float(row[key] or 0):.1f}" for key in ("cpu_user", "cpu_system")]
    return [
        kind_name(row),
        show_size(int(row["block_bytes"] or 0)),
        str(row["depth"]),
        with_interval(row, "iops", "iops", show_iops),
        f"{vega.gb(row['bandwidth_bytes_per_s']) or 0:.3g}",
        *waits,
        f"{' / '.join(shares)} %" if row["part"] in ("both", row["operation"]) else "",
    ]
