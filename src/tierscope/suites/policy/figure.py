"""The evidence behind `policy`: three curves, each with what was inferred drawn through the points."""

from dataclasses import dataclass

from tierscope.draw import figures, theme, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.tables import Flat, Insight

MEASURED, INFERRED = "measured", "as found"


@dataclass(frozen=True)
class Curve:
    """Points with intervals over bytes; `fitted` is the key of what was found, "" for none."""

    name: str
    title: str
    reading: str
    x: tuple[str, str]  # key, title
    y: tuple[str, str, str, str]  # key, low, high, title
    fitted: str
    scale: float  # of all values
    kind: str = "log"  # of the axis of values

    @property
    def table(self) -> str:
        return self.name

    def draw(self, run: Run, rows: list[Flat], insights: list[Insight]) -> Spec | None:
        """Rows of the table of the same name that have a value."""
        del insights
        points = [point for row in rows if row[self.y[0]] is not None for point in self._points(row)]
        if not points:
            return None
        names = list(dict.fromkeys(str(one["series"]) for one in points))
        title = vega.origin_title(self.title, run.result.origin)
        absent = sum(1 for row in rows if row[self.y[0]] is None and not row.get("control"))
        notes = [vega.missing(len(rows), len(rows) - absent)]
        body = {"data": {"values": points}, "layer": self._layers(names)}
        return vega.finish(title, body, labels=names, axes={"x": "log", "y": self.kind}, notes=notes, height=320)

    def _points(self, row: Flat) -> list[Point]:
        key, low, high, _ = self.y
        where = {"bytes": row[self.x[0]], "verdict": "conclusive" if row["conclusive"] else "inconclusive"}
        several = str(row["target"])
        seen = {"value": self._value(row[key]), "low": self._value(row[low]), "high": self._value(row[high])}
        own = {**where, "series": f"{several}, {MEASURED}", **seen}
        if not self.fitted or row[self.fitted] is None:
            return [own]
        return [own, {**where, "series": f"{several}, {INFERRED}", "value": self._value(row[self.fitted])}]

    def _value(self, value: object) -> float | None:
        return float(f"{float(value) * self.scale:.5g}") if isinstance(value, int | float) else None

    def _layers(self, names: list[str]) -> list[Spec]:
        x = vega.number(
            "bytes", self.x[1], "log", scale={"base": 2}, axis={"labelExpr": vega.SIZE_LABEL}, across=True
        )  # fmt: skip
        y = vega.number("value", self.y[3], self.kind)
        hues = theme.hues(len(names))
        hue = vega.field("series", "n", None, sort=names, scale={"domain": names, "range": hues})
        same = {"field": "series", "type": "nominal"}  # a legend listens only if one layer alone defines it
        tips = vega.tips(
            ("series", "curve"), ("bytes", self.x[1]), ("value", self.y[3]), ("low", "95 % interval from"),
            ("high", "to"), ("verdict", "verdict"),
        )  # fmt: skip
        interval = {
            "transform": [{"filter": "isValid(datum.low)"}],
            "mark": {"type": "rule", "clip": True, "strokeWidth": 4},
            "encoding": {
                "x": x, "y": vega.field("low", "q"), "y2": {"field": "high"}, "color": same,
                "opacity": vega.shown("series", strong=0.45),
            },
        }  # fmt: skip
        line = {
            "params": [vega.zoom(), vega.pick("series")],
            "transform": [{"filter": f"indexof(datum.series, '{INFERRED}') >= 0"}] if self.fitted else [],
            "mark": {"type": "line", "clip": True},
            "encoding": {"x": x, "y": y, "color": hue, "opacity": vega.shown("series")},
        }
        dots = {
            "transform": [{"filter": f"indexof(datum.series, '{INFERRED}') < 0"}],
            "mark": {"type": "point", "clip": True, "size": 34},
            "encoding": {"x": x, "y": y, "color": same, "opacity": vega.shown("series"), "tooltip": tips},
        }
        return [interval, line, dots]


CURVES = (
    Curve(
        "interleave", "Bandwidth of scattered lines over their stride",
        "Bandwidth over that of a stride close by that meets all memories alike. Where memories lie side by side, a "
        "stride of so many grains meets few of them, and bandwidth falls to their share; the line is what the layout "
        "that was found gives. A flat row of points is memory without interleaving.",
        ("stride_bytes", "stride"), ("ratio", "ratio_low", "ratio_high", "over the control's"), "fitted", 1.0,
    ),
    Curve(
        "migration", "Stalls of writes to one place",
        "How many writes to a place of so many bytes stall for as long as those of the smallest place that come in "
        "step. The largest place with as many is the unit that the medium moves; the last one is the control.",
        ("region_bytes", "place"), ("alike", "alike_low", "alike_high", "stalls in a million writes"),
        "", 1.0, "linear",
    ),
    Curve(
        "combining", "Time of a line stored in fresh regions",
        "Each line of a region is stored once, in random order, with a fence behind each region. While a queue holds "
        "what belongs to one unit of the medium, the unit is written once; larger regions write it several times. The "
        "line is what the queue that was found gives.",
        ("region_bytes", "region"), ("line_s", "line_low", "line_high", "time per line, ns"), "fitted_s", 1e9,
    ),
)  # fmt: skip

for curve in CURVES:
    figures.add(curve)
