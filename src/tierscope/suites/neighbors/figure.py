"""Slowdown of a victim over the number of aggressors: one line per number of victims, one chart per victim."""

from tierscope.draw import figures, vega
from tierscope.draw.curves import Curves
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.neighbors.table import NeighborsRow, aggressor_name, victim_name
from tierscope.tables import Insight
from tierscope.units import show_seconds

BESIDE, ALONE = "with aggressors, against the same alone", "several victims, against one alone"
SHAPES = {BESIDE: "circle", ALONE: "diamond"}
TIPS = vega.tips(
    ("victim", "victim"), ("series", "together"), ("aggressors", "aggressors"), ("what", "aggressor"),
    ("slowdown", "slowdown"), ("low", "95 % interval from"), ("high", "to"), ("against", "against"),
    ("time", "time of one"), ("rounds", "rounds"), ("verdict", "verdict"),
)  # fmt: skip


class Neighbors:
    """1.0 is the victim alone; a bar is the interval of the slowdown."""

    name = "neighbors"
    title = "Slowdown with neighbours"
    table = "neighbors"
    reading = (
        "Time of a victim with aggressors over its time without them; both alternated, round by round. 1.0 means no "
        "slowdown; the bar through a point is the 95 % interval, hollow points are inconclusive. Diamonds stand for "
        "several victims without aggressors, compared with one victim alone."
    )

    def draw(self, run: Run, rows: list[NeighborsRow], insights: list[Insight]) -> Spec | None:
        """Return the figure of `neighbors`; rows compared with themselves are 1 by definition and start the lines."""
        points = [_point(row) for row in rows if row.slowdown]
        if not any(point["aggressors"] or point["kind"] == ALONE for point in points):
            return None
        title = vega.origin_title(self.title, run.result.origin)
        notes = [vega.missing(len(rows), len(points))]
        lone = [point | {"kind": BESIDE, "slowdown": 1.0, "low": 1.0, "high": 1.0}
                for point in points if point["kind"] == ALONE]  # fmt: skip
        return _spec(title, [*lone, *points], notes)


def _point(row: NeighborsRow) -> Point:
    several = not row.aggressors and row.against != "itself"
    return {
        "victim": victim_name(row),
        "series": "1 victim" if row.victims == 1 else f"{row.victims} victims",
        "kind": ALONE if several else BESIDE,
        "aggressors": row.aggressors,
        "what": aggressor_name(row),
        **vega.bar("slowdown", row.slowdown, lambda value: value),
        "against": row.against,
        "time": show_seconds(row.seconds.middle) if row.seconds else None,
        "rounds": row.rounds,
        "verdict": row.verdict,
    }


def _spec(title: str, points: list[Point], notes: list[str]) -> Spec:
    victims = list(dict.fromkeys(point["victim"] for point in points))
    layers = [vega.rule("y", 1.0, "rule", dash=True), *_marks(points)]
    labels = [*{str(point["series"]) for point in points}, *{str(point["kind"]) for point in points}]
    body: Spec = {"data": {"values": points}, "layer": layers}
    if len(victims) > 1:
        inner = {"layer": layers, "width": 330, "height": 240}
        facet = vega.field("victim", "n", None, sort=victims)
        body = {"data": {"values": points}, "facet": facet, "columns": min(2, len(victims)), "spec": inner}
    axes = {"x": "linear", "y": "linear"}
    return vega.finish(title, body, labels=labels, axes=axes, notes=notes, height=340)


def _marks(points: list[Point]) -> list[Spec]:
    counts = sorted({point["aggressors"] for point in points})
    series = sorted({str(point["series"]) for point in points}, key=lambda name: int(name.split()[0]))
    kinds = [kind for kind in SHAPES if any(point["kind"] == kind for point in points)]
    x = vega.number(
        "aggressors", "aggressors", scale={"nice": False, "padding": 12}, axis={"values": counts, "format": "d"}
    )
    y = vega.number("slowdown", "slowdown", zero=False, scale={"padding": 12})
    hue = vega.hue("series", series)
    shape = vega.field(
        "kind", "n", None, sort=kinds, scale={"domain": kinds, "range": [SHAPES[kind] for kind in kinds]}
    )
    curves = Curves(x, y, hue)
    line = {"transform": [{"filter": f"datum.kind === '{BESIDE}'"}], **curves.line()}
    dots = curves.dots(60, TIPS, shape=shape)
    return [curves.interval(3, strong=0.5), line, dots, vega.hollow(x, y, TIPS, 18)]


figures.add(Neighbors())
