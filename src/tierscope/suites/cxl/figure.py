"""Bandwidth over the share of pages on far memory."""

from tierscope.draw import figures, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.cxl.row import InterleaveRow
from tierscope.tables import Insight

TIPS = vega.tips(
    ("turn", "near:far"), ("gb", "bandwidth, GB/s"), ("low", "95 % interval from, GB/s"), ("high", "to, GB/s"),
    ("share", "far, %"), ("found", "found far, %"), ("verdict", "verdict"),
)  # fmt: skip


class Interleave:
    """DRAM alone on the left, far memory alone on the right."""

    name = "page_ratio"
    title = "Bandwidth of pages interleaved between DRAM and far memory"
    table = "page_ratio"
    reading = (
        "Left is DRAM alone, right is far memory alone. Between them each array has pages of both, so that both serve "
        "at the same time; the top is the ratio at which they are full together. Hollow points are inconclusive."
    )

    def draw(self, run: Run, rows: list[InterleaveRow], insights: list[Insight]) -> Spec | None:
        """Draw the rows of `page_ratio`."""
        points = [_point(row) for row in rows if row.bandwidth and row.bandwidth.middle]
        if not points:
            return None
        x = vega.number("share", f"share of the pages on {rows[0].far}, %", across=True)
        y = vega.number("gb", "bandwidth, GB/s")
        tall = {
            "mark": {"type": "rule", "clip": True, "strokeWidth": 4, "opacity": 0.45},
            "encoding": {"x": x, "y": vega.field("low", "q"), "y2": {"field": "high"}},
        }
        line = {
            "params": [vega.zoom()], "mark": {"type": "line", "clip": True, "point": {"size": 46}},
            "encoding": {"x": x, "y": y, "tooltip": TIPS},
        }  # fmt: skip
        body: Spec = {"data": {"values": points}, "layer": [tall, line, vega.hollow(x, y, TIPS, 15)]}
        title = vega.origin_title(self.title, run.result.origin)
        notes = [vega.missing(len(rows), len(points))]
        return vega.finish(title, body, axes={"x": "linear", "y": "linear"}, notes=notes)


def _point(row: InterleaveRow) -> Point:
    return {
        "turn": f"{row.near_pages}:{row.far_pages}",
        **vega.bar("gb", row.bandwidth, vega.gb),
        "share": round(100 * row.far_share, 2),
        "found": None if row.found_far_share is None else round(100 * row.found_far_share, 1),
        "verdict": row.verdict,
    }


figures.add(Interleave())
