"""Traffic of others over time: one interval for each window."""

import math

from tierscope.draw import figures, theme, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.background.row import BackgroundRow
from tierscope.tables import Insight

TIPS = vega.tips(
    ("from", "from, s"), ("to", "to, s"), ("said", "traffic"), ("gb", "traffic, GB/s"),
    ("gb_low", "95 % interval from, GB/s"), ("gb_high", "to, GB/s"),
)  # fmt: skip


class Background:
    """Time on the x axis, bytes/s on the y axis."""

    name = "background"
    title = "Memory traffic of others"
    table = "background"
    reading = (
        "Each bar is the 95 % interval of the traffic of others in one window; a point is its middle if the interval "
        "is above 0. A bar that begins at 0 without a point means less than this probe can see. A bar that ends at the "
        "dashed line is open: there our own load, and with it the curve, ends."
    )

    def draw(self, run: Run, rows: list[BackgroundRow], insights: list[Insight]) -> Spec | None:
        """Draw the rows of `background` that are windows."""
        del insights
        windows = [row for row in rows if row.window is not None]
        points = [_point(row) for row in windows if row.traffic]
        if not points:
            return None
        end = max((vega.gb(row.curve_end_bytes_per_s) or 0.0 for row in windows), default=0.0)
        missing = vega.missing(len(windows), len(points))
        return _spec(vega.origin_title(self.title, run.result.origin), points, end, missing)


def _point(row: BackgroundRow) -> Point:
    assert row.traffic
    open_end = math.isinf(row.traffic.high)
    high = max(row.curve_end_bytes_per_s or 0.0, row.traffic.low) if open_end else row.traffic.high
    return {
        "from": vega.digits(row.begin_s),
        "to": vega.digits(row.end_s),
        "middle": vega.digits((row.begin_s + row.end_s) / 2),
        "said": row.state,
        "gb": vega.gb(row.traffic.middle) if row.state == "some" else None,
        "gb_low": vega.gb(row.traffic.low),
        "gb_high": vega.gb(high),
    }


def _spec(title: str, points: list[Point], end: float, missing: str) -> Spec:
    blue = theme.colour("blue")
    y = vega.number("gb_low", "traffic of others, GB/s")
    x = vega.number("from", "time since the probe began, s", across=True)
    bars = {
        "mark": {"type": "rect", "clip": True, "color": blue, "opacity": 0.25},
        "encoding": {"x": x, "x2": {"field": "to"}, "y": y, "y2": {"field": "gb_high"}, "tooltip": TIPS},
    }
    middles = {
        "transform": [{"filter": "isValid(datum.gb)"}],
        "mark": {"type": "point", "clip": True, "filled": True, "color": blue, "size": 60},
        "encoding": {"x": vega.field("middle", "q"), "y": vega.field("gb", "q"), "tooltip": TIPS},
    }
    body = {"data": {"values": points}, "layer": [bars, middles, vega.rule("y", end, "muted", dash=True)]}
    return vega.finish(title, body, axes={"y": "linear"}, notes=[missing])


figures.add(Background())
