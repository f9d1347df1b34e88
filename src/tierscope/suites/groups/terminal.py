"""Groups in a terminal."""

from tierscope.draw import cells
from tierscope.draw.forms import forms, of_rows, rate, wait
from tierscope.draw.grid import Grid
from tierscope.draw.words import threads_name
from tierscope.suites.groups.row import GroupsRow

NAMES = (
    "group", "label", "role", "kernel", "team", "target", "bandwidth, GB/s", "latency, ns", "of the source, GB/s",
)  # fmt: skip


def groups(rows: list[GroupsRow]) -> Grid:
    """Return one line per group: its bandwidth or its latency, of a chain both; no column that is empty in all."""
    lines = [_line(row) for row in rows]
    shown = [place for place in range(len(NAMES)) if not lines or any(line[place] != cells.NOTHING for line in lines)]
    heads = [(NAMES[place], ", " in NAMES[place]) for place in shown]
    return "Groups (95 % interval)", heads, [[line[place] for place in shown] for line in lines]


def _line(row: GroupsRow) -> list[str]:
    speed = cells.NOTHING if row.latency and not row.chain else rate(row, row.bandwidth)
    waited = wait(row, row.latency) if row.latency else cells.NOTHING
    source = rate(row, row.source_bandwidth) if row.source_bandwidth else cells.NOTHING
    name, kernel = f"#{row.experiment}.{row.group}", f"chain: {row.chain}" if row.chain else row.kernel
    target = f"{row.target}, b on {row.source}" if row.chain and row.source else row.target
    words = (row.label or cells.NOTHING, row.role or cells.NOTHING)
    return [name, *words, kernel, threads_name(row.threads), target, speed, waited, source]


forms.add(of_rows("groups", lambda rows: [groups(rows)]))
