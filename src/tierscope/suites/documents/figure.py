"""The figure of claims: a line for each, with its number and interval here, and what the document published."""

from tierscope.draw import figures, theme, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.documents.claim import NO, UNKNOWN, YES
from tierscope.suites.documents.row import ClaimRow
from tierscope.tables import Insight

ROOM = 1.2  # times the least and the largest number: the marks keep clear of the edges
LINE_PX = 34
LETTERS = 330  # px of a claim's sentence before the axis
ORDER = [YES, NO, UNKNOWN]
TIPS = vega.tips(
    ("claim", "claim"), ("number", "number"), ("here", "here"), ("low", "from"), ("high", "to"),
    ("published_low", "published from"), ("published_high", "to"), ("rule", "needed"), ("holds", "true here"),
    ("why", "why"),
)  # fmt: skip


class Claims:
    """The chart of the claims; its axis is logarithmic because most claims are about ratios."""

    name = "claims"
    title = "Claims of the document, here and as published"
    table = "claims"
    reading = (
        "Each line is one claim with the number that decides it, mostly a ratio. A thick bar with a point is this "
        "machine, coloured by the verdict; its length is the interval of all points together. The thin dark bar "
        "below it is what the document published. Numbers of two claims do not compare."
    )

    def draw(self, run: Run, rows: list[ClaimRow], insights: list[Insight]) -> Spec | None:
        """Return the chart of the rows of `claims`."""
        points = [found for row in rows if (found := point(row))]
        if not points:
            return None
        names = [str(one["claim"]) for one in points]
        body: Spec = {"data": {"values": points}, "layer": layers(points, names)}
        notes = [vega.missing(len(rows), len(points)), _replaced(rows)]
        title = vega.origin_title(self.title, run.result.origin)
        width, height = vega.WIDTH - LETTERS, LINE_PX * len(points)
        return vega.finish(title, body, labels=ORDER, axes={"x": "log"}, notes=notes, width=width, height=height)


def point(row: ClaimRow) -> Point | None:
    """Return one datum; None for a claim without a positive number here."""
    if row.value is None or row.value.low <= 0:
        return None
    return {
        "claim": row.says,
        "number": row.number,
        **vega.bar("here", row.value, lambda value: vega.digits(value, 4)),
        "published_low": vega.digits(row.published_low, 4),
        "published_high": vega.digits(row.published_high, 4),
        "rule": row.rule,
        "holds": row.holds,
        "why": row.why,
    }


def _replaced(rows: list[ClaimRow]) -> str:
    why = next((row.stand_in for row in rows if row.stand_in), "")
    return f"The second tier is a stand-in: {why}." if why else ""


def layers(points: list[Point], names: list[str]) -> list[Spec]:
    """Return the published bar, the bar here and its point."""
    ends = [float(one[key]) for one in points for key in ("low", "high", "published_low", "published_high") if one[key]]
    domain = [min(ends) / ROOM, ROOM * max(ends)]
    axis = {"values": vega.decades(*domain), "format": ".3~r"}
    x = vega.number("low", "ratio, or share", "log", scale={"domain": domain, "nice": False}, axis=axis)
    y = vega.field("claim", "n", None, sort=names, axis={"labelLimit": LETTERS - 20})
    hues = {"domain": ORDER, "range": [theme.colour(role) for role in ("good", "bad", "muted")]}
    colour = vega.field("holds", "n", None, scale=hues, sort=ORDER)
    bar = {"type": "rule", "clip": True, "strokeWidth": 7}
    published = {"type": "rule", "clip": True, "strokeWidth": 3, "color": theme.colour("ink"), "yOffset": 9}
    there = x | {"field": "published_low"}
    return [
        {
            "params": [vega.zoom(("x",))],
            "mark": bar,
            "encoding": {"x": x, "x2": {"field": "high"}, "y": y, "color": colour, "tooltip": TIPS},
        },
        {
            "transform": [{"filter": "isValid(datum.published_low)"}],
            "mark": published,
            "encoding": {"x": there, "x2": {"field": "published_high"}, "y": y, "tooltip": TIPS},
        },
        {
            "transform": [{"filter": "isValid(datum.published_low)"}],
            "mark": {"type": "tick", "clip": True, "color": theme.colour("ink"), "height": 9, "yOffset": 9},
            "encoding": {"x": there, "y": y, "tooltip": TIPS},
        },
        {
            "mark": {"type": "point", "clip": True, "filled": True, "size": 50, "color": theme.colour("ink")},
            "encoding": {"x": x | {"field": "here"}, "y": y, "tooltip": TIPS},
        },
    ]


figures.add(Claims())
