"""Slowdown as contours over latency and bandwidth, with each tier as a point that has its bounds."""

import math

import numpy as np

from tierscope.draw import figures, theme, vega
from tierscope.draw.contours import contour
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.prediction.row import CellRow, PredictionRow
from tierscope.suites.prediction.table import Prediction
from tierscope.tables import Insight

LEVELS = (1.02, 1.05, 1.1, 1.2, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 20.0)
MOST = 8  # lines
DIGITS = 4
TIPS = vega.tips(
    ("tier", "tier"), ("ratio", "slowdown"), ("low", "from"), ("high", "to"), ("latency", "latency over that here"),
    ("bandwidth", "bandwidth over that here"),
)  # fmt: skip
CELL_TIPS = vega.tips(
    ("ratio", "slowdown"), ("latency", "latency over that here"), ("bandwidth", "bandwidth over that here")
)


class Contours:
    """Latency grows to the right, bandwidth upwards: the slowest memory is at the bottom right."""

    name = "prediction"
    title = "Slowdown over latency and bandwidth"
    table = "prediction_grid"
    reading = (
        "Each line connects memories on which the program is slower by the same factor, which is written at its end. "
        "Vertical lines mean that latency decides; horizontal lines mean that bandwidth decides. The cross is the "
        "memory here. Diamonds are the tiers that were asked for, with the slowdown and its bounds. Small dots are "
        "the memories that were simulated; between them the lines are straight."
    )

    def draw(self, run: Run, rows: list[CellRow], insights: list[Insight]) -> Spec | None:
        """Return the figure; None without a whole grid."""
        del insights
        tiers = Prediction().rows(run)
        lines = pieces(rows)
        if lines is None:
            return None
        points = [_point(row) for row in tiers if row.latency_over and row.bandwidth_over and row.slowdown]
        cells = [{"latency": row.latency_over, "bandwidth": row.bandwidth_over,
                  "ratio": vega.digits(row.slowdown, DIGITS)} for row in rows]  # fmt: skip
        body: Spec = {"layer": _layers(lines, labels(lines), cells, points)}
        title = vega.origin_title(self.title, run.result.origin)
        return vega.finish(title, body, axes={"x": "log", "y": "log"}, notes=_notes(tiers), height=440)


def levels(low: float, high: float) -> list[float]:
    """Return at most MOST levels between two values, evenly chosen."""
    inside = [level for level in LEVELS if low < level < high]
    step = max(1, math.ceil(len(inside) / MOST))
    return inside[::-1][::step][::-1]


def pieces(rows: list[CellRow]) -> list[Point] | None:
    """Return the pieces of all lines; None if the rows are not a whole grid."""
    x, y = (np.array(sorted({getattr(row, name) for row in rows})) for name in ("latency_over", "bandwidth_over"))
    if x.size < 2 or y.size < 2 or len(rows) != x.size * y.size:
        return None
    known = {(row.latency_over, row.bandwidth_over): row.slowdown for row in rows}
    values = np.array([[known.get((float(a), float(b)), math.nan) for a in x] for b in y])
    if not np.isfinite(values).all():
        return None
    return [
        {"level": f"{level:g}x", **dict(zip(("x", "y", "x2", "y2"), (_digits(one) for one in ends), strict=True))}
        for level in levels(float(values.min()), float(values.max()))
        for ends in contour(np.log(x), np.log(y), values, level)
    ]


def _digits(logarithm: float) -> float:
    return float(f"{math.exp(logarithm):.5g}")


def labels(lines: list[Point]) -> list[Point]:
    """Return for each line where its name is written: at its end that is farthest up, and of these to the right."""
    best: dict[str, Point] = {}
    for one in lines:
        for x, y in ((one["x"], one["y"]), (one["x2"], one["y2"])):
            known = best.get(one["level"])
            if known is None or (y, x) > (known["y"], known["x"]):
                best[one["level"]] = {"level": one["level"], "x": x, "y": y}
    return list(best.values())


def _point(row: PredictionRow) -> Point:
    bar = vega.bar("ratio", row.slowdown, lambda value: vega.digits(value, DIGITS))
    text = f"{row.tier}: {bar['ratio']:.2f}x ({bar['low']:.2f} to {bar['high']:.2f})"
    return {"tier": row.tier, "latency": row.latency_over, "bandwidth": row.bandwidth_over, "text": text, **bar}


def _notes(tiers: list[PredictionRow]) -> list[str]:
    absent = [row for row in tiers if not (row.latency_over and row.bandwidth_over) and row.slowdown]
    unknown = [row.tier for row in tiers if not row.slowdown]
    notes = [
        f"{row.tier}: {row.slowdown.middle:.2f}x ({row.slowdown.low:.2f} to {row.slowdown.high:.2f}), without a place: "
        "its latency or bandwidth is not stated as one number."
        for row in absent
        if row.slowdown
    ]
    return [*notes, *([f"Not known: {', '.join(unknown)}; see the table for why."] if unknown else [])]


def _layers(lines: list[Point], names: list[Point], cells: list[Point], points: list[Point]) -> list[Spec]:
    axis = {"format": ".3~g"}
    x = vega.number("latency", "latency over that here", "log", across=True, scale={"nice": False}, axis=axis)
    y = vega.number("bandwidth", "bandwidth over that here", "log", scale={"nice": False}, axis=axis)
    at_x, at_y = vega.field("x", "q"), vega.field("y", "q")
    ink, hue = theme.colour("ink"), theme.colour("blue")
    dots = {
        "data": {"values": cells},
        "params": [vega.zoom()],
        "mark": {"type": "point", "clip": True, "filled": True, "size": 9, "color": ink, "opacity": 0.35},
        "encoding": {"x": x, "y": y, "tooltip": CELL_TIPS},
    }
    contours = {
        "data": {"values": lines},
        "mark": {"type": "rule", "clip": True, "strokeWidth": 1.6, "color": hue, "strokeCap": "round"},
        "encoding": {"x": at_x, "y": at_y, "x2": {"field": "x2"}, "y2": {"field": "y2"}},
    }
    written = {
        "data": {"values": names},
        "mark": {"type": "text", "dy": -7, "fontSize": 11, "color": hue},
        "encoding": {"x": at_x, "y": at_y, "text": vega.field("level", "n")},
    }
    here = {
        "data": {"values": [{"latency": 1.0, "bandwidth": 1.0}]},
        "mark": {"type": "point", "shape": "cross", "filled": True, "size": 90, "color": ink},
        "encoding": {"x": x, "y": y},
    }
    tiers = {
        "data": {"values": points},
        "mark": {"type": "point", "shape": "diamond", "filled": True, "size": 110, "color": theme.colour("good")},
        "encoding": {"x": x, "y": y, "tooltip": TIPS},
    }
    named = {
        "data": {"values": points},
        "mark": {"type": "text", "dy": 15, "fontSize": 11.5, "color": ink},
        "encoding": {"x": x, "y": y, "text": vega.field("text", "n")},
    }
    return [dots, contours, written, here, *([tiers, named] if points else [])]


figures.add(Contours())
