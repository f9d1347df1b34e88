"""Objects and their placement in a terminal: what waits for a tier, and the time over the size of the memory here."""

from itertools import pairwise

from rich.console import Console
from rich.text import Text

from tierscope.draw import cells, forms
from tierscope.draw.braille import Axis, Curve
from tierscope.draw.forms import Form, Parts, Shown
from tierscope.draw.grid import Grid
from tierscope.stats.median import Interval
from tierscope.suites.prediction.row_placed import GROWING, ObjectRow, SetRow
from tierscope.units import MiB, show_bytes, show_seconds

MOST = 12  # objects of a tier


def objects(rows: list[ObjectRow]) -> list[Grid]:
    """Return a grid for each tier."""
    heads = [("added time", True), ("", True), ("size", True), ("allocations", True), ("moved", True), ("", True),
             ("object", False)]  # fmt: skip
    grids = []
    for tier in dict.fromkeys(row.tier for row in rows):
        of_tier = [row for row in rows if row.tier == tier]
        lines = [
            [
                f"{100 * row.added_share:.1f} %",
                cells.NOTHING if row.seconds_added is None else show_seconds(row.seconds_added),
                "" if row.size is None else show_bytes(row.size),
                "" if row.allocations is None else f"{row.allocations:,}",
                show_bytes(row.moved_bytes),
                "" if row.moved_share is None else f"{100 * row.moved_share:.0f} %",
                row.object,
            ]
            for row in of_tier[:MOST]
        ]
        grids.append((f"Objects that wait for {tier}{_more(len(of_tier))}", heads, lines))
    return grids


def _more(count: int) -> str:
    return f" ({MOST} of {count}; the page has all)" if count > MOST else ""


def sets(rows: list[SetRow]) -> list[Grid]:
    """Return a grid for each tier: growing sets, then the best ones."""
    heads = [("memory here", True), ("set", False), ("objects", True), ("added time saved", True), ("slowdown", True),
             ("time", True)]  # fmt: skip
    grids = []
    for tier in dict.fromkeys(row.tier for row in rows):
        lines = [
            [
                show_bytes(row.memory_bytes),
                row.set,
                f"{row.objects} of {row.of_objects}",
                f"{100 * row.saved:.1f} %",
                _between(row.slowdown),
                show_seconds(row.seconds.middle) if row.seconds else cells.NOTHING,
            ]
            for row in rows
            if row.tier == tier
        ]
        grids.append((f"Time on {tier} over the size of the memory here", heads, lines))
    return grids


def _between(one: Interval | None) -> str:
    return f"{one.middle:.2f} ({one.low:.2f} to {one.high:.2f})" if one else "not known"


def _placement(shown: Shown, console: Console) -> Parts:
    parts = forms.stacked(sets(shown.typed))
    for tier in dict.fromkeys(row.tier for row in shown.typed):
        growing = [row for row in shown.typed if row.tier == tier and row.set == GROWING and row.slowdown]
        if len(growing) > 1:
            parts += [Text(), Text(tier, style="bold"), *_curve(growing, console)]
    return parts


def _curve(rows: list[SetRow], console: Console) -> Parts:
    """Return the time in steps, with its bounds."""
    steps = [(row.memory_bytes, row.slowdown) for row in rows[:1]]
    for before, row in pairwise(rows):
        steps += [(row.memory_bytes, before.slowdown), (row.memory_bytes, row.slowdown)]
    sizes = [size / MiB for size, _ in steps]
    ends = (("time", "middle"), ("low", "low"), ("high", "high"))
    curves = [Curve(label, sizes, [getattr(one, end) for _, one in steps]) for label, end in ends]
    return forms.plot(console, curves, Axis("memory here, MiB"), Axis("times the time here"))


forms.forms.add(forms.of_rows("prediction_objects", objects))
forms.forms.add(Form("prediction_placement", _placement))
