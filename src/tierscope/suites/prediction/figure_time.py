"""The parts of the time on each tier: computing, waits for latency, waits for bandwidth."""

from tierscope.draw import figures, theme, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.prediction.row import PredictionRow
from tierscope.tables import Insight

PARTS = ("the rest", "waits for misses", "waits for bandwidth")
TIPS = vega.tips(("tier", "tier"), ("part", "part"), ("ratio", "of the time here"), ("share", "of the time there, %"))


class WhereTimeGoes:
    """A bar is as long as the program takes there, over its time here."""

    name = "prediction_time"
    title = "Where the time goes, for each tier"
    table = "prediction"
    reading = (
        "Each bar is the time of the program on a tier over its time here. Its parts are the time that disappears "
        "if no access waits for another (bandwidth), the time that also disappears if memory answers immediately "
        "(misses), and the rest. The thin rule is the range of the bounds. The dashed line is the time here."
    )

    def draw(self, run: Run, rows: list[PredictionRow], insights: list[Insight]) -> Spec | None:
        """Return the figure of the tiers that have an answer; None if there are none."""
        del insights
        known = [row for row in rows if row.slowdown]
        if not known:
            return None
        points = [point for row in known for point in _parts(row)]
        bounds = [{"tier": row.tier, "low": vega.digits(row.slowdown.low), "high": vega.digits(row.slowdown.high)}
                  for row in known if row.slowdown]  # fmt: skip
        tiers = list(dict.fromkeys(row.tier for row in known))
        body: Spec = {"layer": _layers(points, bounds, tiers)}
        notes = [vega.missing(len(rows), len(known))]
        title = vega.origin_title(self.title, run.result.origin)
        return vega.finish(title, body, labels=list(PARTS), notes=notes, height=60 + 40 * len(tiers))


def shares(latency: float | None, bandwidth: float | None) -> dict[str, float]:
    """Return the share of each part; both waits are shares of the time there, None where there are none."""
    misses, width = latency or 0.0, bandwidth or 0.0
    return dict(zip(PARTS, (max(1 - misses - width, 0.0), misses, width), strict=True))


def _parts(row: PredictionRow) -> list[Point]:
    whole = row.slowdown.middle if row.slowdown else 0.0
    return [
        {"tier": row.tier, "part": part, "number": number, "ratio": vega.digits(share * whole),
         "share": round(100 * share)}
        for number, (part, share) in enumerate(shares(row.waits_latency, row.waits_bandwidth).items())
        if share > 0
    ]  # fmt: skip


def _layers(points: list[Point], bounds: list[Point], tiers: list[str]) -> list[Spec]:
    y = vega.field("tier", "n", None, sort=tiers)
    x = vega.number("ratio", "time there over time here", across=True)
    hues = {"domain": list(PARTS), "range": theme.hues(len(PARTS))}
    bars = {
        "data": {"values": points},
        "mark": {"type": "bar", "clip": True, "height": {"band": 0.6}, "opacity": 0.85},
        "encoding": {"y": y, "x": {**x, "stack": "zero"}, "color": vega.field("part", "n", None, scale=hues),
                     "tooltip": TIPS, "order": {"field": "number"}},
    }  # fmt: skip
    range_ = {
        "data": {"values": bounds},
        "mark": {"type": "rule", "clip": True, "strokeWidth": 2, "color": theme.colour("ink")},
        "encoding": {"y": y, "x": vega.field("low", "q"), "x2": {"field": "high"}},
    }
    return [bars, vega.rule("x", 1.0, "rule", dash=True), range_]


figures.add(WhereTimeGoes())
