"""The user's own groups: one bar per group with its interval; bandwidth and latency each on their own axis."""

from tierscope.draw import figures, theme, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.draw.words import threads_name
from tierscope.record.result import Run
from tierscope.stats.median import Interval
from tierscope.suites.groups.row import GroupsRow
from tierscope.tables import Insight

SHOWN = ("blue", "amber")


class Groups:
    """Bars start at zero, so there is no logarithmic axis: lengths would mean nothing on it."""

    name = "groups"
    title = "Groups of the plan"
    table = "groups"
    reading = (
        "Groups of one experiment ran at the same time and shared what they shared. The rule over each bar is the "
        "interval of the median; a pale bar is inconclusive."
    )

    def draw(self, run: Run, rows: list[GroupsRow], insights: list[Insight]) -> Spec | None:
        """Return the chart of the rows of `groups`: hops have a latency, all others a bandwidth."""
        speeds = [_bar(row, row.bandwidth, vega.gb) for row in rows if row.bandwidth and not row.latency]
        waits = [_bar(row, row.latency, vega.ns) for row in rows if row.latency]
        parts = [("bandwidth, GB/s", speeds, SHOWN[0]), ("latency, ns", waits, SHOWN[1])]
        charts = [_chart(title, bars, hue) for title, bars, hue in parts if bars]
        if not charts:
            return None
        title = vega.origin_title(self.title, run.result.origin)
        body = {"vconcat": charts, "spacing": 28} if len(charts) > 1 else charts[0]
        return vega.finish(title, body)


def _bar(row: GroupsRow, found: Interval, unit: vega.Unit) -> Point:
    return {
        "name": f"#{row.experiment}.{row.group} {row.role or row.kernel}",
        "kernel": row.kernel,
        "team": threads_name(row.threads),
        "target": row.target,
        **vega.bar("value", found, unit),
        "verdict": row.verdict,
    }


def _chart(title: str, bars: list[Point], role: str) -> Spec:
    unit = title.rpartition(", ")[2]
    y = vega.field("name", "n", None, sort=None, axis={"labelLimit": 200})
    pale = {"condition": {"test": "datum.verdict === 'inconclusive'", "value": 0.35}, "value": 0.9}
    tips = vega.tips(
        ("name", "group"), ("kernel", "kernel"), ("team", "team"), ("target", "target"), ("value", title),
        ("low", f"95 % interval from, {unit}"), ("high", f"to, {unit}"), ("verdict", "verdict"),
    )  # fmt: skip
    body = {
        "params": [vega.zoom(["x"])],
        "mark": {"type": "bar", "clip": True, "color": theme.colour(role), "height": {"band": 0.6}},
        "encoding": {"x": vega.number("value", title, across=True), "y": y, "opacity": pale, "tooltip": tips},
    }
    whisker = {
        "mark": {"type": "rule", "clip": True, "color": theme.colour("ink"), "strokeWidth": 1.5},
        "encoding": {"x": vega.field("low", "q"), "x2": {"field": "high"}, "y": y},
    }
    return {"data": {"values": bars}, "layer": [body, whisker], "height": max(40, 30 * len(bars)), "width": vega.WIDTH}


figures.add(Groups())
