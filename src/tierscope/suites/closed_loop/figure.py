"""The found values of probers over the built ones, one point for each parameter of each device."""

from tierscope.draw import figures, theme, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.closed_loop.findings import name_of, shown
from tierscope.suites.closed_loop.row import ClosedLoopRow
from tierscope.suites.closed_loop.score import ALARM, MISSED, RANGE, RECOVERED, WRONG
from tierscope.tables import Insight

HUES = {RECOVERED: "green", RANGE: "blue", WRONG: "vermilion", MISSED: "amber", ALARM: "purple"}
ROOM = 1.15  # factor beyond the farthest ratio
TIPS = vega.tips(
    ("device", "device"), ("name", "parameter"), ("built", "built"), ("seen", "found"), ("noise", "noise"),
    ("verdict", "verdict"),
)  # fmt: skip


class ClosedLoop:
    """A row of points for each parameter, with noise as their size; a missed value has no ratio, and no point."""

    name = "closed_loop"
    title = "Found over built"
    table = "closed_loop"
    reading = (
        "Each point is a parameter of a random device; 1 is what was built. The larger a point, the noisier its "
        "device. Parameters that were missed, or found without being there, have no ratio: see the table."
    )

    def draw(self, run: Run, rows: list[ClosedLoopRow], insights: list[Insight]) -> Spec | None:
        """Draw the rows of `closed_loop`."""
        points = [_point(row, row.found / row.truth) for row in rows if row.truth and row.found]
        if not points:
            return None
        names = list(dict.fromkeys(str(point["parameter"]) for point in points))
        ratios = [float(point["ratio"]) for point in points]
        reach = ROOM * max(*ratios, 1 / min(ratios), 1.1)
        x = vega.number(
            "ratio", "found / built", "log", scale={"domain": [1 / reach, reach], "nice": False},
            axis={"values": vega.decades(1 / reach, reach), "format": ".3~g"},
        )  # fmt: skip
        body = {"data": {"values": points}, "layer": [vega.rule("x", 1.0, "rule"), _dots(x, names)]}
        title = vega.origin_title(self.title, run.result.origin)
        notes = [vega.missing(len(rows), len(points))]
        return vega.finish(title, body, labels=list(HUES), axes={"x": "log"}, notes=notes, height=30 * len(names) + 40)


def _point(row: ClosedLoopRow, ratio: float) -> Point:
    return {
        "device": row.device, "parameter": row.parameter, "name": name_of(row), "ratio": vega.digits(ratio),
        "built": shown(row.truth, row.measure), "seen": shown(row.found, row.measure), "noise": row.noise,
        "verdict": row.verdict,
    }  # fmt: skip


def _dots(x: Spec, names: list[str]) -> Spec:
    hue = vega.field(
        "verdict", "n", None,
        scale={"domain": list(HUES), "range": [theme.colour(name) for name in HUES.values()]},
    )  # fmt: skip
    size = vega.field("noise", "q", scale={"domain": [0, 10], "range": [30, 160]}, legend=None)
    return {
        "params": [vega.zoom(("x",)), vega.pick("verdict")],
        "mark": {"type": "point", "clip": True},
        "encoding": {
            "x": x, "y": vega.field("parameter", "n", None, sort=names), "color": hue, "size": size,
            "opacity": vega.shown("verdict"), "tooltip": TIPS,
        },
    }  # fmt: skip


figures.add(ClosedLoop())
