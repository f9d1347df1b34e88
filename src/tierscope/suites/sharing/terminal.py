"""The moments of each pair in a terminal."""

from tierscope.draw import vega
from tierscope.draw.forms import forms, of_rows
from tierscope.draw.grid import Grid, doubted
from tierscope.suites.sharing.row import SharingRow


def sharing(rows: list[SharingRow]) -> list[Grid]:
    """Return one line for each pair and moment."""
    heads = [
        ("CPUs", False),
        ("at, UTC", False),
        ("core", False),
        ("slowdown", True),
        ("memory", False),
        ("gain", True),
    ]
    lines = [
        [
            f"{row.a_cpu}, {row.b_cpu}",
            row.at[11:19],
            row.core,
            doubted(row, row.slowdown, vega.digits),
            row.path,
            doubted(row, row.gain, vega.digits),
        ]
        for row in rows
    ]
    return [("Shared cores and memory: two CPUs together over one alone", heads, lines)]


forms.add(of_rows("sharing", sharing))
