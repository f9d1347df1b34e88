"""All nodes at the same time: a bar of the machine for each kernel, made of its nodes, and what they reach alone."""

from tierscope.draw import figures, theme, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.numa.row import InjectionRow
from tierscope.tables import Insight

ALL = "all"
TIPS = vega.tips(
    ("kernel", "kernel"), ("node", "node"), ("gb", "bandwidth, GB/s"), ("low", "95 % interval from, GB/s"),
    ("high", "to, GB/s"), ("alone", "alone, GB/s"), ("reads", "reads, %"), ("bus", "on the bus, GB/s"),
    ("threads", "threads"), ("verdict", "verdict"),
)  # fmt: skip


class Injection:
    """Bars start at zero; the mark of a bar is the sum of the nodes alone."""

    name = "injection"
    title = "All nodes at the same time, each on its own memory"
    table = "injection"
    reading = (
        "Each bar is what all nodes move at the same time with one kernel, in program bytes; its parts are the nodes. "
        "The rule at its end is the 95 % interval of the sum, and the cross is the sum of the nodes alone: a bar that "
        "ends before its cross shows that nodes share something. A pale bar is inconclusive."
    )

    def draw(self, run: Run, rows: list[InjectionRow], insights: list[Insight]) -> Spec | None:
        """Return the chart of the rows of `injection`."""
        del insights
        points = [_point(row) for row in rows if row.bandwidth and row.bandwidth.middle]
        wholes = [point for point in points if point["node"] == ALL]
        if not wholes:
            return None
        parts = [point for point in points if point["node"] != ALL] or wholes
        kernels, nodes = (list(dict.fromkeys(str(point[key]) for point in points)) for key in ("kernel", "node"))
        body: Spec = {"layer": _layers(parts, wholes, kernels, [node for node in nodes if node != ALL])}
        peak = vega.gb(run.result.machine.peak_bytes_per_s)
        note = f"Theoretical peak on the bus: {peak:.4g} GB/s." if peak else ""
        notes = [vega.missing(len(rows), len(points)), note]
        title = vega.origin_title(self.title, run.result.origin)
        return vega.finish(title, body, labels=nodes, notes=notes, height=60 + 34 * len(kernels))


def _point(row: InjectionRow) -> Point:
    return {
        "kernel": row.kernel,
        "node": row.node,
        **vega.bar("gb", row.bandwidth, vega.gb),
        "alone": vega.gb(row.alone.middle) if row.alone else None,
        "reads": None if row.read_share is None else round(100 * row.read_share),
        "bus": vega.gb(row.bus_bytes_per_s),
        "threads": row.threads,
        "verdict": row.verdict,
    }


def _layers(parts: list[Point], wholes: list[Point], kernels: list[str], nodes: list[str]) -> list[Spec]:
    y = vega.field("kernel", "n", None, sort=kernels)
    x = vega.number("gb", "GB/s", across=True)
    pale = {"condition": {"test": "datum.verdict === 'inconclusive'", "value": 0.4}, "value": 0.85}
    hues = {"domain": nodes, "range": theme.hues(len(nodes))} if nodes else None
    colour = vega.field("node", "n", "node", sort=nodes, scale=hues) if nodes else {"value": theme.colour("good")}
    bars = {
        "data": {"values": parts},
        "mark": {"type": "bar", "clip": True, "height": {"band": 0.6}},
        "encoding": {"y": y, "x": {**x, "stack": "zero"}, "color": colour, "opacity": pale, "tooltip": TIPS,
                     "order": {"field": "node"}},
    }  # fmt: skip
    rule = {
        "data": {"values": wholes},
        "mark": {"type": "rule", "clip": True, "strokeWidth": 3, "color": theme.colour("ink")},
        "encoding": {"y": y, "x": vega.field("low", "q"), "x2": {"field": "high"}, "tooltip": TIPS},
    }
    alone = {
        "data": {"values": [point for point in wholes if point["alone"]]},
        "mark": {"type": "point", "shape": "cross", "size": 70, "filled": True, "color": theme.colour("ink")},
        "encoding": {"y": y, "x": vega.field("alone", "q"), "tooltip": TIPS},
    }
    return [bars, rule, alone]


figures.add(Injection())
