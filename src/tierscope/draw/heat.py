"""Heat maps: cells of one hue, whose opacity is the value from zero on, so that both themes keep their ground.

A page gives colours to roles by CSS, and CSS variables cannot be interpolated by Vega; opacity can.
"""

import math
from dataclasses import dataclass
from typing import Any

from tierscope.draw import theme, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point

PALEST = 0.06  # of a value of zero: still distinct from an absent cell
HUE = "blue"  # the one series colour on which words can be read at every shade, in both themes, at 3.4:1 or better
DARK = 0.74  # of the highest: from here on words are the colour of the ground, below it that of ink
LARGEST_CELL = 92  # px
SIDE = 640  # px of a map with many cells: labels are next to it, on a page of 760


@dataclass(frozen=True, slots=True)
class Axes:
    """The fields of both axes and the order of their values, the same as in the data."""

    x: str
    y: str
    columns: list[Any]
    rows: list[Any]
    x_title: str
    y_title: str
    side: int = SIDE

    @property
    def cell(self) -> float:
        """px of one square cell; whole ones, or seams would show between thousands of cells."""
        fits = self.side / max(len(self.columns), len(self.rows), 1)
        return min(LARGEST_CELL, math.floor(fits) if fits >= 1 else fits)

    def encode(self, *, turned: bool = False) -> Spec:
        """Return both positions; `turned` puts each field on the other axis, for the second half of a symmetric map."""
        x, y = (self.y, self.x) if turned else (self.x, self.y)
        small = {"labelAngle": 0, "labelOverlap": "parity" if self.cell < 24 else False, "grid": False}
        gap = {"padding": 0.04 if self.cell >= 12 else 0}
        across = {"scale": {"domain": self.columns, **gap}, "axis": {**small, "orient": "bottom", "ticks": False}}
        down = {"scale": {"domain": self.rows, **gap}, "axis": small}
        return {"x": vega.field(x, "o", self.x_title, **across), "y": vega.field(y, "o", self.y_title, **down)}


def cells(axes: Axes, value: str, top: float, legend: str, tooltip: list[Spec], **how: bool) -> Spec:
    """Return the layer of squares; what has no value is not drawn.

    top: the value that is drawn full, as are higher ones.
    """
    shade = vega.field(
        value, "q", legend, scale={"domain": [0, top], "range": [PALEST, 1], "clamp": True, "zero": True},
        legend={"symbolType": "square", "symbolSize": 160, "tickCount": 4, "symbolFillColor": theme.colour(HUE),
                "symbolStrokeWidth": 0},
    )  # fmt: skip
    return {
        "mark": {"type": "rect", "color": theme.colour(HUE)},
        "encoding": {**axes.encode(**how), "opacity": shade, "tooltip": tooltip},
    }


def words(axes: Axes, text: str, value: str, top: float, *, dy: float = 0, size: float = 11.5, **how: bool) -> Spec:
    """Draw `text` within each cell, in ink or in ground, depending on which can be read on it."""
    dark = {"test": f"datum['{value}'] > {DARK * top}", "value": theme.colour("ground")}
    return {
        "mark": {"type": "text", "fontSize": size, "dy": dy, "baseline": "middle"},
        "encoding": {
            **axes.encode(**how),
            "text": vega.field(text, "n"),
            "color": {"condition": dark, "value": theme.colour("ink")},
        },
    }


def borders(axes: Axes, firsts: list[Any], width: float) -> list[Spec]:
    """Return rules across the whole map before each of these values, on both axes."""
    if not firsts:
        return []
    mark = {"type": "rule", "color": theme.colour("ink"), "strokeWidth": width}
    data = {"values": [{axes.x: first, axes.y: first} for first in firsts]}
    encode = axes.encode()
    return [
        {"data": data, "mark": mark, "encoding": {axis: {**encode[axis], "bandPosition": 0}}} for axis in ("x", "y")
    ]


def heads(axes: Axes, names: list[tuple[Any, str]]) -> list[Spec]:
    """Return names above the first column of each part of the map."""
    if not names:
        return []
    points: list[Point] = [{axes.x: first, "head": name} for first, name in names]
    mark = {"type": "text", "align": "left", "baseline": "bottom", "dy": -5, "fontSize": 11, "clip": False}
    place = {"x": {**axes.encode()["x"], "bandPosition": 0}, "y": {"value": 0}}
    return [{"data": {"values": points}, "mark": mark, "encoding": {**place, "text": vega.field("head", "n")}}]


def chart(axes: Axes, points: list[Point], layers: list[Spec], title: str = "") -> Spec:
    """Return one map with square cells."""
    size = {"width": round(axes.cell * len(axes.columns)), "height": round(axes.cell * len(axes.rows))}
    return {**({"title": title} if title else {}), "data": {"values": points}, "layer": layers, **size}
