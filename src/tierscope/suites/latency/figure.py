"""Latency over working-set size: one step per cache level, and the cost of small pages between the curves."""

import math

from tierscope.draw import figures, theme, vega
from tierscope.draw.curves import Curves
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.draw.words import probe_name
from tierscope.record.machine import Machine
from tierscope.record.result import Run
from tierscope.suites.latency.row import LatencyRow
from tierscope.tables import Insight
from tierscope.units import show_bytes

TIPS = vega.tips(
    ("series", "probe"), ("size", "footprint"), ("ns", "latency, ns"), ("low", "95 % interval from, ns"),
    ("high", "to, ns"), ("verdict", "verdict"),
)  # fmt: skip

ROOM = 5  # times the highest latency: place for the labels of the rules above the curves


class Staircase:
    """Log-log by default; detected capacities are solid rules, those that the system reports dashed ones."""

    name = "staircase"
    title = "Latency over footprint"
    table = "latency"
    reading = (
        "Time of one dependent access, or of a block of lines. Each step up is a level that the footprint outgrew. "
        "Solid rules are the capacities found in the curve, dashed rules those that the system reports; where the two "
        "differ, the cache is shared or a hypervisor has made the number up. Hollow points are inconclusive."
    )

    def draw(self, run: Run, rows: list[LatencyRow], insights: list[Insight]) -> Spec | None:
        """Return the chart of the rows of `latency`; insights `level_...` are the capacities found."""
        points = [_point(row) for row in rows if _is_known(row)]
        if not points:
            return None
        order = list(dict.fromkeys(point["series"] for point in points))
        found = [("found", i.value) for i in insights if i.name.startswith("level_") and i.value]
        reported = _reported(run.result.machine)
        rules = [*_rules(reported, dash=True), *_rules(found, dash=False)]
        labels = [*_labels(reported, found, dash=True), *_labels(found, reported, dash=False)]
        body = {"data": {"values": points}, "layer": [*rules, *_curves(order, points), *labels]}
        title = vega.origin_title(self.title, run.result.origin)
        notes = [vega.missing(len(rows), len(points))]
        return vega.finish(title, body, labels=order, axes={"x": "log", "y": "log"}, notes=notes, height=420)


def _is_known(row: LatencyRow) -> bool:
    """Return whether the row has a latency that its interval does not deny: a wider one would stretch the axis."""
    return bool(row.latency and row.latency.middle and not row.latency.wide and row.footprint_bytes)


def _point(row: LatencyRow) -> Point:
    return {
        "series": probe_name(row.probe, row.order, row.page_bytes),
        "bytes": row.footprint_bytes,
        "size": show_bytes(row.footprint_bytes),
        **vega.bar("ns", row.latency, vega.ns),
        "verdict": row.verdict,
    }


def _reported(machine: Machine) -> list[tuple[str, float]]:
    """Return (label, bytes) per level, as the first CPU sees it, without instruction caches."""
    levels = {c.level: c.size_bytes for c in reversed(machine.identity.caches) if c.kind != "Instruction"}
    return [(f"L{level} reported", float(size)) for level, size in sorted(levels.items())]


def _rules(sizes: list[tuple[str, float]], *, dash: bool) -> list[Spec]:
    role = "rule" if dash else "ink"
    return [vega.rule("x", size, role, dash=dash) for _, size in sizes]


def _labels(sizes: list[tuple[str, float]], others: list[tuple[str, float]], *, dash: bool) -> list[Spec]:
    """Return the labels: upright next to their rule, each over a halo, away from the nearest rule of the other kind."""
    layers = []
    for word, size in sizes:
        near = min((other for _, other in others), key=lambda other: abs(math.log(other / size)), default=size)
        left = size < near or (size == near and not dash)
        mark = {"type": "text", "clip": True, "angle": 270, "fontSize": 10.5, "align": "right", "dx": -4}
        mark["dy"] = -7 if left else 12
        halo = {"stroke": theme.colour("ground"), "strokeWidth": 4, "color": theme.colour("ground")}
        plain = {"color": theme.colour("muted" if dash else "ink")}
        data = {"values": [{"at": size, "text": f"{word} {show_bytes(size)}"}]}
        encoding = {"x": vega.field("at", "q"), "y": {"value": 0}, "text": {"field": "text", "type": "nominal"}}
        layers += [{"data": data, "mark": mark | look, "encoding": encoding} for look in (halo, plain)]
    return layers


def _curves(order: list[str], points: list[Point]) -> list[Spec]:
    highest = max(point["ns"] for point in points)
    x = vega.number("bytes", "footprint", "log", across=True, scale={"base": 2}, axis={"labelExpr": vega.SIZE_LABEL})
    y = vega.number(
        "ns", "latency, ns", "log", scale={"domainMax": ROOM * highest},
        axis={"values": vega.decades(0.1, ROOM * highest), "format": ".4~r", "labelOverlap": False},
    )  # fmt: skip
    hue = vega.hue("series", order)
    curves = Curves(x, y, hue)
    return [curves.band(), curves.line(), curves.dots(34, TIPS), vega.hollow(x, y, TIPS, 12)]


figures.add(Staircase())
