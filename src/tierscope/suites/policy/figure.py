"""The evidence for `policy`: three curves, each with what was inferred drawn through the points."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from tierscope.draw import figures, vega
from tierscope.draw.curves import Curves
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.stats.median import Interval
from tierscope.tables import Insight
from tierscope.tables.policy_rows import CombiningRow, InterleaveRow, MigrationRow

MEASURED, INFERRED = "measured", "as found"

R = TypeVar("R", InterleaveRow, MigrationRow, CombiningRow)


@dataclass(frozen=True, kw_only=True)
class Curve(Generic[R]):
    """Values with intervals over bytes. fitted: what was found; None where nothing is drawn through the points."""

    name: str
    title: str
    reading: str
    x: str  # title
    y: str  # title
    size: Callable[[R], int]
    value: Callable[[R], Interval | None]
    fitted: Callable[[R], float | None] | None = None
    scale: float = 1.0  # of all values
    kind: str = "log"  # of the axis of values
    apart: Callable[[R], bool] | None = None  # rows whose value is not missed where there is none

    @property
    def table(self) -> str:
        return self.name

    def draw(self, run: Run, rows: list[R], insights: list[Insight]) -> Spec | None:
        """Return the chart of the rows of the table of the same name that have a value."""
        del insights
        points = [point for row in rows if (found := self.value(row)) for point in self._points(row, found)]
        if not points:
            return None
        names = list(dict.fromkeys(str(one["series"]) for one in points))
        title = vega.origin_title(self.title, run.result.origin)
        missed = [row for row in rows if not (self.apart and self.apart(row))]
        absent = sum(1 for row in missed if self.value(row) is None)
        notes = [vega.missing(len(rows), len(rows) - absent)]
        body = {"data": {"values": points}, "layer": self._layers(names)}
        return vega.finish(title, body, labels=names, axes={"x": "log", "y": self.kind}, notes=notes, height=320)

    def _points(self, row: R, found: Interval) -> list[Point]:
        where = {"bytes": self.size(row), "verdict": row.verdict}
        own = {**where, "series": f"{row.target}, {MEASURED}", **vega.bar("value", found, self._scaled)}
        inferred = self.fitted(row) if self.fitted else None
        if inferred is None:
            return [own]
        return [own, {**where, "series": f"{row.target}, {INFERRED}", "value": self._scaled(inferred)}]

    def _scaled(self, value: float | None) -> float | None:
        return None if value is None else vega.digits(value * self.scale)

    def _layers(self, names: list[str]) -> list[Spec]:
        x = vega.number(
            "bytes", self.x, "log", scale={"base": 2}, axis={"labelExpr": vega.SIZE_LABEL}, across=True
        )  # fmt: skip
        y = vega.number("value", self.y, self.kind)
        hue = vega.hue("series", names)
        curves = Curves(x, y, hue)
        tips = vega.tips(
            ("series", "curve"), ("bytes", self.x), ("value", self.y), ("low", "95 % interval from"),
            ("high", "to"), ("verdict", "verdict"),
        )  # fmt: skip
        fitted = f"indexof(datum.series, '{INFERRED}')"
        return [
            {"transform": [{"filter": "isValid(datum.low)"}], **curves.interval()},
            {"transform": [{"filter": f"{fitted} >= 0"}] if self.fitted else [], **curves.line()},
            {"transform": [{"filter": f"{fitted} < 0"}], **curves.dots(34, tips)},
        ]


CURVES: tuple[Curve[InterleaveRow] | Curve[MigrationRow] | Curve[CombiningRow], ...] = (
    Curve[InterleaveRow](
        name="interleave",
        title="Bandwidth of scattered lines over their stride",
        reading=(
            "Bandwidth over that of a nearby stride that uses all memories alike. Where memories are interleaved, a "
            "stride of this number of grains uses few of them, and bandwidth falls to their share; the line shows what "
            "the layout found would give. A flat row of points is memory without interleaving."
        ),
        x="stride",
        y="over the control's",
        size=lambda row: row.stride_bytes,
        value=lambda row: row.ratio,
        fitted=lambda row: row.fitted,
        apart=lambda row: row.control,
    ),
    Curve[MigrationRow](
        name="migration",
        title="Stalls of writes to one place",
        reading=(
            "Number of writes to a place of this size that stall as long as those that come in step at the smallest "
            "place. The largest place with as many is the unit that the medium moves; the last one is the control."
        ),
        x="place",
        y="stalls in a million writes",
        size=lambda row: row.region_bytes,
        value=lambda row: row.alike,
        kind="linear",
    ),
    Curve[CombiningRow](
        name="combining",
        title="Time of a line stored in fresh regions",
        reading=(
            "Each line of a region is stored once, in random order, with a fence behind each region. While a queue "
            "contains what belongs to one unit of the medium, the unit is written once; larger regions write it "
            "several times. The line shows what the queue found would give."
        ),
        x="region",
        y="time per line, ns",
        size=lambda row: row.region_bytes,
        value=lambda row: row.line,
        fitted=lambda row: row.fitted_s,
        scale=1e9,
    ),
)

for curve in CURVES:
    figures.add(curve)
