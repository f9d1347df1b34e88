"""Slowdown over latency: the steps of each lever with both intervals, the line, its bounds, and the tiers."""

from tierscope.draw import figures, vega
from tierscope.draw.curves import Curves
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.stats.median import Interval
from tierscope.suites.response.found import Found, found
from tierscope.suites.response.row import ResponseRow
from tierscope.suites.response.table_tiers import ResponseTiers
from tierscope.tables import Insight

PLACES = 40  # of the line, from the smallest to the largest latency shown
TIPS = vega.tips(
    ("lever", "lever"), ("step", "step"), ("over", "latency over that without"), ("over_low", "from"),
    ("over_high", "to"), ("slowdown", "slowdown"), ("low", "95 % interval from"), ("high", "to"),
    ("verdict", "verdict"),
)  # fmt: skip


class ResponseFigure:
    """1 and 1 is the program without a lever."""

    name = "response"
    title = "Run time over latency"
    table = "response"
    reading = (
        "Each point is a step of a lever: the latency that it made, and the time of the program, both over those "
        "without the lever. Bars are 95 % intervals. The line is the fit, and the band contains the program by this "
        "lever: it widens beyond the last step. Diamonds are the tiers that were asked for. A lever whose range of "
        "latency is too small has points and no line."
    )

    def draw(self, run: Run, rows: list[ResponseRow], insights: list[Insight]) -> Spec | None:
        """Return the figure of the steps; None without a step that has both ratios."""
        del insights
        steps = [_point(row) for row in rows if row.over and row.slowdown and row.number]
        if not steps:
            return None
        tiers = [
            {"lever": row.lever, "step": row.tier, "over": vega.digits(row.over), **_bar(row.slowdown), "verdict": ""}
            for row in ResponseTiers().rows(run)
            if row.slowdown
        ]
        most = max([float(point["over"]) for point in (*steps, *tiers)])
        lines = [point for one in found(rows) for point in _line(one, most)]
        names = list(dict.fromkeys(row.lever for row in rows))
        body: Spec = {"layer": _layers(steps, tiers, lines, names)}
        title = vega.origin_title(self.title, run.result.origin)
        notes = [vega.missing(sum(row.number > 0 for row in rows), len(steps)), *_refused(rows)]
        return vega.finish(title, body, labels=names, axes={"x": "linear", "y": "linear"}, notes=notes, height=380)


def _bar(one: Interval | None) -> Point:
    return vega.bar("slowdown", one, vega.digits)


def _point(row: ResponseRow) -> Point:
    return {
        "lever": row.lever,
        "step": row.step,
        **vega.ends("over", row.over, vega.digits),
        **_bar(row.slowdown),
        "verdict": row.verdict,
    }


def _line(one: Found, most: float) -> list[Point]:
    if one.fit is None or one.why:
        return []
    low = min(one.fit.nearest, 1.0)
    places = [low + (most - low) * place / PLACES for place in range(PLACES + 1)]
    made = [(place, one.at(place)) for place in places]
    return [
        {"lever": one.lever, "over": vega.digits(place), "slowdown": vega.digits(said.value),
         "low": vega.digits(said.low), "high": vega.digits(said.high)}
        for place, said in made
        if not isinstance(said, str)
    ]  # fmt: skip


def _refused(rows: list[ResponseRow]) -> list[str]:
    return [f"Lever {one.lever}: {one.why}." for one in found(rows) if one.why]


def _layers(steps: list[Point], tiers: list[Point], lines: list[Point], names: list[str]) -> list[Spec]:
    x = vega.number("over", "latency over that without the lever", zero=False, across=True, scale={"padding": 12})
    y = vega.number("slowdown", "slowdown", zero=False, scale={"padding": 12})
    hue = vega.hue("lever", names)
    curves = Curves(x, y, hue)
    band = {
        "mark": {"type": "area", "clip": True, "opacity": 0.18},
        "encoding": {"x": x, "y": vega.field("low", "q"), "y2": {"field": "high"}, "color": curves.same},
    }
    across = {
        "mark": {"type": "rule", "clip": True, "strokeWidth": 2},
        "encoding": {
            "x": vega.field("over_low", "q"), "x2": {"field": "over_high"}, "y": y, "color": curves.same,
            "opacity": curves.shown(0.6),
        },
    }  # fmt: skip
    there = {
        **curves.dots(70, TIPS),
        "mark": {"type": "point", "clip": True, "size": 70, "shape": "diamond", "filled": True},
    }
    layers = [
        (lines, band), (lines, curves.line()), ([*steps, *tiers], curves.interval(2, 0.6)), (steps, across),
        (steps, curves.dots(60, TIPS)), (tiers, there), (steps, vega.hollow(x, y, TIPS, 18)),
    ]  # fmt: skip
    return [{"data": {"values": points}, **layer} for points, layer in layers if layer is not there or tiers]


figures.add(ResponseFigure())
