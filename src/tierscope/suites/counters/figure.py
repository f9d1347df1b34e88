"""Performance events and metrics over the points of a run, as a map: each line relative to its own largest value."""

from tierscope.draw import cells, figures, heat, vega
from tierscope.draw.heat import Axes
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.counting import SIMULATED
from tierscope.record.result import Run
from tierscope.suites.counters.row import CountersRow
from tierscope.tables import Insight
from tierscope.units import show_bytes, show_seconds

WRITTEN = 10  # most points for which the cells show their number
MOST = 64  # points that are drawn
TIPS = vega.tips(
    ("counter", "counter"), ("word", "of one operation, or metric"), ("point", "experiment and group"),
    ("kernel", "kernel"), ("task", "task"), ("size", "footprint"), ("scope", "mode"),
)  # fmt: skip


class Counters:
    """A line for each counter that is not 0 at all points."""

    name = "counters"
    title = "Performance events of one operation"
    table = "counters"
    reading = (
        "Each line is one event, per operation, or one metric; each column one group of one experiment. A cell is full "
        "where the line has its largest value: lines show how a counter goes over the points, and cannot be compared "
        "with one another by colour. Values of 0, and those that were not counted, are not drawn."
    )

    def draw(self, run: Run, rows: list[CountersRow], insights: list[Insight]) -> Spec | None:
        """Draw the rows of `counters` that have a value."""
        every = [_point(row, row.shown) for row in rows if row.shown]
        names = list(dict.fromkeys(str(point["point"]) for point in every))
        points = [point for point in every if point["point"] in names[:MOST]]
        if not points:
            return None
        counters = sorted({str(point["counter"]) for point in points}, key=lambda name: (SIMULATED in name, name))
        for point in points:
            largest = max(abs(float(one["value"])) for one in points if one["counter"] == point["counter"])
            point["share"] = abs(float(point["value"])) / largest
        axes = Axes("point", "counter", names[:MOST], counters, "experiment.group", "")
        layers = [heat.cells(axes, "share", 1.0, "of the largest", TIPS)]
        if len(axes.columns) <= WRITTEN:
            layers.append(heat.words(axes, "word", "share", 1.0, size=10))
        body = {"hconcat": [heat.chart(axes, points, layers)]}
        notes = [f"{len(names) - MOST} more points in the table." if len(names) > MOST else ""]
        title = vega.origin_title(self.title, run.result.origin)
        return vega.finish(title, body, labels=["L1d-store-line-misses (simulated)"], notes=notes)


def _point(row: CountersRow, value: float) -> Point:
    group = f".{row.group}" if row.group else ""
    take = "" if row.take is None else f" take {row.take}"
    return {
        "point": f"{row.experiment}{group}{take}",
        "counter": f"{row.counter} (simulated)" if row.origin == SIMULATED else row.counter,
        "value": value,
        "word": show_seconds(value) if row.unit == "s" else f"{value:.3g}",
        "kernel": row.kernel,
        "task": row.task or cells.NOTHING,
        "size": show_bytes(row.footprint_bytes),
        "scope": row.scope or row.origin,
    }


figures.add(Counters())
