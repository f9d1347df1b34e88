"""Time per line over the size of fresh regions: a step up for each buffer that the region outgrew."""

from tierscope.draw import figures, theme, vega
from tierscope.draw.curves import Curves
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.buffers.row import BuffersRow
from tierscope.tables import Insight, tables
from tierscope.tables.regions import RegionsRow
from tierscope.units import LINE_BYTES, show_bytes

ROOM = 1.3  # factor on the fastest and the slowest: the points keep away from the edges
TIPS = vega.tips(
    ("series", "operation"), ("size", "region"), ("ns", "time per line, ns"), ("low", "95 % interval from, ns"),
    ("high", "to, ns"), ("fit", "fit, ns"), ("verdict", "verdict"),
)  # fmt: skip
RULES = "buffers"  # the table whose capacities are drawn as rules


class Regions:
    """Points with their intervals, and the fit as a line. Capacities are rules, with their intervals as bands."""

    name = "regions"
    title = "Fresh regions"
    table = "regions"
    reading = (
        "Each line of a region is visited once, so that no cache of the processor helps; what is found is a neighbour "
        "in a buffer of the memory. Where the curve rises, the region outgrew a buffer: rules are the capacities "
        "found, bands their 95 % intervals. Pairs of lines are shown over their distance, and rise up to each unit. "
        "Scattered regions fall where a unit is brought in for one line only. "
        "Lines show what the buffers found would give. Hollow points are inconclusive."
    )

    def draw(self, run: Run, rows: list[RegionsRow], insights: list[Insight]) -> Spec | None:
        """Draw the rows of `regions`, and the capacities of `buffers`."""
        line = run.result.machine.line_bytes()
        points = [point(row, line) for row in rows if row.latency]
        if not points:
            return None
        names = list(dict.fromkeys(str(one["series"]) for one in points))
        bands = [layer for row in tables[RULES].rows(run) if row.part != "writes" for layer in _band(row)]
        body = {"data": {"values": points}, "layer": [*bands, *_layers(points, names)]}
        title = vega.origin_title(self.title, run.result.origin)
        notes = [vega.missing(len(rows), len(points))]
        return vega.finish(title, body, labels=names, axes={"x": "log", "y": "log"}, notes=notes, height=400)


def point(row: RegionsRow, line_bytes: int = LINE_BYTES) -> Point:
    """Return one datum. line_bytes: of the caches; a write past them has 64 bytes."""
    usual = line_bytes if row.operation == "read" else LINE_BYTES
    block = "" if row.block_bytes == usual else f", blocks of {show_bytes(row.block_bytes)}"
    order, size = ", scattered" if row.scattered else "", row.region_bytes
    if row.stride_bytes:
        order = ", pairs" if row.scattered else f", passes of {show_bytes(row.stride_bytes)}"
        size = row.stride_bytes if row.scattered else size
    return {
        "series": f"{row.operation}{order}{block}",
        "bytes": size,
        "size": show_bytes(size),
        **vega.bar("ns", row.latency, vega.ns),
        "fit": vega.ns(row.fit_s),
        "verdict": row.verdict,
    }


def _band(row: BuffersRow) -> list[Spec]:
    """Return the interval of a capacity, and the rule in it."""
    if not row.capacity:
        return []
    band = {
        "data": {"values": [{"from": row.capacity.low, "to": row.capacity.high}]},
        "mark": {"type": "rect", "clip": True, "opacity": 0.18, "color": theme.colour("rule")},
        "encoding": {"x": vega.field("from", "q"), "x2": {"field": "to"}},
    }
    return [band, vega.rule("x", row.capacity.middle, "ink")]


def _layers(points: list[Point], names: list[str]) -> list[Spec]:
    times = [float(one[key]) for one in points for key in ("ns", "fit") if one[key]]
    x = vega.number("bytes", "region", "log", across=True, scale={"base": 2}, axis={"labelExpr": vega.SIZE_LABEL})
    y = vega.number(
        "ns", "time per line, ns", "log", scale={"domain": [min(times) / ROOM, ROOM * max(times)], "nice": False},
        axis={"values": vega.decades(min(times) / ROOM, ROOM * max(times)), "format": ".4~r"},
    )  # fmt: skip
    hue = vega.hue("series", names)
    curves = Curves(x, y, hue)
    fit = {
        "transform": [{"filter": "isValid(datum.fit)"}],
        "mark": {"type": "line", "clip": True, "strokeWidth": 1.2},
        "encoding": {"x": x, "y": vega.field("fit", "q"), "color": curves.same, "opacity": curves.shown()},
    }
    dots = {
        "params": [vega.zoom(), vega.pick("series")],
        "mark": {"type": "point", "clip": True, "size": 34},
        "encoding": {"x": x, "y": y, "color": hue, "opacity": curves.shown(), "tooltip": TIPS},
    }
    return [fit, curves.interval(3), dots, vega.hollow(x, y, TIPS, 12)]


figures.add(Regions())
