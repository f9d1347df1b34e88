"""Percentiles of the latency of single accesses, idle and under load."""

from tierscope.draw import figures, theme, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.loaded_latency.table_tails import SHARES, LatencyTailRow
from tierscope.tables import Insight

NAMES = {"p50": "50", "p90": "90", "p99": "99", "p999": "99.9", "p9999": "99.99"}
COLOURS = ("blue", "amber", "vermilion", "purple", "green", "sky", "grey")
TIPS = vega.tips(
    ("series", "load"), ("percentile", "percentile"), ("ns", "latency, ns"), ("ns_low", "95 % interval from, ns"),
    ("ns_high", "to, ns"), ("hops", "accesses of a batch"), ("verdict", "verdict"),
)  # fmt: skip


class LatencyTail:
    """A line for each load, from the median to the last percentile that is supported."""

    name = "latency_tail"
    title = "Tail of latency"
    table = "latency_tail"
    reading = (
        "Each line goes from the median to the highest percentile that the number of batches and the clock support. "
        "Bars are intervals by order statistics, which include the range of the clock. Idle lines were measured in "
        "alternation with those under load."
    )

    def draw(self, run: Run, rows: list[LatencyTailRow], insights: list[Insight]) -> Spec | None:
        """Return the chart of the rows of `latency_tail`."""
        points = [point for row in rows for point in _points(row)]
        if not points:
            return None
        series = list(dict.fromkeys(str(point["series"]) for point in points))
        hues = [theme.colour(COLOURS[number % len(COLOURS)]) for number in range(len(series))]
        x = vega.field("percentile", "o", "percentile", sort=list(NAMES.values()), axis={"labelAngle": 0})
        y = vega.number("ns", "latency, ns", log=True)
        hue = vega.field("series", "n", None, sort=series, scale={"domain": series, "range": hues})
        same = {"field": "series", "type": "nominal"}
        low_high = {"x": x, "y": vega.field("ns_low", "q"), "y2": {"field": "ns_high"}, "color": same}
        layers = [
            {"mark": {"type": "rule", "strokeWidth": 2.5, "opacity": 0.5}, "encoding": low_high},
            {"mark": {"type": "line", "strokeWidth": 1.8}, "encoding": {"x": x, "y": y, "color": hue}},
            {"mark": {"type": "point", "size": 40}, "encoding": {"x": x, "y": y, "color": same, "tooltip": TIPS}},
        ]
        missing = len(rows) * len(SHARES) - len(points)
        notes = [f"{missing} percentiles are not supported; the table contains the reasons." if missing else ""]
        body = {"data": {"values": points}, "layer": layers}
        title = vega.origin_title(self.title, run.result.origin)
        return vega.finish(title, body, labels=series, axes={"y": "log"}, notes=notes, height=340)


def name_of(row: LatencyTailRow) -> str:
    """Return 'read, delay 0' or the same behind 'idle'."""
    load = f"{row.mix}, delay {row.delay_cycles}"
    return load if row.loaded else f"idle, next to {load}"


def _points(row: LatencyTailRow) -> list[Point]:
    return [
        {
            "series": name_of(row),
            "percentile": NAMES[name],
            **vega.ends("ns", found, vega.ns),
            "hops": row.hops,
            "verdict": row.verdict,
        }
        for name in SHARES
        if (found := row.percentile(name))
    ]


figures.add(LatencyTail())
