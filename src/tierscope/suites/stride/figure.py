"""Bandwidth over stride: one line per access size, one chart per operation, store, order and threads."""

from tierscope.draw import figures, vega
from tierscope.draw.curves import Curves
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.stride.row import StrideRow
from tierscope.suites.stride.terminal import way
from tierscope.tables import Insight
from tierscope.units import show_size

ROOM = 1.3  # times the least and the most: the points keep clear of the edges
TIPS = vega.tips(
    ("way", "accesses"), ("access", "access"), ("size", "stride"), ("gb", "bytes touched, GB/s"),
    ("low", "95 % interval from, GB/s"), ("high", "to, GB/s"), ("share", "of the best, %"), ("touched", "touched"),
    ("verdict", "verdict"),
)  # fmt: skip


class Stride:
    """Both axes are logarithmic: a line that falls by half where the stride doubles moves all bytes between."""

    name = "stride"
    title = "Bandwidth of strided accesses"
    table = "stride"
    reading = (
        "Bytes that were touched, not those left out between. Where bandwidth falls in proportion to the stride, "
        "memory moves whole units and wastes a part; where it is flat, each access costs one unit or more of its "
        "own. Hollow points are inconclusive, or few enough lines to stay in the caches."
    )

    def draw(self, run: Run, rows: list[StrideRow], insights: list[Insight]) -> Spec | None:
        """Return the chart of the rows of `stride`."""
        points = [point(row) for row in rows if row.bandwidth and row.bandwidth.middle]
        if not points:
            return None
        ways = list(dict.fromkeys(one["way"] for one in points))
        names = [show_size(size) for size in sorted({row.access_bytes for row in rows})]
        body: Spec = {"data": {"values": points}, "layer": _layers(points, names)}
        if len(ways) > 1:
            inner = {"layer": body.pop("layer"), "width": 330, "height": 260}
            body |= {"facet": vega.field("way", "n", None, sort=ways), "columns": 2, "spec": inner}
        title = vega.origin_title(self.title, run.result.origin)
        notes = [vega.missing(len(rows), len(points))]
        return vega.finish(title, body, labels=names, axes={"x": "log", "y": "log"}, notes=notes, height=380)


def point(row: StrideRow) -> Point:
    """Return one datum."""
    return {
        "way": way(row),
        "access": show_size(row.access_bytes),
        "stride": row.stride_bytes,
        "size": show_size(row.stride_bytes),
        **vega.bar("gb", row.bandwidth, vega.gb),
        "share": None if row.best_share is None else round(100 * row.best_share, 1),
        "touched": show_size(row.touched_bytes),
        "verdict": row.verdict,
    }


def _layers(points: list[Point], names: list[str]) -> list[Spec]:
    sizes = sorted({int(one["stride"]) for one in points})
    rates = [float(one[key]) for one in points for key in ("low", "gb", "high") if one[key]]
    x = vega.number("stride", "stride", "log", scale={"base": 2, "nice": False},
                    axis={"values": sizes, "labelExpr": vega.SIZE_LABEL, "labelOverlap": True})  # fmt: skip
    y = vega.number(
        "gb", "bytes touched, GB/s", "log",
        scale={"domain": [min(rates) / ROOM, ROOM * max(rates)], "nice": False},
        axis={"values": vega.decades(min(rates) / ROOM, ROOM * max(rates)), "format": ".4~r"},
    )  # fmt: skip
    hue = vega.hue("access", names, "access")
    curves = Curves(x, y, hue)
    return [curves.interval(), curves.line(), curves.dots(46, TIPS), vega.hollow(x, y, TIPS, 15)]


figures.add(Stride())
