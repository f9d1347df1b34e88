"""Time per line over chunk size: one line per instruction, one chart per kind of fence and order."""

from tierscope.draw import figures, vega
from tierscope.draw.curves import Curves
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.flush.points import ROOM, TIPS, charts, foreign, hue, point
from tierscope.suites.flush.row import FlushRow
from tierscope.tables import Insight


class Flush:
    """Both axes are logarithmic: a serial flush is ten times another one."""

    name = "flush"
    title = "Time of a stored and flushed line"
    table = "flush"
    reading = (
        "Store, flush and fence together, for each line of the caches; the instructions of one chunk size alternated. "
        "A bar through a point is its 95 % interval, hollow points are inconclusive. Where lines fall to the right, "
        "the fence after each chunk is what small chunks pay for."
    )

    def draw(self, run: Run, rows: list[FlushRow], insights: list[Insight]) -> Spec | None:
        """Return the chart of the rows of `flush`."""
        points = [point(row) for row in rows if row.line]
        if not points:
            return None
        names = list(dict.fromkeys(row.instruction for row in rows))
        body = charts(points, layers(points, names))
        notes = [vega.missing(len(rows), len(points)), foreign(rows)]
        title = vega.origin_title(self.title, run.result.origin)
        return vega.finish(title, body, labels=names, axes={"x": "log", "y": "log"}, notes=notes, height=380)


def layers(points: list[Point], names: list[str]) -> list[Spec]:
    sizes = sorted({int(one["bytes"]) for one in points})
    times = [float(one[key]) for one in points for key in ("low", "ns", "high") if one[key]]
    x = vega.number(
        "bytes", "chunk", "log", scale={"base": 2, "nice": False},
        axis={"values": sizes, "labelExpr": vega.SIZE_LABEL},
    )  # fmt: skip
    y = vega.number(
        "ns", "time per line, ns", "log", scale={"domain": [min(times) / ROOM, ROOM * max(times)], "nice": False},
        axis={"values": vega.decades(min(times) / ROOM, ROOM * max(times)), "format": ".4~r"},
    )  # fmt: skip
    curves = Curves(x, y, hue(names, names))
    return [curves.interval(), curves.line(), curves.dots(46, TIPS), vega.hollow(x, y, TIPS, 15)]


figures.add(Flush())
