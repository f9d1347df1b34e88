"""The time of a program over the size of the memory here: a curve for each tier, within its bounds."""

from tierscope.draw import figures, theme, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.prediction.row_placed import BEST, GROWING, SetRow
from tierscope.tables import Insight
from tierscope.units import MiB, show_bytes

HEIGHT = 320  # px
TIPS = vega.tips(("tier", "tier"), ("size", "memory here"), ("count", "objects"), ("ratio", "times the time here"),
                 ("low", "bounds from"), ("high", "to"), ("saved", "added time saved, %"))  # fmt: skip


class Placement:
    """The time steps down where the next object fits."""

    name = "prediction_placement"
    title = "Time over the size of the memory here"
    table = "prediction_placement"
    reading = (
        "Objects of the program are in the memory here, those that save most per byte first, and all other memory is "
        "on the tier. The band is within the bounds. Rings are the best sets for the sizes that were asked for. The "
        "dashed line is the time with all memory here."
    )

    def draw(self, run: Run, rows: list[SetRow], insights: list[Insight]) -> Spec | None:
        """Return the chart of all tiers whose times are known; None if there are none."""
        del insights
        growing = [row for row in rows if row.set == GROWING]
        points = [point for row in growing for point in _point(row, row.memory_bytes)]
        if not points:
            return None
        best = [point for row in rows if row.set == BEST for point in _point(row, row.size)]
        tiers = list(dict.fromkeys(point["tier"] for point in points))
        body: Spec = {"layer": _layers(points, best, tiers)}
        title = vega.origin_title(self.title, run.result.origin)
        notes = [vega.missing(len(growing), len(points))]
        axes = {"x": "linear", "y": "linear"}
        return vega.finish(title, body, labels=tiers, axes=axes, notes=notes, height=HEIGHT)


def _point(row: SetRow, size: int) -> list[Point]:
    """Return the datum of a set that needs this size; [] where its time is not known."""
    if row.slowdown is None:
        return []
    return [
        {"tier": row.tier, "mib": vega.digits(size / MiB), "size": show_bytes(size),
         "count": f"{row.objects} of {row.of_objects}", **vega.bar("ratio", row.slowdown, vega.digits),
         "saved": vega.digits(100 * row.saved, 3)}
    ]  # fmt: skip


def _layers(points: list[Point], best: list[Point], tiers: list[str]) -> list[Spec]:
    x = vega.number("mib", "memory here, MiB", across=True)
    y = vega.number("ratio", "times the time here", zero=False)
    hue = vega.field("tier", "n", None, sort=tiers, scale={"domain": tiers, "range": theme.hues(len(tiers))})
    same = {"field": "tier", "type": "nominal"}
    step = {"interpolate": "step-after", "clip": True}
    band: Spec = {
        "data": {"values": points},
        "mark": {"type": "area", "opacity": 0.18, **step},
        "encoding": {"x": x, "y": vega.field("low", "q"), "y2": {"field": "high"}, "color": same},
    }
    line: Spec = {
        "data": {"values": points},
        "params": [vega.zoom(), vega.pick("tier")],
        "mark": {"type": "line", "strokeWidth": 2, **step},
        "encoding": {"x": x, "y": y, "color": hue, "opacity": vega.shown("tier")},
    }
    dots: Spec = {
        "data": {"values": points},
        "mark": {"type": "point", "clip": True, "filled": True, "size": 40},
        "encoding": {"x": x, "y": y, "color": same, "opacity": vega.shown("tier"), "tooltip": TIPS},
    }
    rings: Spec = {
        "data": {"values": best},
        "mark": {"type": "point", "clip": True, "filled": False, "size": 150, "strokeWidth": 2},
        "encoding": {"x": x, "y": y, "color": same, "opacity": vega.shown("tier"), "tooltip": TIPS},
    }
    return [band, line, vega.rule("y", 1.0, "rule", dash=True), dots, *([rings] if best else [])]


figures.add(Placement())
