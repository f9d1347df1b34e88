"""Latency of operations on structures: one line per structure from its median to its tail, one chart per operation."""

from tierscope.draw import figures, theme, vega
from tierscope.draw.curves import Curves
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.maps.points import chart, varying
from tierscope.suites.maps.row import MapsRow
from tierscope.tables import Insight

HUES = {"p50": "blue", "p99": "amber", "p99.9": "vermilion"}
ROOM = 1.2  # times the least and the most: the points keep clear of the edges
TIPS = vega.tips(
    ("structure", "structure"), ("chart", "operation"), ("share", "percentile"), ("ns", "latency, ns"),
    ("low", "95 % interval from, ns"), ("high", "to, ns"), ("rate", "million operations/s"), ("verdict", "verdict"),
)  # fmt: skip


class Maps:
    """The chart of `maps`: its latency leaves out rehashes and waits for a lock; the time axis is logarithmic."""

    name = "maps"
    title = "Latency of operations on structures"
    table = "maps"
    reading = (
        "Half of the operations take no longer than p50, 99 of 100 no longer than p99, 999 of 1000 no longer than "
        "p99.9. The bar through a point is its interval; hollow points are inconclusive. Each time contains one read "
        "of the clock; rehashes and waits for a lock are separate, in the table."
    )

    def draw(self, run: Run, rows: list[MapsRow], insights: list[Insight]) -> Spec | None:
        """Return the chart of the rows of `maps`."""
        names = varying(rows)
        points = [point for row in rows for point in _points(row, names)]
        if not points:
            return None
        structures = list(dict.fromkeys(str(point["structure"]) for point in points))
        charts = list(dict.fromkeys(str(point["chart"]) for point in points))
        inner = {"layer": _layers(points, structures), "width": 560, "height": max(60, 26 * len(structures))}
        body = {"data": {"values": points}, "facet": vega.field("chart", "n", None, sort=charts), "columns": 1,
                "spec": inner}  # fmt: skip
        title = vega.origin_title(self.title, run.result.origin)
        known = sum(1 for row in rows if row.latency_p50)
        notes = [vega.missing(len(rows), known)]
        return vega.finish(title, body, labels=list(HUES), axes={"x": "log"}, notes=notes)


def _points(row: MapsRow, names: list[str]) -> list[Point]:
    """Return one datum for each percentile that enough operations support."""
    percentiles = zip(HUES, (row.latency_p50, row.latency_p99, row.latency_p999), strict=True)
    return [
        {
            "structure": row.structure,
            "chart": chart(row, names),
            "share": share,
            **vega.bar("ns", time, vega.ns),
            "rate": f"{row.ops.middle / 1e6 if row.ops else 0:.3g}",
            "verdict": row.verdict,
        }
        for share, time in percentiles
        if time
    ]


def _layers(points: list[Point], structures: list[str]) -> list[Spec]:
    times = [float(one["ns"]) for one in points]
    low, high = min(times) / ROOM, max(times) * ROOM
    x = vega.number(
        "ns", "time of one operation", "log", scale={"domain": [low, high], "nice": False},
        axis={"values": vega.decades(low, high), "labelExpr": vega.TIME_LABEL},
    )  # fmt: skip
    y = vega.field("structure", "n", None, sort=structures)
    shares = [name for name in HUES if any(one["share"] == name for one in points)]
    hues = [theme.colour(HUES[name]) for name in shares]
    colour = vega.field("share", "n", None, sort=shares, scale={"domain": shares, "range": hues})
    curves = Curves(x, y, colour)
    line = {
        "mark": {"type": "line", "clip": True, "strokeWidth": 1.5, "color": theme.colour("muted")},
        "encoding": {"x": x, "y": y, "detail": {"field": "structure", "type": "nominal"}},
    }
    dots = {
        "params": [vega.zoom(("x",)), vega.pick("share")],
        "mark": {"type": "point", "clip": True, "size": 46},
        "encoding": {"x": x, "y": y, "color": colour, "opacity": curves.shown(), "tooltip": TIPS},
    }
    return [line, curves.interval(axis="x"), dots, vega.hollow(x, y, TIPS, 15)]


figures.add(Maps())
