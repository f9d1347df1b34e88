"""A run beside a published table, in the terminal and as a figure: both are drawn."""

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tierscope.reference import Reference
from tierscope.report import braille, theme, vega
from tierscope.report.beside import axis, label, sentence
from tierscope.report.braille import Axis, Curve
from tierscope.report.theme import Spec
from tierscope.report.words import printable
from tierscope.units import show_rate, show_seconds

LINES = 40  # of the table in the terminal; --json has all
SERIES = 3  # drawn in the terminal, twice as many curves
SIDES = ("ours", "published")
UNITS = {"B/s": ("GB/s", 1e-9), "s": ("ns", 1e9)}


def show(rows: list[dict[str, Any]], published: Reference, console: Console) -> None:
    """Points, both curves, the verdict, and what is known to be wrong with the table."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name, right in (("point", False), ("ours", True), ("published", True), ("ratio", True), ("", False)):
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    for row in rows[:LINES]:
        said = show_rate if row["unit"] == "B/s" else show_seconds
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}"
        ours = said(row["ours"]) + ("" if row["conclusive"] else " ?")
        table.add_row(Text(printable(label(row))), ours, said(row["published"]), ratio, row["verdict"])
    console.print(table)
    if len(rows) > LINES:
        console.print(Text(f"... {len(rows) - LINES} more points, all with --json", style="dim"))
    if not all(row["conclusive"] for row in rows):
        console.print(Text("? this measurement was inconclusive itself", style="dim"))
    if text := _plot(rows, console):
        console.print(Text(), Text.from_ansi(text), sep="\n")
    console.print(Text(f"\n{sentence(rows, published)}", style="bold"))
    for fault in published.faults:
        console.print(Text(f" - of the table: {fault}"))


def _plot(rows: list[dict[str, Any]], console: Console) -> str:
    over = axis(rows)
    if not over or not console.encoding.lower().startswith("utf"):
        return ""
    unit, scale = UNITS[rows[0]["unit"]]
    curves = [
        Curve(f"{name}, {side}", [float(row["keys"][over]) for row in series], [row[side] * scale for row in series])
        for name, series in list(_series(rows, over).items())[:SERIES]
        for side in SIDES
    ]
    places = [x for curve in curves for x in curve.x]
    return braille.plot(
        curves, Axis(over, log=max(places) > 100 * min(places) > 0), Axis(unit), width=min(console.width, 100) - 1
    )


def _series(rows: list[dict[str, Any]], over: str) -> dict[str, list[dict[str, Any]]]:
    """By label, each in the order of `over`; of the unit of the first row."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in sorted((row for row in rows if row["unit"] == rows[0]["unit"]), key=lambda r: float(r["keys"][over])):
        found.setdefault(label(row, over), []).append(row)
    return found


def figure(rows: list[dict[str, Any]], published: Reference, origin: str) -> Spec | None:
    """One chart for each series, ours and the published curve in it; None where no key has two numbers."""
    over = axis(rows)
    if not over:
        return None
    unit, scale = UNITS[rows[0]["unit"]]
    points = [
        {"series": name, "x": float(row["keys"][over]), "y": row[side] * scale, "whose": side}
        for name, series in _series(rows, over).items()
        for row in series
        for side in SIDES
    ]
    places = [point["x"] for point in points]
    kind = "log" if max(places) > 100 * min(places) > 0 else "linear"
    hue = vega.field(
        "whose", "n", None, sort=list(SIDES), scale={"domain": list(SIDES), "range": theme.hues(len(SIDES))}
    )
    marks = {
        "mark": {"type": "line", "point": True},
        "encoding": {"x": vega.number("x", over.replace("_", " "), kind), "y": vega.number("y", unit), "color": hue},
        "width": 330,
        "height": 240,
    }
    body: Spec = {"data": {"values": points}, "facet": vega.field("series", "n", None), "columns": 2, "spec": marks}
    axes = {"x": kind, "y": "linear"}
    title = vega.origin_title(f"Beside {published.name}", origin)
    return vega.finish(title, body, labels=list(SIDES), axes=axes, notes=[], height=280)
