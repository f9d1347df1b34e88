"""Throughput of block operations over threads: one small chart per operation, one line per block size."""

from tierscope.draw import figures, theme, vega
from tierscope.draw.curves import Curves
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.draw.words import operation_name, threads_name
from tierscope.record.result import Run
from tierscope.suites.blocks.row import BlocksRow
from tierscope.tables import Insight
from tierscope.units import show_size

OWN, TURNS = "a CPU for each thread", "threads share CPUs"
SHAPES = {OWN: "circle", TURNS: "triangle-up"}
TIPS = vega.tips(
    ("operation", "operation"), ("size", "block"), ("team", "team"), ("place", "CPUs"), ("gb", "throughput, GB/s"),
    ("low", "95 % interval from, GB/s"), ("high", "to, GB/s"), ("efficiency", "of one thread times their number, %"),
    ("share", "of peak, %"), ("best", "best count"), ("verdict", "verdict"),
)  # fmt: skip


class Blocks:
    """Lines over the logarithm of the thread count, so that each doubling is one step."""

    name = "blocks"
    title = "Throughput of block operations over threads"
    table = "blocks"
    reading = (
        "The same memory is shared out among more and more threads; one operation moves one block. Program bytes per "
        "second: a copied byte counts twice. The bar through a point is the interval of the median, a hollow point is "
        "inconclusive, a triangle marks more threads than CPUs, which then share the CPUs."
    )

    def draw(self, run: Run, rows: list[BlocksRow], insights: list[Insight]) -> Spec | None:
        """Draw the rows of `blocks`."""
        points = [_point(row) for row in rows if row.throughput and row.throughput.middle]
        if not points:
            return None
        sizes = [show_size(size) for size in sorted({row.block_bytes for row in rows})]
        title = vega.origin_title(self.title, run.result.origin)
        return _spec(title, points, sizes, [vega.missing(len(rows), len(points))])


def _point(row: BlocksRow) -> Point:
    return {
        "operation": operation_name(row.operation),
        "size": show_size(row.block_bytes),
        "threads": row.threads,
        "team": threads_name(row.threads),
        "place": TURNS if row.shared else OWN,
        **vega.bar("gb", row.throughput, vega.gb),
        "efficiency": round(100 * row.efficiency.middle, 2) if row.efficiency else None,
        "share": None if row.peak_share is None else round(100 * row.peak_share, 2),
        "best": {True: "this one", False: "another", None: "not distinguished"}[row.best],
        "verdict": row.verdict,
    }


def _spec(title: str, points: list[Point], sizes: list[str], notes: list[str]) -> Spec:
    operations = list(dict.fromkeys(str(point["operation"]) for point in points))
    places = [place for place in SHAPES if any(point["place"] == place for point in points)]
    inner = {"layer": _layers(points, sizes, places), "width": 190, "height": 190}
    facet = vega.field("operation", "n", None, sort=operations)
    body = {"data": {"values": points}, "facet": facet, "columns": min(3, len(operations)), "spec": inner}
    return vega.finish(title, body, labels=[*sizes, *places], axes={"x": "log", "y": "linear"}, notes=notes)


def _layers(points: list[Point], sizes: list[str], places: list[str]) -> list[Spec]:
    counts = sorted({int(point["threads"]) for point in points})
    x = vega.number("threads", "threads", "log", scale={"nice": False}, axis={"values": counts, "format": "d"})
    y = vega.number("gb", "GB/s", axis={"tickCount": 5})
    colour = vega.hue("size", sizes)
    shape = vega.field(
        "place", "n", None, sort=places, legend={"symbolFillColor": theme.colour("muted")},
        scale={"domain": places, "range": [SHAPES[place] for place in places]},
    )  # fmt: skip
    curves = Curves(x, y, colour)
    dots = curves.dots(72, TIPS, shape=shape)
    return [curves.interval(strong=0.35), curves.line(), dots, vega.hollow(x, y, TIPS, 16)]


figures.add(Blocks())
