"""Flutter: how much the blocks of each thread vary, by split; a mark for those that dip again and again."""

from tierscope.draw import figures, theme, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.tables import Flat, Insight
from tierscope.units import show_seconds

FEW = 6  # splits that still fit three charts side by side
TIPS = vega.tips(
    ("thread", "thread"), ("split", "threads of A : B"), ("mode", "mode"), ("variation", "variation, %"),
    ("dips", "dips"), ("in_dips", "of its blocks in dips, %"), ("depth", "depth, %"), ("period", "period"),
    ("rate", "median, GB/s"), ("verdict", "verdict"),
)  # fmt: skip
WORDS = ("even", "flutters")


class Flutter:
    """One point for each thread, A left and B right of its split."""

    name = "flutter"
    title = "How evenly each thread runs"
    table = "threads"
    reading = (
        "The coefficient of variation of each thread's undisturbed blocks after the warm-up: 1 to 5 % is even. A "
        "triangle marks a thread that flutters: it falls below 80 % of its own median again and again. The time "
        "series of every split stands under the blocks over time."
    )

    def draw(self, run: Run, rows: list[Flat], insights: list[Insight]) -> Spec | None:
        """Rows of `threads`."""
        points = [_point(row) for row in rows if row["variation"] is not None]
        if not points:
            return None
        points.sort(key=lambda point: (point["place"], point["group"], point["thread"]))
        splits = list(dict.fromkeys(point["split"] for point in points))
        charts = list(dict.fromkeys(str(row["mode"]) for row in rows))
        columns = min(len(charts), 3) if len(splits) <= FEW else 1
        facet = vega.field("mode", "n", None, sort=charts)
        inner = {"layer": [_dots(splits)], "width": vega.WIDTH // columns - 60, "height": 180}
        body = {"data": {"values": points}, "facet": facet, "columns": columns, "spec": inner}
        title = vega.origin_title(self.title, run.result.origin)
        notes = [vega.missing(len(rows), len(points))]
        return vega.finish(title, body, labels=[*theme.GROUPS, *WORDS], axes={"y": "linear"}, notes=notes)


def _point(row: Flat) -> Point:
    a, b = int(row["a_threads"] or 0), int(row["b_threads"] or 0)
    depth, period = row["dip_depth"], row["dip_period_s"]
    return {
        "split": f"{a}:{b}",
        "place": b / (a + b),
        "mode": row["mode"],
        "group": row["group"],
        "thread": f"{row['group']} on CPU {row['cpu']}",
        "variation": round(100 * float(row["variation"] or 0), 3),
        "dips": row["dips"],
        "in_dips": round(100 * float(row["dip_share"] or 0), 2),
        "depth": None if depth is None else round(100 * float(depth), 1),
        "period": "no rhythm" if period is None else show_seconds(float(period)),
        "rate": vega.gb(row["bandwidth_bytes_per_s"]),
        "word": WORDS[1] if row["flutters"] else WORDS[0],
        "verdict": "conclusive" if row["conclusive"] else "inconclusive",
    }


def _dots(splits: list[str]) -> Spec:
    hues = {"domain": list(theme.GROUPS), "range": [theme.colour(hue) for hue in theme.GROUPS.values()]}
    shapes = {"domain": list(WORDS), "range": ["circle", "triangle-down"]}
    return {
        "params": [vega.zoom(["y"]), vega.pick("group"), vega.pick("word")],
        "mark": {"type": "point", "clip": True, "size": 60},
        "encoding": {
            "x": vega.field("split", "o", "threads of A : B", sort=splits, axis={"labelAngle": 0}),
            "xOffset": {"field": "group", "type": "nominal", "sort": list(theme.GROUPS)},
            "y": vega.number("variation", "variation, %"),
            "color": vega.field("group", "n", None, scale=hues),
            "shape": vega.field("word", "n", None, scale=shapes, legend={"symbolFillColor": theme.colour("muted")}),
            "opacity": vega.shown("group", "word", strong=0.85),
            "tooltip": TIPS,
        },
    }


figures.add(Flutter())
