"""Time of each instruction over that of the one it alternated with, in bars: one group per chunk size."""

from tierscope.draw import figures, theme, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.flush.points import ROOM, TIPS, charts, foreign, hue, point
from tierscope.suites.flush.row import FlushRow
from tierscope.tables import Insight


class FlushRatio:
    """Bars start at 1.0, the instruction that the others are compared with: half and twice as long look alike."""

    name = "flush_ratio"
    title = "How many times as long"
    table = "flush"
    reading = (
        "Time of an instruction over that of the one it is compared with, of the same rounds: upwards it takes longer, "
        "downwards less. The rule at the end of a bar is the 95 % interval; where it crosses 1.0, the two are not "
        "distinguished. A pale bar is inconclusive."
    )

    def draw(self, run: Run, rows: list[FlushRow], insights: list[Insight]) -> Spec | None:
        """Return the chart of the rows of `flush`, without those that are compared with themselves."""
        others = [row for row in rows if row.instruction != row.against]
        points = [point(row) for row in others if row.ratio]
        if not points:
            return None
        names = list(dict.fromkeys(row.instruction for row in rows))
        body = charts(points, layers(points, names))
        notes = [vega.missing(len(others), len(points)), foreign(rows)]
        title = vega.origin_title(f"{self.title} as {points[0]['against']}", run.result.origin)
        return vega.finish(title, body, labels=names, axes={"y": "log"}, notes=notes, height=300)


def layers(points: list[Point], names: list[str]) -> list[Spec]:
    sizes = list(dict.fromkeys(str(one["size"]) for one in sorted(points, key=lambda one: int(one["bytes"]))))
    x = vega.field("size", "o", "chunk", sort=sizes, axis={"labelAngle": 0})
    ends = [float(one[key]) for one in points for key in ("ratio_low", "ratio_high") if one[key]]
    low, high = min([1.0, *ends]) / ROOM, max([1.0, *ends]) * ROOM
    y = vega.number(
        "ratio", f"times the time of {points[0]['against']}", "log", scale={"domain": [low, high], "nice": False},
        axis={"values": vega.decades(low, high), "format": ".4~r"},
    )  # fmt: skip
    own = [name for name in names if any(one["instruction"] == name for one in points)]
    beside = {"field": "instruction", "sort": own}
    pale = {"condition": {"test": "datum.verdict === 'inconclusive'", "value": 0.4}, "value": 0.9}
    bars = {
        "params": [vega.zoom(["y"])],
        "mark": {"type": "bar", "clip": True},
        "encoding": {
            "x": x, "xOffset": beside, "y": y, "y2": {"datum": 1.0}, "color": hue(names, own), "opacity": pale,
            "tooltip": TIPS,
        },
    }  # fmt: skip
    intervals = {
        "mark": {"type": "rule", "clip": True, "color": theme.colour("ink"), "strokeWidth": 1.5},
        "encoding": {
            "x": x, "xOffset": beside, "y": vega.field("ratio_low", "q"), "y2": {"field": "ratio_high"},
        },
    }  # fmt: skip
    return [bars, vega.rule("y", 1.0, "ink"), intervals]


figures.add(FlushRatio())
