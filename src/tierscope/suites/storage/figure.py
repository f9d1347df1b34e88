"""Operations per second over the size of a block: one chart per order, one line per kind of operation."""

from tierscope.draw import figures, vega
from tierscope.draw.curves import Curves
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.storage.points import TIPS, drawn
from tierscope.suites.storage.row import StorageRow
from tierscope.tables import Insight


class Storage:
    """Both axes are logarithmic: equal bytes per second are lines that fall."""

    name = "storage"
    title = "Storage: operations per second"
    table = "storage"
    reading = (
        "Each point is the median of the repeats of one job, the bar through it its interval; hollow points are "
        "inconclusive. A line that falls in proportion to the block moves the same bytes per second at every size; "
        "a level line is limited by the number of operations."
    )

    def draw(self, run: Run, rows: list[StorageRow], insights: list[Insight]) -> Spec | None:
        """Return the chart of the rows of `storage`; None if they have one size of block."""
        points = drawn(rows)
        sizes = sorted({int(one["block"]) for one in points})
        if len(sizes) < 2:
            return None
        kinds = list(dict.fromkeys(str(one["operation"]) for one in points))
        orders = list(dict.fromkeys(str(one["order"]) for one in points))
        body: Spec = {"data": {"values": points}, "layer": _layers(points, kinds, sizes)}
        if len(orders) > 1:
            inner = {"layer": body.pop("layer"), "width": 330, "height": 260}
            body |= {"facet": vega.field("order", "n", None, sort=orders), "columns": 2, "spec": inner}
        title = vega.origin_title(self.title, run.result.origin)
        notes = [vega.missing(len(rows), sum(bool(row.iops.middle) for row in rows))]
        return vega.finish(title, body, labels=kinds, axes={"x": "log", "y": "log"}, notes=notes)


def _layers(points: list[Point], kinds: list[str], sizes: list[int]) -> list[Spec]:
    rates = [float(one[key]) for one in points for key in ("low", "iops", "high") if one[key]]
    span = [min(rates) / 1.3, max(rates) * 1.3]
    room = [sizes[0] / 1.3, sizes[-1] * 1.3]
    x = vega.number("block", "block", "log", scale={"base": 2, "nice": False, "domain": room},
                    axis={"values": sizes, "labelExpr": vega.SIZE_LABEL})  # fmt: skip
    y = vega.number("iops", "operations/s", "log", scale={"domain": span, "nice": False},
                    axis={"values": vega.decades(*span), "format": "~s"})  # fmt: skip
    hue = vega.hue("operation", kinds)
    curves = Curves(x, y, hue)
    line = curves.line(detail={"field": "depth", "type": "nominal"})
    return [curves.interval(), line, curves.dots(56, TIPS), vega.hollow(x, y, TIPS, 16)]


figures.add(Storage())
