"""Latency and bandwidth between nodes: two maps side by side, with the number and its ratio to local in each cell."""

from tierscope.draw import figures, heat, theme, vega
from tierscope.draw.heat import Axes
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.numa.row import NumaRow
from tierscope.tables import Insight
from tierscope.units import three_digits

SIDE = 300  # px of one of two maps next to each other
BESIDE = 8  # targets; with more, one map is below the other
SIDE_BY_SIDE = 2  # maps of one line
RATIO = 26  # px of a cell in which a second line fits
WRITTEN = 16  # px of a cell in which a number fits
TIPS = vega.tips(
    ("from", "from"), ("to", "to"),
    ("ns", "latency, ns"), ("wait_low", "95 % interval from, ns"), ("wait_high", "to, ns"),
    ("gb", "bandwidth, GB/s"), ("low", "95 % interval from, GB/s"), ("high", "to, GB/s"),
    ("busy", "latency under load, ns"), ("team", "threads"), ("distance", "distance (firmware)"),
    ("told_ns", "firmware reports, ns"), ("told_gb", "firmware reports, GB/s"), ("verdict", "verdict"),
)  # fmt: skip


class Numa:
    """A map of the latency, and one of the bandwidth and of the latency under load for each kernel."""

    name = "numa"
    title = "NUMA: latency and bandwidth between nodes"
    table = "numa"
    reading = (
        "Rows are the nodes whose CPUs ask, columns the nodes whose memory answers; a column marked * has no CPUs. "
        "Latency is that of one CPU on an idle machine, bandwidth that of all CPUs of the row. Below each number "
        "is its ratio to the row's own node; below a latency under load, its ratio to that without load. "
        "A stronger colour is more: slower on the left, faster on the right; "
        "a number with ? is inconclusive."
    )

    def draw(self, run: Run, rows: list[NumaRow], insights: list[Insight]) -> Spec | None:
        """Return the chart of the rows of `numa`."""
        points = [_point(row) for row in rows]
        kernels = list(dict.fromkeys(row.kernel for row in rows))
        charts = []
        for place, kernel in enumerate(kernels):
            mine = [row for row in rows if row.kernel == kernel]
            drawn = [point for row, point in zip(rows, points, strict=True) if row.kernel == kernel]
            of = f" of {kernel}" if len(kernels) > 1 else ""
            beside = f"latency with {kernel}, ns"
            parts = [("latency, ns", "ns")] * (place == 0) + [(f"bandwidth{of}, GB/s", "gb"), (beside, "busy")]
            charts += [_chart(mine, drawn, *part) for part in parts if any(point[part[1]] for point in drawn)]
        if not charts:
            return None
        wide = len({row.target for row in rows}) > BESIDE or len(charts) > SIDE_BY_SIDE
        body = {"vconcat" if wide else "hconcat": charts, "spacing": 46}
        body["resolve"] = {"scale": {"opacity": "independent"}}
        notes = [_absent(points)]
        return vega.finish(vega.origin_title(self.title, run.result.origin), body, labels=["000"], notes=notes)


def _node(row: NumaRow) -> str:
    return f"{row.target}" if row.cpus else f"{row.target}*"


def _point(row: NumaRow) -> Point:
    waits, speed = vega.ends("wait", row.latency, vega.ns), vega.bar("gb", row.bandwidth, vega.gb)
    wait = waits.pop("wait")
    busy = vega.ends("busy", row.loaded_latency, vega.ns)
    mark = "" if row.conclusive else "?"
    return {
        "initiator": f"{row.initiator}",
        "target": _node(row),
        "from": f"node {row.initiator}",
        "to": f"node {row.target}" + ("" if row.cpus else ", no CPUs"),
        "ns": wait,
        "ns_word": f"{three_digits(wait)}{mark}" if wait else "",
        "ns_ratio": _times(row.latency_ratio),
        **waits,
        **speed,
        **busy,
        "busy_word": f"{three_digits(busy['busy'])}{mark}" if busy["busy"] else "",
        "busy_ratio": _times(busy["busy"] / wait if busy["busy"] and wait else None),
        "gb_word": f"{three_digits(speed['gb'])}{mark}" if speed["gb"] else "",
        "gb_ratio": _times(row.bandwidth_ratio),
        "team": row.threads,
        "distance": row.distance,
        "told_ns": vega.ns(row.reported_latency_s),
        "told_gb": vega.gb(row.reported_bandwidth_bytes_per_s),
        "verdict": row.verdict,
    }


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f}×"


def _chart(rows: list[NumaRow], points: list[Point], title: str, key: str) -> Spec:
    """Return one map; nodes are in order of their numbers."""
    targets = {row.target: _node(row) for row in rows}
    order = [targets[number] for number in sorted(targets)]
    initiators = sorted({row.initiator for row in rows})
    side = SIDE if len(order) <= BESIDE else heat.SIDE
    axes = Axes("target", "initiator", order, [f"{n}" for n in initiators], "memory of node", "CPUs of node", side)
    drawn = [point for point in points if point[key]]
    top = max(float(point[key]) for point in drawn)
    layers = [heat.cells(axes, key, top, title, TIPS)]
    layers[0]["encoding"]["opacity"]["legend"] = None  # the numbers are in the cells
    if axes.cell >= WRITTEN:
        two = axes.cell >= RATIO
        size = max(8.0, min(14.0, axes.cell * 0.3))
        layers.append(heat.words(axes, f"{key}_word", key, top, dy=-0.1 * axes.cell if two else 0, size=size))
        if two:
            layers.append(heat.words(axes, f"{key}_ratio", key, top, dy=0.22 * axes.cell, size=max(7.0, size * 0.75)))
    head = {"text": title, "fontSize": 12, "fontWeight": "normal", "color": theme.colour("ink")}
    return {**heat.chart(axes, drawn, layers), "title": head}


def _absent(points: list[Point]) -> str:
    absent = sum(not (point["ns"] and point["gb"]) for point in points)
    lack = "lacks" if absent == 1 else "lack"
    return f"{absent} of {len(points)} cells {lack} a latency or a bandwidth: see the table for why." if absent else ""


figures.add(Numa())
