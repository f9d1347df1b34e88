"""Where the time goes in each phase on each tier: computing, waits for misses, waits for bandwidth."""

from tierscope.draw import figures, theme, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.prediction.figure_time import PARTS, shares
from tierscope.suites.prediction.row import PhaseRow
from tierscope.tables import Insight

STEP = 26  # px of a phase
TIPS = vega.tips(("phase", "phase"), ("tier", "tier"), ("part", "part"), ("time", "of the whole time here, %"),
                 ("share", "of the phase there, %"))  # fmt: skip
BOUND_TIPS = vega.tips(("phase", "phase"), ("tier", "tier"), ("ratio", "slowdown"), ("from", "from"), ("to", "to"))


class Phases:
    """One chart for each tier; a bar is as long as the phase takes there, over the whole time here."""

    name = "prediction_phases"
    title = "Where the time goes in each phase"
    table = "prediction_phases"
    reading = (
        "Each bar is the time of a phase on a tier, as a part of the whole time here. Its parts are the time that "
        "disappears if no access waits for another (bandwidth), the time that also disappears if memory answers "
        "immediately (misses), and the rest. The thin rule is the range of the bounds. The upright mark is the time of "
        "the phase here."
    )

    def draw(self, run: Run, rows: list[PhaseRow], insights: list[Insight]) -> Spec | None:
        """Return the figure of the phases that have an answer; None if there are none."""
        del insights
        known = [row for row in rows if row.slowdown]
        if not known:
            return None
        points = [point for row in known for point in _parts(row)]
        tiers = list(dict.fromkeys(row.tier for row in known))
        names = list(dict.fromkeys(row.phase for row in known))
        inner: Spec = {"layer": _layers(names), "width": vega.WIDTH - 180, "height": {"step": STEP}}
        body: Spec = {"data": {"values": points}, "facet": vega.field("tier", "n", None, sort=tiers), "columns": 1,
                      "spec": inner}  # fmt: skip
        title = vega.origin_title(self.title, run.result.origin)
        return vega.finish(title, body, labels=list(PARTS), notes=[vega.missing(len(rows), len(known))])


def _parts(row: PhaseRow) -> list[Point]:
    """Return the parts of a bar, and a datum without a part that has the bounds."""
    if row.slowdown is None:
        return []
    whole = 100 * row.share * row.slowdown.middle
    parts = [
        {"tier": row.tier, "phase": row.phase, "part": part, "number": number, "time": vega.digits(share * whole),
         "share": round(100 * share)}
        for number, (part, share) in enumerate(shares(row.waits_latency, row.waits_bandwidth).items())
        if share > 0
    ]  # fmt: skip
    low, high = (100 * row.share * end for end in (row.slowdown.low, row.slowdown.high))
    bounds = {"tier": row.tier, "phase": row.phase, "here": vega.digits(100 * row.share), "low": vega.digits(low),
              "high": vega.digits(high), "ratio": f"{row.slowdown.middle:.2f}x", "from": f"{row.slowdown.low:.2f}x",
              "to": f"{row.slowdown.high:.2f}x"}  # fmt: skip
    return [*parts, bounds]


def _layers(names: list[str]) -> list[Spec]:
    y = vega.field("phase", "n", None, sort=names, axis={"labelLimit": 170})
    x = vega.number("time", "time there, % of the whole time here", across=True)
    hues = {"domain": list(PARTS), "range": theme.hues(len(PARTS))}
    bars: Spec = {
        "transform": [{"filter": "isValid(datum.part)"}],
        "mark": {"type": "bar", "clip": True, "height": {"band": 0.6}, "opacity": 0.85},
        "encoding": {"y": y, "x": {**x, "stack": "zero"}, "color": vega.field("part", "n", None, scale=hues),
                     "tooltip": TIPS, "order": {"field": "number"}},
    }  # fmt: skip
    of_bounds = [{"filter": "isValid(datum.low)"}]
    range_: Spec = {
        "transform": of_bounds,
        "mark": {"type": "rule", "clip": True, "strokeWidth": 2, "color": theme.colour("ink")},
        "encoding": {"y": y, "x": vega.field("low", "q"), "x2": {"field": "high"}, "tooltip": BOUND_TIPS},
    }
    here: Spec = {
        "transform": of_bounds,
        "mark": {"type": "tick", "clip": True, "thickness": 2, "height": 20, "color": theme.colour("muted")},
        "encoding": {"y": y, "x": vega.field("here", "q"), "tooltip": BOUND_TIPS},
    }
    return [bars, range_, here]


figures.add(Phases())
