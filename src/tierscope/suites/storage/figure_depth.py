"""Latency over operations per second, depth by depth: how much waiting more operations cost."""

from tierscope.draw import figures, theme, vega
from tierscope.draw.curves import Curves
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.storage.points import TIPS, drawn
from tierscope.suites.storage.row import StorageRow
from tierscope.tables import Insight

FEWEST = 3  # depths of one kind


class StorageDepth:
    """Each line goes from depth to depth; the label of a point is its depth."""

    name = "storage_depth"
    title = "Storage: latency over operations per second"
    table = "storage"
    reading = (
        "Each line joins the depths of one kind of job; the number next to a point is the depth of its queue. Level "
        "parts are free: more operations, no more waiting. Where a line turns up, the storage is full, and each "
        "doubling of the depth doubles the wait (operations/s x latency = what is in flight)."
    )

    def draw(self, run: Run, rows: list[StorageRow], insights: list[Insight]) -> Spec | None:
        """Return the chart of the rows of `storage`; None if no kind of job has three depths."""
        points = [{**one, "kind": f"{one['order']} {one['operation']}, {one['size']}"} for one in drawn(rows)]
        kinds = [kind for kind in dict.fromkeys(str(one["kind"]) for one in points)
                 if len({one["depth"] for one in points if one["kind"] == kind}) >= FEWEST]  # fmt: skip
        points = [one for one in points if one["kind"] in kinds]
        if not points:
            return None
        body: Spec = {"data": {"values": points}, "layer": _layers(points, kinds)}
        title = vega.origin_title(self.title, run.result.origin)
        return vega.finish(title, body, labels=kinds, axes={"x": "linear", "y": "log"}, height=400)


def _layers(points: list[Point], kinds: list[str]) -> list[Spec]:
    waits = [float(one["us"]) for one in points]
    span = [min(waits) / 1.5, max(waits) * 1.5]
    x = vega.number("iops", "operations/s", axis={"format": "~s"}, across=True)
    y = vega.number("us", "mean latency, us", "log", scale={"domain": span, "nice": False},
                    axis={"values": vega.decades(*span), "format": "~r"})  # fmt: skip
    hue = vega.hue("kind", kinds)
    curves = Curves(x, y, hue)
    line = curves.line(order={"field": "depth", "type": "quantitative"})
    words = {
        "mark": {"type": "text", "clip": True, "dx": 9, "dy": 9, "align": "left", "fontSize": 11,
                 "color": theme.colour("muted")},
        "encoding": {"x": x, "y": y, "text": {"field": "depth"}, "opacity": vega.shown("kind")},
    }  # fmt: skip
    return [curves.interval(axis="x"), line, curves.dots(56, TIPS), vega.hollow(x, y, TIPS, 16), words]


figures.add(StorageDepth())
