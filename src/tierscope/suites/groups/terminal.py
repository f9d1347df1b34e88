"""Groups in a terminal."""

from rich.console import Console

from tierscope.draw.forms import (
    Form,
    Parts,
    Shown,
    forms,
    number,
    rate,
    titled,
    wait,
)
from tierscope.draw.words import threads_name


def _groups(section: Shown, console: Console) -> Parts:
    """One line per group: a bandwidth or a latency, whichever it measures."""
    del console
    rows = [
        [
            f"#{row['experiment']}.{row['group']}", str(row["role"] or ""), str(row["kernel"]),
            threads_name(int(number(row["threads"]))), str(row["target"]),
            rate(row) if row["latency_s"] is None else "", wait(row) if row["latency_s"] else "",
        ]
        for row in section.rows
    ]  # fmt: skip
    names = ("group", "role", "kernel", "team", "target", "bandwidth, GB/s", "latency, ns")
    return titled("Groups (95 % interval)", [(name, ", " in name) for name in names], rows)


forms.add(Form("groups", _groups))
