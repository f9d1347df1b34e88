"""Storage in a terminal: a line for each job, as in the table of document 003."""

from collections.abc import Callable
from typing import NamedTuple

from tierscope.draw import cells, vega
from tierscope.draw.forms import forms, of_rows, with_interval
from tierscope.draw.grid import Grid
from tierscope.suites.storage.findings import show_iops
from tierscope.suites.storage.row import StorageRow
from tierscope.units import show_seconds, show_size


class Varied(NamedTuple):
    """A column that is in the title, behind `word`, where all rows have the same."""

    head: str
    of: Callable[[StorageRow], int]
    show: Callable[[int], str]
    word: str


VARIED = (
    Varied("block", lambda row: row.block_bytes, show_size, ""),
    Varied("depth", lambda row: row.depth, str, "depth "),
)


def kind_name(row: StorageRow) -> str:
    """Return 'random 70/30', 'sequential write', '  its reads'."""
    if not row.whole:
        return f"  its {row.part}s"
    reads = 100 * row.read_share
    return f"{row.order} {f'{reads:.0f}/{100 - reads:.0f}' if row.operation == 'mix' else row.operation}"


def grid(rows: list[StorageRow]) -> Grid:
    """Return the grid; what all rows share is in its title."""
    shown = [one for one in VARIED if len(set(map(one.of, rows))) > 1]
    shared = [one.word + one.show(one.of(rows[0])) for one in VARIED if one not in shown]
    names = ["job", *(one.head for one in shown), "operations/s", "GB/s", "mean", "p99", "usr/sys %"]
    lines = [[kind_name(row), *(one.show(one.of(row)) for one in shown), *_line(row)] for row in rows]
    title = f"Storage ({', '.join([how(rows), *shared])}; 95 % interval)"
    return title, [(name, name != "job") for name in names], lines


def how(rows: list[StorageRow]) -> str:
    """Return 'io_uring, direct, ext4 on /dev/vda'."""
    first = rows[0]
    engines = dict.fromkeys(row.engine for row in rows)
    place = f"{first.file_system} on {first.source}" if first.file_system else first.source
    return f"{', '.join(engines)}, {first.access.replace('buffered', 'BUFFERED')}, {place}"


def _line(row: StorageRow) -> list[str]:
    return [
        with_interval(row, row.iops, show_iops),
        f"{vega.gb(row.bandwidth.middle) or 0:.3f}",
        *(show_seconds(time) if time else cells.NOTHING for time in (row.latency.middle, row.latency_p99_s)),
        f"{100 * row.cpu_user:.1f}/{100 * row.cpu_system:.1f}" if row.whole else cells.NOTHING,
    ]


forms.add(of_rows("storage", lambda rows: [grid(rows)]))
