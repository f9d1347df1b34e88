"""Two targets alone: the bandwidth of both over threads, and next to it the ratio b / a."""

from tierscope.draw import figures, theme, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.draw.words import short_word, threads_name
from tierscope.record.result import Run
from tierscope.stats.median import Interval
from tierscope.suites.contention.table_targets import TargetsRow
from tierscope.tables import Insight

SPEED_TIPS = vega.tips(
    ("target", "target"), ("team", "team"), ("gb", "bandwidth, GB/s"), ("low", "95 % interval from, GB/s"),
    ("high", "to, GB/s"), ("verdict", "verdict"),
)  # fmt: skip
RATIO_TIPS = vega.tips(
    ("team", "team"), ("ratio", "b / a, %"), ("low", "95 % interval from, %"), ("high", "to, %"), ("verdict", "verdict")
)


class TargetRatio:
    """Both charts start at zero, to show how far b is below a."""

    name = "target_ratio"
    title = "Two targets alone: bandwidth over threads, and b / a"
    table = "targets"
    reading = (
        "Threads copied within a and within b, alternately. The left chart shows the bandwidth of each, the right one "
        "b as a share of a; bands are 95 % intervals, hollow points are inconclusive."
    )

    def draw(self, run: Run, rows: list[TargetsRow], insights: list[Insight]) -> Spec | None:
        """Draw the rows of `targets`."""
        speeds = [_speed("a", row.a_target, row.a_bandwidth, row) for row in rows]
        speeds += [_speed("b", row.b_target, row.b_bandwidth, row) for row in rows]
        speeds = [point for point in speeds if point["gb"]]
        ratios = [vega.bar("ratio", row.ratio, _percent) | _common(row) for row in rows if row.ratio]
        if not speeds or not ratios:
            return None
        names = list(dict.fromkeys(point["target"] for point in speeds))
        counts = sorted({point["threads"] for point in speeds})
        x = vega.number(
            "threads",
            "threads",
            zero=False,
            scale={"nice": False, "padding": 12, "domain": [counts[0], counts[-1]]},  # the same in both charts
            axis={"values": counts, "format": "d"},
        )
        scale = {"domain": names, "range": [theme.colour(hue) for hue in theme.GROUPS.values()]}
        hue = vega.field("target", "n", None, scale=scale)
        left = _chart(speeds, x, vega.number("gb", "bandwidth, GB/s"), hue, SPEED_TIPS)
        room = {
            "domainMax": 1.05 * max(point["high"] or point["ratio"] for point in ratios)
        }  # the frame cuts none of the points
        right = _chart(
            ratios, x, vega.number("ratio", "b / a, %", scale=room), {"value": theme.colour("ink")}, RATIO_TIPS
        )
        body = {"hconcat": [left, right], "spacing": 40}
        title = vega.origin_title(self.title, run.result.origin)
        notes = [vega.missing(len(rows), len(ratios))]
        return vega.finish(title, body, labels=names, axes={"y": "linear"}, notes=notes)


def _speed(side: str, target: str, bandwidth: Interval | None, row: TargetsRow) -> Point:
    return {
        "target": f"{side}: {short_word(target, 40)}",
        **vega.bar("gb", bandwidth, vega.gb),
        **_common(row),
    }


def _percent(ratio: float | None) -> float | None:
    return None if ratio is None else round(100 * ratio, 3)


def _common(row: TargetsRow) -> Point:
    return {"threads": row.threads, "team": threads_name(row.threads), "verdict": row.verdict}


def _chart(points: list[Point], x: Spec, y: Spec, hue: Spec, tips: list[Spec]) -> Spec:
    band = {
        "mark": {"type": "area", "clip": True, "opacity": 0.22},
        "encoding": {"x": x, "y": vega.field("low", "q"), "y2": {"field": "high"}, "color": hue},
    }
    line = {
        "params": [vega.zoom()],
        "mark": {"type": "line", "clip": True},
        "encoding": {"x": x, "y": y, "color": hue},
    }
    dots = {
        "mark": {"type": "point", "clip": True, "size": 50},
        "encoding": {"x": x, "y": y, "color": hue, "tooltip": tips},
    }
    layers = [band, line, dots, vega.hollow(x, y, tips, 16)]
    return {"data": {"values": points}, "layer": layers, "width": vega.WIDTH // 2 - 50, "height": 220}


figures.add(TargetRatio())
