"""The rows as one line over footprints. Without this file the page shows the table alone.

`draw.curves` has the layers of a figure with several lines.
"""

from tierscope.draw import figures, theme, vega
from tierscope.draw.theme import Spec
from tierscope.record.result import Run
from tierscope.suites.skeleton.row import SkeletonRow
from tierscope.tables import Insight


class Footprints:
    """A figure draws. It does not compute: what it needs is in the rows."""

    name = "skeleton"
    title = "Read bandwidth over footprints"
    table = "skeleton"
    reading = "Each point is one footprint, read by one CPU. The vertical rule is the interval of the median."

    def draw(self, run: Run, rows: list[SkeletonRow], insights: list[Insight]) -> Spec | None:
        """Return a Vega-Lite specification; None where no row has a number."""
        points = [
            {"size": row.footprint_bytes, **vega.bar("gb", row.bandwidth, vega.gb)} for row in rows if row.bandwidth
        ]
        if not points:
            return None
        x = vega.number("size", "footprint", "log", axis={"labelExpr": vega.SIZE_LABEL})
        y = vega.number("gb", "bandwidth, GB/s")
        colour = theme.colour("blue")
        line = {"mark": {"type": "line", "point": True, "color": colour}, "encoding": {"x": x, "y": y}}
        ends = {"x": x, "y": vega.field("low", "q"), "y2": {"field": "high"}}
        rule = {"mark": {"type": "rule", "color": colour}, "encoding": ends}
        body = {"data": {"values": points}, "layer": [line, rule]}
        notes = [vega.missing(len(rows), len(points))]
        return vega.finish(vega.origin_title(self.title, run.result.origin), body, notes=notes)


figures.add(Footprints())
