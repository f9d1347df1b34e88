"""Latency of one block operation over the block size: median and tail, few threads above, many below."""

from tierscope.draw import figures, theme, vega
from tierscope.draw.curves import Curves
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.draw.words import operation_name, threads_name
from tierscope.record.result import Run
from tierscope.suites.blocks.row import BlocksRow
from tierscope.tables import Insight
from tierscope.units import show_size

HUES = {"p50": "blue", "p90": "green", "p99": "amber", "p99.9": "vermilion"}
SHAPES = {"single": "circle", "mean of a batch": "square"}
TIPS = vega.tips(
    ("operation", "operation"), ("size", "block"), ("team", "team"), ("share", "percentile"), ("ns", "latency, ns"),
    ("low", "95 % interval from, ns"), ("high", "to, ns"), ("timed", "timed"), ("verdict", "verdict"),
)  # fmt: skip


class BlockLatency:
    """Both axes are logarithmic: a straight slope is a constant speed, and a flat start is the cost of a call."""

    name = "block_latency"
    title = "Latency of one block operation"
    table = "blocks"
    reading = (
        "Half of the operations take no longer than p50, 99 of 100 no longer than p99. The bar through a point is its "
        "interval; hollow points are inconclusive. Squares are means of a batch of operations too short to be timed "
        "one by one: single ones spread wider than they show. The figure shows one thread, the most threads that have "
        "a CPU each, and the most that share CPUs."
    )

    def draw(self, run: Run, rows: list[BlocksRow], insights: list[Insight]) -> Spec | None:
        """Draw the rows of `blocks`."""
        known = [row for row in rows if row.latency]
        counts = _counts(known)
        points = [point for row in known if row.threads in counts for point in _points(row)]
        if not points:
            return None
        title = vega.origin_title(self.title, run.result.origin)
        return _spec(title, points, [vega.missing(len(rows), len(known))])


def _counts(rows: list[BlocksRow]) -> set[int]:
    """Return the fewest and the most threads with a CPU each, and the most of all."""
    own, every = [row.threads for row in rows if not row.shared], [row.threads for row in rows]
    return {min(own, default=0), max(own, default=0), max(every, default=0)}


def _points(row: BlocksRow) -> list[Point]:
    """Return a point for each percentile that has enough samples."""
    team = threads_name(row.threads)
    turns = ", sharing CPUs" if row.shared else ""
    common = {
        "operation": operation_name(row.operation),
        "chart": f"{operation_name(row.operation)}, {team}{turns}",
        "size": show_size(row.block_bytes),
        "bytes": row.block_bytes,
        "threads": row.threads,
        "team": team,
        "timed": "single" if row.batched == 1 else "mean of a batch",
        "verdict": row.verdict,
    }
    tail = (("p99.9", row.latency_p999), ("p99", row.latency_p99), ("p90", row.latency_p90))
    every = (*tail, ("p50", row.latency))  # the median is drawn last, on top
    return [common | {"share": share, **vega.bar("ns", found, vega.ns)} for share, found in every if found]


def _spec(title: str, points: list[Point], notes: list[str]) -> Spec:
    operations = list(dict.fromkeys(str(point["operation"]) for point in points))
    points.sort(key=lambda point: (int(point["threads"]), operations.index(str(point["operation"]))))
    charts = list(dict.fromkeys(str(point["chart"]) for point in points))
    shares = [share for share in HUES if any(point["share"] == share for point in points)]
    kinds = [kind for kind in SHAPES if any(point["timed"] == kind for point in points)]
    inner = {"layer": _layers(points, shares, kinds), "width": 215, "height": 150}
    facet = vega.field("chart", "n", None, sort=charts)
    body = {"data": {"values": points}, "facet": facet, "columns": min(3, len(operations)), "spec": inner}
    return vega.finish(title, body, labels=[*shares, *kinds], axes={"x": "log", "y": "log"}, notes=notes)


def _layers(points: list[Point], shares: list[str], kinds: list[str]) -> list[Spec]:
    x = vega.number("bytes", "block", "log", axis=_sizes(points))
    y = vega.number("ns", "time of one operation", "log", axis={"labelExpr": vega.TIME_LABEL, "tickCount": 5})
    colour = vega.field(
        "share", "n", None, sort=shares,
        scale={"domain": shares, "range": [theme.colour(HUES[share]) for share in shares]},
    )  # fmt: skip
    shape = vega.field(
        "timed", "n", "timed", sort=kinds, legend={"symbolFillColor": theme.colour("muted")},
        scale={"domain": kinds, "range": [SHAPES[kind] for kind in kinds]},
    )  # fmt: skip
    curves = Curves(x, y, colour)
    dots = curves.dots(40, TIPS, shape=shape)
    return [curves.interval(strong=0.35), curves.line(1.5), dots, vega.hollow(x, y, TIPS, 12)]


def _sizes(points: list[Point]) -> Spec:
    """Return ticks at the sizes that were measured, with labels such as '8 KB'."""
    names = {int(point["bytes"]): str(point["size"]) for point in points}
    words = " : ".join(f"datum.value == {size} ? '{name}'" for size, name in sorted(names.items()))
    return {"values": sorted(names), "labelExpr": f"{words} : ''", "labelOverlap": False, "labelAngle": -45}


figures.add(BlockLatency())
