"""Two loads and the fillers between them: the time steps up where the loads stop overlapping."""

from tierscope.draw import figures, theme, vega
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
        "reorder buffer, or the store buffer, they overlap. The step is where they no longer do. Kinds of fillers that "
        "step sooner run out of registers, or of places in the store buffer; one without a step takes no entries."
    )

    def draw(self, run: Run, rows: list[CorePointsRow], insights: list[Insight]) -> Spec | None:
        """Draw the rows of two chains; None if there are none."""
        del insights
        own = [row for row in rows if row.chains == 2 and row.probe in ("window", "store")]
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
    hues = theme.hues(len(names))
    hue = vega.field("filler", "n", None, sort=names, scale={"domain": names, "range": list(hues)})
    same = {"field": "filler", "type": "nominal"}  # a legend reacts only if one layer alone defines it
    line = {
        "params": [vega.zoom(), vega.pick("filler")],
        "mark": {"type": "line", "clip": True},
        "encoding": {"x": x, "y": y, "color": hue, "opacity": vega.shown("filler")},
    }
    dots = {
        "mark": {"type": "point", "clip": True, "size": 30},
        "encoding": {"x": x, "y": y, "color": same, "opacity": vega.shown("filler"), "tooltip": TIPS},
    }
    return [line, dots]


figures.add(Windows())
