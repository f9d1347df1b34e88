"""Groups in a terminal."""

from tierscope.draw.forms import forms, of_rows, rate, wait
from tierscope.draw.grid import Grid
from tierscope.draw.words import threads_name
from tierscope.suites.groups.row import GroupsRow

NAMES = ("group", "label", "role", "kernel", "team", "target", "bandwidth, GB/s", "latency, ns")


def groups(rows: list[GroupsRow]) -> Grid:
    """Return one line per group: its bandwidth or its latency."""
    return "Groups (95 % interval)", [(name, ", " in name) for name in NAMES], [_line(row) for row in rows]


def _line(row: GroupsRow) -> list[str]:
    measured = ["", wait(row, row.latency)] if row.latency else [rate(row, row.bandwidth), ""]
    name = f"#{row.experiment}.{row.group}"
    return [name, row.label, row.role, row.kernel, threads_name(row.threads), row.target, *measured]


forms.add(of_rows("groups", lambda rows: [groups(rows)]))
