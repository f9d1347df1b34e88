"""Contention: A and B stacked for each split, the sum as a line over them, a small chart for each mode."""

from tierscope.draw import figures, theme, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.draw.words import short_word
from tierscope.record.result import Run
from tierscope.suites.contention.table import ContentionRow
from tierscope.tables import Insight

FEW = 6  # splits that still fit three charts side by side
TIPS = vega.tips(
    ("split", "threads of A : B"), ("mode", "mode"), ("a", "A, GB/s"), ("a_low", "95 % interval from, GB/s"),
    ("a_high", "to, GB/s"), ("b", "B, GB/s"), ("b_low", "interval from, GB/s"), ("b_high", "up to, GB/s"),
    ("sum", "sum, GB/s"), ("sum_low", "its interval from, GB/s"), ("sum_high", "its interval to, GB/s"),
    ("model", "sum by the model, GB/s"), ("coverage", "blocks in the common window, %"), ("verdict", "verdict"),
)  # fmt: skip


class Contention:
    """Bars start at zero. The axis is not logarithmic, because lengths would mean nothing on it."""

    name = "contention"
    title = "Contention: bandwidth of two groups by split of the CPUs"
    table = "contention"
    reading = (
        "Threads of A copy within a; those of B copy as each chart states. The "
        "line is the sum, measured at the same moments, and the rules are 95 % intervals; where the line is above "
        "the dashed one, both together move more than A with all CPUs. A cross is the sum by the model `sharing`, of a "
        "split that it was not given. A pale bar and a hollow point are inconclusive."
    )

    def draw(self, run: Run, rows: list[ContentionRow], insights: list[Insight]) -> Spec | None:
        """Draw the rows of `contention`, in any order."""
        known = [row for row in rows if row.sum and row.sum.middle]
        if not known:
            return None
        points = [_point(row, known) for row in sorted(known, key=lambda row: row.place)]
        splits = list(dict.fromkeys(point["split"] for point in points))
        charts = list(dict.fromkeys(point["chart"] for point in points))
        columns = min(len(charts), 3) if len(splits) <= FEW else 1
        header = {"labelLimit": vega.WIDTH // columns - 20, "labelFontSize": 11}
        facet = vega.field("chart", "n", None, sort=charts, header=header)
        inner = {"layer": _layers(splits), "width": vega.WIDTH // columns - 60, "height": 220}
        body = {"data": {"values": points}, "facet": facet, "columns": columns, "spec": inner}
        notes = [vega.missing(len(rows), len(known)), _names(known), _stand_in(known)]
        return vega.finish(vega.origin_title(self.title, run.result.origin), body, labels=["A", "B"], notes=notes)


def _point(row: ContentionRow, rows: list[ContentionRow]) -> Point:
    values = {
        **vega.ends("a", row.a_bandwidth, vega.gb),
        **vega.ends("b", row.b_bandwidth, vega.gb),
        **vega.ends("sum", row.sum, vega.gb),
    }
    alone = [vega.gb(one.sum.middle) for one in rows if one.mode == row.mode and not one.b_threads and one.sum]
    source, target = _letters(row.mode)
    places = f"within {target}" if source == target else f"from {source} to {target}"
    return {
        **values,
        "top": (values["a"] or 0.0) + (values["b"] or 0.0),
        "model": vega.gb(row.a_model.middle + row.b_model.middle) if row.a_model and row.b_model else None,
        "alone": max((rate for rate in alone if rate), default=None),
        "split": row.split,
        "mode": row.mode,
        "chart": f"{row.mode}: B copies {places}",
        "coverage": None if row.coverage is None else round(100 * row.coverage, 1),
        "verdict": row.verdict,
    }


def _letters(mode: str) -> list[str]:
    """Return the letters of a mode; 'b-a' is from b to a."""
    return mode.split("-")


def _names(rows: list[ContentionRow]) -> str:
    """Return the names of the targets a and b; b is unknown if no mode uses it."""
    names = {"a": rows[0].a_target}
    for row in rows:
        names |= dict(zip(_letters(row.mode), (row.b_source, row.b_target), strict=True))
    return ", ".join(f"{letter} is {short_word(name, 40)}" for letter, name in sorted(names.items())) + "."


def _stand_in(rows: list[ContentionRow]) -> str:
    if not any(row.stand_in for row in rows):
        return ""
    return "b is a file in the memory of a: it replaces a second tier, which this machine does not have."


def _layers(splits: list[str]) -> list[Spec]:
    x = vega.field("split", "o", "threads of A : B", sort=splits, axis={"labelAngle": 0, "labelOverlap": "greedy"})

    def rule(low: str, high: str) -> Spec:
        return {
            "mark": {"type": "rule", "clip": True, "color": theme.colour("ink"), "strokeWidth": 2},
            "encoding": {"x": x, "y": vega.field(low, "q"), "y2": {"field": high}},
        }

    alone = {
        "mark": {"type": "rule", "clip": True, "color": theme.colour("rule"), "strokeDash": [4, 4]},
        "encoding": {"y": vega.field("alone", "q", aggregate="max")},
    }
    line = {
        "mark": {"type": "line", "clip": True, "color": theme.colour("ink"), "strokeWidth": 1.5},
        "encoding": {"x": x, "y": vega.field("sum", "q")},
    }
    dots = {
        "params": [vega.zoom(["y"])],
        "mark": {"type": "point", "clip": True, "size": 46, "color": theme.colour("ink")},
        "encoding": {"x": x, "y": vega.field("sum", "q"), "tooltip": TIPS},
    }
    hollow = vega.hollow(x, vega.field("sum", "q"), TIPS, 14)
    cross = {
        "transform": [{"filter": "datum.model !== null"}],
        "mark": {
            "type": "point",
            "clip": True,
            "shape": "cross",
            "angle": 45,
            "color": theme.colour("ink"),
            "size": 90,
        },
        "encoding": {"x": x, "y": vega.field("model", "q"), "tooltip": TIPS},
    }
    return [*_bars(x), alone, rule("a_low", "a_high"), rule("sum_low", "sum_high"), line, dots, hollow, cross]


def _bars(x: Spec) -> list[Spec]:
    """Return the bars of A, and on top of them those of B."""
    pale = {"condition": {"test": "datum.verdict === 'inconclusive'", "value": 0.4}, "value": 0.85}
    scale = {"domain": list(theme.GROUPS), "range": [theme.colour(hue) for hue in theme.GROUPS.values()]}

    def bar(side: str, height: Spec, foot: Spec) -> Spec:
        hue = {"datum": side, "type": "nominal", "title": None, "scale": scale}
        return {
            "mark": {"type": "bar", "clip": True, "width": {"band": 0.7}},
            "encoding": {"x": x, "y": height, "y2": foot, "opacity": pale, "tooltip": TIPS, "color": hue},
        }

    return [bar("A", vega.number("a", "GB/s"), {"datum": 0}), bar("B", vega.field("top", "q"), {"field": "a"})]


figures.add(Contention())
