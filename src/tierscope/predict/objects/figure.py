"""The time of a program over the size of the memory here: a curve for each tier, within its bounds.

The time steps down where the next object fits. Rings are the best sets for sizes that were asked for.
"""

from collections.abc import Sequence

from tierscope.draw import theme, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point as Datum
from tierscope.predict.objects.placed import Placed, Point
from tierscope.printable import printable
from tierscope.units import MiB, show_bytes

TITLE = "Time over the size of the memory here"
READING = (
    "Objects of the program are in the memory here, those that save most per byte first, and all else is on the tier. "
    "The band is within the bounds. Rings are the best sets for the sizes of --fast."
)
HEADS = ("tier", "memory here", "objects", "added time saved", "time", "from", "to")
HEIGHT = 320  # px
TIPS = vega.tips(("tier", "tier"), ("size", "memory here"), ("count", "objects"), ("ratio", "times the time here"),
                 ("low", "bounds from"), ("high", "to"), ("saved", "added time saved, %"))  # fmt: skip


def figure(found: Sequence[Placed]) -> Spec:
    """Return the chart of all tiers whose times are known."""
    points = [datum for placed in found for datum in _data(placed, placed.curve)]
    best = [datum for placed in found for datum in _data(placed, placed.best)]
    tiers = list(dict.fromkeys(point["tier"] for point in points))
    asked = sum(len(placed.curve) for placed in found)
    x = vega.number("mib", "memory here, MiB", across=True)
    y = vega.number("ratio", "times the time here", zero=False)
    hue = vega.field("tier", "n", None, sort=tiers, scale={"domain": tiers, "range": theme.hues(len(tiers))})
    step = {"interpolate": "step-after", "clip": True}
    band: Spec = {
        "mark": {"type": "area", "opacity": 0.18, **step},
        "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": hue},
    }
    line: Spec = {
        "mark": {"type": "line", "strokeWidth": 2, **step},
        "encoding": {"x": x, "y": y, "color": hue},
    }
    dots: Spec = {
        "mark": {"type": "point", "filled": True, "size": 40, "opacity": 1},
        "encoding": {"x": x, "y": y, "color": hue, "tooltip": TIPS},
    }
    rings: Spec = {
        "data": {"values": best},
        "mark": {"type": "point", "filled": False, "size": 150, "strokeWidth": 2, "opacity": 1},
        "encoding": {"x": x, "y": y, "color": hue, "tooltip": TIPS},
    }
    body: Spec = {"data": {"values": points}, "layer": [band, line, dots, rings]}
    notes = [vega.missing(asked, len(points))]
    return vega.finish(TITLE, body, labels=tiers, notes=notes, height=HEIGHT)


def rows(found: Sequence[Placed]) -> list[tuple[str, ...]]:
    """Return the cells of the curves and best sets under HEADS."""
    made = []
    for placed in found:
        for point in (*placed.curve, *placed.best):
            times = (point.answer.ratio, point.answer.low, point.answer.high)
            count = f"{len(point.objects)} of {len(placed.objects)}"
            cells = ["" if time is None else f"{time:.3f}" for time in times]
            made.append((placed.tier, show_bytes(point.bytes), count, f"{point.share:.1%}", *cells))
    return made


def _data(placed: Placed, points: Sequence[Point]) -> list[Datum]:
    return [
        {"tier": printable(placed.tier), "mib": vega.digits(point.bytes / MiB), "size": show_bytes(point.bytes),
         "count": f"{len(point.objects)} of {len(placed.objects)}", "ratio": vega.digits(point.answer.ratio),
         "low": vega.digits(point.answer.low), "high": vega.digits(point.answer.high),
         "saved": vega.digits(100 * point.share)}
        for point in points
        if point.answer.ratio is not None
    ]  # fmt: skip
