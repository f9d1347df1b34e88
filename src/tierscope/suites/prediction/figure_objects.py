"""The objects of a program: the share of the added time that waits for each, and its share of the moved bytes."""

from tierscope.draw import figures, theme, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.draw.words import shortened
from tierscope.record.result import Run
from tierscope.suites.prediction.row_placed import ObjectRow
from tierscope.tables import Insight
from tierscope.units import show_bytes

MOST = 12  # objects of a tier
LONGEST = 48  # letters of a name
WAITS, MOVES = "added time that waits for it", "bytes that the memory moves for it"
PARTS = (WAITS, MOVES)
TIPS = vega.tips(("object", "object"), ("size", "size"), ("part", "share of"), ("share", "share, %"))


class Objects:
    """One chart for each tier, with two bars for each object."""

    name = "prediction_objects"
    title = "Objects that wait, and objects that move bytes"
    table = "prediction_objects"
    reading = (
        "Two bars for each object: its share of the time that the tier adds, and its share of the bytes that the "
        "memory reads and writes. A long first bar with a short second one is data that the core waits for: keep it in "
        "the memory here. A long second bar alone is data that is fetched before it is needed."
    )

    def draw(self, run: Run, rows: list[ObjectRow], insights: list[Insight]) -> Spec | None:
        """Return the figure of the objects that wait most; None if there are none."""
        del insights
        tiers = list(dict.fromkeys(row.tier for row in rows))
        shown = [row for tier in tiers for row in _first([row for row in rows if row.tier == tier])]
        points = [point for row in shown for point in _points(row)]
        if not points:
            return None
        names = list(dict.fromkeys(point["name"] for point in points))
        inner: Spec = {"layer": [_bars(names)], "width": vega.WIDTH - 300, "height": {"step": 13}}
        facet = vega.field("tier", "n", None, sort=tiers)
        body: Spec = {"data": {"values": points}, "facet": facet, "columns": 1, "spec": inner}
        body["resolve"] = {"scale": {"y": "independent"}}
        left = len(rows) - len(shown)
        notes = [f"{left} objects that wait less are in the table alone."] if left else []
        title = vega.origin_title(self.title, run.result.origin)
        return vega.finish(title, body, labels=list(PARTS), notes=notes)


def _first(rows: list[ObjectRow]) -> list[ObjectRow]:
    """Return the rows that have the largest shares of either kind, in their order."""
    most = sorted(rows, key=lambda row: -max(row.added_share, row.moved_share or 0.0))[:MOST]
    return [row for row in rows if row in most]


def _points(row: ObjectRow) -> list[Point]:
    name = shortened(row.object, LONGEST)
    size = "" if row.size is None else show_bytes(row.size)
    shares = dict(zip(PARTS, (row.added_share, row.moved_share), strict=True))
    return [
        {"tier": row.tier, "name": name, "object": row.object, "size": size, "part": part,
         "share": vega.digits(100 * share, 3)}
        for part, share in shares.items()
        if share is not None
    ]  # fmt: skip


def _bars(names: list[str]) -> Spec:
    hues = {"domain": list(PARTS), "range": theme.hues(len(PARTS))}
    return {
        "params": [vega.pick("part")],
        "mark": {"type": "bar", "clip": True, "opacity": 0.85},
        "encoding": {
            "y": vega.field("name", "n", None, sort=names, axis={"labelLimit": 290}),
            "yOffset": {"field": "part", "type": "nominal", "sort": list(PARTS)},
            "x": vega.number("share", "share, %", across=True),
            "color": vega.field("part", "n", None, scale=hues),
            "opacity": vega.shown("part", strong=0.85),
            "tooltip": TIPS,
        },
    }


figures.add(Objects())
