"""A run compared with a published table, in the terminal and as a figure."""

import math
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tierscope.compare.beside import axis, label, sentence
from tierscope.draw import braille, theme, vega
from tierscope.draw.braille import Axis, Curve
from tierscope.draw.cells import NOTHING
from tierscope.draw.theme import Spec
from tierscope.printable import printable
from tierscope.reference import Reference
from tierscope.tables import Column, tables
from tierscope.units import drawn_unit, show_bytes, show_value

TICKS = 8  # words on an axis of sizes
LINES = 40  # of the table in the terminal; --json has all
SERIES = 3  # drawn in the terminal, twice as many curves
SIDES = ("ours", "published")


def show(rows: list[dict[str, Any]], published: Reference, console: Console) -> None:
    """Print points, both curves, the verdict, and what is known to be wrong with the table."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name, right in (("point", False), ("ours", True), ("published", True), ("ratio", True), ("", False)):
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    for row in rows[:LINES]:
        ratio = NOTHING if row["ratio"] is None else f"{row['ratio']:.2f}"
        ours = show_value(row["ours"], row["unit"]) + ("" if row["conclusive"] else " ?")
        table.add_row(
            Text(printable(label(row))), ours, show_value(row["published"], row["unit"]), ratio, row["verdict"]
        )
    console.print(table)
    if len(rows) > LINES:
        console.print(Text(f"... {len(rows) - LINES} more points, all with --json", style="dim"))
    if not all(row["conclusive"] for row in rows):
        console.print(Text("? this measurement was inconclusive itself", style="dim"))
    if text := _plot(rows, console):
        console.print(Text(), Text.from_ansi(text), sep="\n")
    console.print(Text(f"\n{sentence(rows, published)}", style="bold"))
    for fault in published.faults:
        console.print(Text(printable(f" - about the published table: {fault}")))


def _plot(rows: list[dict[str, Any]], console: Console) -> str:
    over = axis(rows)
    if not over or not console.encoding.lower().startswith("utf"):
        return ""
    unit, scale = drawn_unit(rows[0]["unit"])
    curves = [
        Curve(f"{name}, {side}", [float(row["keys"][over]) for row in series], [row[side] * scale for row in series])
        for name, series in list(_series(rows, over).items())[:SERIES]
        for side in SIDES
    ]
    return braille.plot(
        curves, _across(rows, over, [x for curve in curves for x in curve.x]), Axis(unit),
        width=min(console.width, 100) - 1,
    )  # fmt: skip


def _column(rows: list[dict[str, Any]], key: str) -> Column:
    """Return the column of a Tierscope table that a key belongs to."""
    table = next(row["table"] for row in rows if key in row["keys"])
    return next(column for column in tables[table].columns if column.name == key)


def _across(rows: list[dict[str, Any]], over: str, places: list[float]) -> Axis:
    """Return an axis with sizes at powers of two, few enough that their labels do not touch."""
    column, wide = _column(rows, over), max(places) > 100 * min(places) > 0
    if column.unit != "B":
        return Axis(column.title, log=wide)
    powers = [2**power for power in range(64) if min(places) <= 2**power <= max(places)]
    step = math.ceil(len(powers) / TICKS)
    ticks = {float(size): show_bytes(size).replace(" ", "") for size in powers[::step]}
    return Axis(column.title, log=min(places) > 0, ticks=ticks or None)


def _series(rows: list[dict[str, Any]], over: str) -> dict[str, list[dict[str, Any]]]:
    """Return rows by label, each in the order of `over`, if any; of the unit of the first row."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in sorted(
        (row for row in rows if row["unit"] == rows[0]["unit"]), key=lambda r: float(r["keys"].get(over, 0))
    ):
        found.setdefault(label(row, over), []).append(row)
    return found


def figure(rows: list[dict[str, Any]], published: Reference, origin: str) -> Spec:
    """Return one chart for each series, ours and the published curve in it; dots where no key has two numbers."""
    over = axis(rows)
    unit, scale = drawn_unit(rows[0]["unit"])
    points = [
        {"series": name, "x": float(row["keys"][over]) if over else 0.0, "y": row[side] * scale, "whose": side}
        for name, series in _series(rows, over).items()
        for row in series
        for side in SIDES
    ]
    colours = {"domain": list(SIDES), "range": theme.hues(len(SIDES))}
    hue = vega.field("whose", "n", None, sort=list(SIDES), scale=colours)
    title = vega.origin_title(f"Compared with {published.name}", origin)
    if not over:
        return _dots(title, points, vega.number("y", unit), hue)
    x, kind = _size_or_number(_column(rows, over), [point["x"] for point in points])
    marks = {
        "mark": {"type": "line", "point": True},
        "encoding": {"x": x, "y": vega.number("y", unit), "color": hue},
        "width": 330,
        "height": 240,
    }
    body: Spec = {"data": {"values": points}, "facet": vega.field("series", "n", None), "columns": 2, "spec": marks}
    return vega.finish(title, body, labels=list(SIDES), axes={"x": kind, "y": "linear"}, notes=[], height=280)


def _size_or_number(column: Column, places: list[float]) -> tuple[Spec, str]:
    """Return the axis of a column, and its kind."""
    size = column.unit == "B" and min(places) > 0
    kind = "log" if size or max(places) > 100 * min(places) > 0 else "linear"
    more: Spec = {"scale": {"base": 2}, "axis": {"labelExpr": vega.SIZE_LABEL}} if size else {}
    return vega.number("x", column.title, kind, **more), kind


def _dots(title: str, points: list[dict[str, Any]], number: Spec, hue: Spec) -> Spec:
    """Return a line for each series, whose name is at the left."""
    names = list(dict.fromkeys(point["series"] for point in points))
    side = vega.field("series", "n", None, sort=names, axis={"labelLimit": 400})
    body: Spec = {
        "data": {"values": points},
        "mark": {"type": "point", "filled": True, "size": 90},
        "encoding": {"x": number, "y": side, "yOffset": {"field": "whose", "sort": list(SIDES)}, "color": hue},
    }
    return vega.finish(title, body, labels=list(SIDES), axes={"x": "linear"}, notes=[], height=40 + 40 * len(names))
