"""Groups in a terminal."""

from rich.console import Console

from tierscope.draw.forms import (
    Form,
    Parts,
    Shown,
    flat_number,
    flat_rate,
    flat_wait,
    forms,
    titled,
)
from tierscope.draw.words import threads_name


def _groups(section: Shown, console: Console) -> Parts:
    """One line per group: a bandwidth or a latency, whichever it measures."""
    del console
    rows = [
        [
            f"#{row['experiment']}.{row['group']}", str(row["role"] or ""), str(row["kernel"]),
            threads_name(int(flat_number(row["threads"]))), str(row["target"]),
            flat_rate(row) if row["latency_s"] is None else "", flat_wait(row) if row["latency_s"] else "",
        ]
        for row in section.rows
    ]  # fmt: skip
    names = ("group", "role", "kernel", "team", "target", "bandwidth, GB/s", "latency, ns")
    return titled("Groups (95 % interval)", [(name, ", " in name) for name in names], rows)


forms.add(Form("groups", _groups))
