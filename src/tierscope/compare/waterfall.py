"""The points of a comparison as a waterfall: a bar from 1 to the ratio of speeds, the slowest first.

The speed of a time is its inverse, so that the faster side is at the right for bandwidth and latency alike; the word at
the right end of a row is the ratio as the table has it. The band is the region of no interest, 1 - least to 1 + least.
An interval that is wider than the axis is cut at its ends.
Blind to how a verdict was reached: inconclusive points may be anywhere.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from tierscope.draw import theme, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.draw.words import short_word
from tierscope.printable import printable

TITLE = "Speed, after / before"
READING = (
    "Each row is a point, the slowest first. The bar is the ratio of speeds, of times the inverse; the line through it "
    "is the interval, widened for the number of points. Within the band a difference is too small to count."
)
VERDICTS = {"slower": "bad", "faster": "good", "inconclusive": "warn", "no difference shown": "grey"}
SHAPES = {
    "slower": "triangle-left",
    "faster": "triangle-right",
    "inconclusive": "circle",
    "no difference shown": "circle",
}
STEPS = ((40, 20, 11.5), (90, 15, 10.5), (10**9, 12, 9.5))  # rows at most, px of one, px of its letters
ROOM = 1.6  # times the outermost points that the axis reaches for the sake of intervals
NEAR = 0.25  # half of the region of no interest that the axis shows at most, where nothing is farther out
TICKS = 3  # of a logarithmic axis at least: else the library finds closer ones
WIDE = 2.0  # ratio of the ends from which on the axis is logarithmic
SPEEDS = ("s", "B/s", "1/s")  # units that are times or rates; fewer misses are no slower program
LETTERS = 64  # of a row's name
WIDTH = 460  # px of the axis; names and texts are next to it


def waterfall(rows: Sequence[dict[str, Any]], least: float) -> Spec:
    """Return the figure of the ratios.

    rows: `point` as text, `unit` ("s" for times), `ratio`, `ratio_low`, `ratio_high` (NaN: none), `verdict`.
    """
    speeds = [row for row in rows if row["unit"] in SPEEDS]
    points = sorted((_point(row) for row in speeds if row["ratio"] > 0), key=lambda point: float(point["speed"]))
    _tell_apart(points)
    step, letters = next((step, letters) for most, step, letters in STEPS if len(points) <= most)
    ends = _ends(points, least)
    kind = "log" if ends[1] > WIDE * ends[0] else "linear"
    many = len(points) > STEPS[0][0]
    x: Spec = vega.number("speed", TITLE.lower(), kind, scale={"domain": list(ends), "nice": False, "zero": False})
    x["axis"] |= {"grid": True, "tickCount": 6, "format": ".3~f", "orient": "top" if many else "bottom"}
    if kind == "log":
        ticks = vega.decades(*ends)
        x["axis"] |= {"values": ticks} if len(ticks) >= TICKS else {}
    names = [point["name"] for point in points]
    y = vega.field("name", "n", None, sort=names, axis={"labelLimit": 420, "labelFontSize": letters, "ticks": False})
    y["axis"] |= {"grid": False, "labelOverlap": False, "labelPadding": 8}
    body: Spec = {
        "data": {"values": points},
        "layer": [_region(least, ends), vega.rule("x", 1.0, "rule"), *_marks(x, y, letters)],
    }
    counts = len(rows) - len(speeds)
    notes = [vega.missing(len(speeds), len(points)), f"{counts} counts are in the table alone." if counts else ""]
    return vega.finish(TITLE, body, labels=list(VERDICTS), notes=notes, width=WIDTH, height=max(1, len(points)) * step)


def _point(row: dict[str, Any]) -> Point:
    times = row["unit"] == "s"
    middle = row["ratio"]
    low, high = (middle if math.isnan(row[end]) else row[end] for end in ("ratio_low", "ratio_high"))
    speeds = [1 / one if one > 0 else math.inf for one in (high, middle, low)] if times else [low, middle, high]
    return {
        "name": short_word(printable(row["point"]), LETTERS),
        "speed": speeds[1],
        "low": speeds[0],
        "high": speeds[2],
        "verdict": row["verdict"],
        "said": f"{'time' if times else 'rate'} × {middle:.3f}",
    }


def _tell_apart(points: list[Point]) -> None:
    """Add a number to rows of one name: a run may measure a point twice, and long names are cut."""
    turns: Counter[str] = Counter()
    for point in points:
        turns[point["name"]] += 1
        if (turn := turns[point["name"]]) > 1:
            point["name"] += f" ({turn})"


def _ends(points: list[Point], least: float) -> tuple[float, float]:
    """Return the ends of the axis, a little beyond the ratios; intervals end there, as files lack infinity."""
    shown = min(least, NEAR)
    speeds = [1 - shown, 1 + shown, *(float(point["speed"]) for point in points)]
    least_low = min((float(point["low"]) for point in points), default=1.0)
    most_high = max((float(point["high"]) for point in points), default=1.0)
    low = min(*speeds, max(least_low, min(speeds) / ROOM))
    high = max(*speeds, min(most_high, max(speeds) * ROOM))
    edge = (high / low) ** 0.03
    for point in points:
        point["low"], point["high"] = max(low / edge, point["low"]), min(high * edge, point["high"])
    return low / edge, high * edge


def _region(least: float, ends: tuple[float, float]) -> Spec:
    return {
        "data": {"values": [{"from": max(ends[0], 1 - least), "to": min(ends[1], 1 + least)}]},
        "mark": {"type": "rect", "color": theme.colour("line"), "opacity": 0.75},
        "encoding": {"x": vega.field("from", "q"), "x2": {"field": "to"}},
    }


def _marks(x: Spec, y: Spec, letters: float) -> list[Spec]:
    words = list(VERDICTS)
    scale = {"domain": words, "range": [theme.colour(role) for role in VERDICTS.values()]}
    hue = vega.field("verdict", "n", None, sort=words, scale=scale)
    shape = vega.field("verdict", "n", None, sort=words, scale={"domain": words, "range": list(SHAPES.values())})
    base = {"x": x, "y": y, "color": hue}
    bar = {"mark": {"type": "bar", "opacity": 0.28, "height": {"band": 0.62}}, "encoding": {**base, "x2": {"datum": 1}}}
    interval = {
        "mark": {"type": "rule", "strokeWidth": 2.2},
        "encoding": {"x": vega.field("low", "q"), "x2": {"field": "high"}, "y": y, "color": hue},
    }
    dots = {"mark": {"type": "point", "size": letters * 5.5}, "encoding": {**base, "shape": shape}}
    said = {
        "mark": {"type": "text", "align": "left", "fontSize": letters},
        "encoding": {"x": {"value": WIDTH + 10}, "y": y, "text": {"field": "said"}, "color": hue},
    }
    return [bar, interval, dots, vega.hollow(x, y, [], round(letters)), said]
