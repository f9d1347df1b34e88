"""Two loads and the fillers between them: the time steps up where the loads stop overlapping."""

from tierscope.draw import figures, vega
from tierscope.draw.curves import Curves
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.core.row import CorePointsRow
from tierscope.tables import Insight

TIPS = vega.tips(
    ("filler", "filler"), ("fillers", "fillers"), ("ns", "two loads, ns"), ("low", "95 % interval from, ns"),
    ("high", "to, ns"), ("verdict", "verdict"),
)  # fmt: skip


class Windows:
    """One line for each kind of filler."""

    name = "core_parameters"
    title = "Two loads with fillers between them"
    table = "core_points"
    reading = (
        "Time of two loads that miss, over the number of instructions behind each of them. While both loads fit the "
        "reorder buffer, they overlap. The step is where they no longer do. Kinds of fillers that step sooner run out "
        "of registers, or of places for loads or stores; one without a step takes no entries."
    )

    def draw(self, run: Run, rows: list[CorePointsRow], insights: list[Insight]) -> Spec | None:
        """Draw the rows of two chains; None if there are none."""
        del insights
        own = [row for row in rows if row.chains == 2 and row.probe in ("window", "store", "load")]
        points = [point(row) for row in sorted(own, key=lambda row: row.fillers) if row.time]
        if not points:
            return None
        names = list(dict.fromkeys(str(one["filler"]) for one in points))
        body = {"data": {"values": points}, "layer": _layers(names)}
        notes = [vega.missing(len(own), len(points))]
        title = vega.origin_title(self.title, run.result.origin)
        return vega.finish(title, body, labels=names, axes={"x": "log", "y": "linear"}, notes=notes, height=380)


def point(row: CorePointsRow) -> Point:
    """Return one datum."""
    return {"filler": row.filler, "fillers": row.fillers, **vega.bar("ns", row.time, vega.ns), "verdict": row.verdict}


def _layers(names: list[str]) -> list[Spec]:
    x = vega.number("fillers", "fillers behind each load", "log", across=True, scale={"base": 2, "nice": False})
    y = vega.number("ns", "two loads, ns")
    hue = vega.hue("filler", names)
    curves = Curves(x, y, hue)
    return [curves.line(), curves.dots(30, TIPS)]


figures.add(Windows())
