"""Flutter: how much the blocks of each thread vary, by split, with a mark for those that dip repeatedly."""

from tierscope.draw import figures, theme, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.contention.table_threads import ThreadsRow
from tierscope.tables import Insight
from tierscope.units import show_seconds

FEW = 6  # splits that still fit three charts side by side
TIPS = vega.tips(
    ("thread", "thread"), ("split", "threads of A : B"), ("mode", "mode"), ("variation", "variation, %"),
    ("dips", "dips"), ("in_dips", "of its blocks in dips, %"), ("depth", "depth, %"), ("period", "period"),
    ("rate", "median, GB/s"), ("verdict", "verdict"),
)  # fmt: skip
WORDS = ("even", "flutters")


class Flutter:
    """One point for each thread, A to the left and B to the right of its split."""

    name = "flutter"
    title = "How evenly each thread runs"
    table = "threads"
    reading = (
        "The coefficient of variation of each thread's undisturbed blocks after the warm-up: 1 to 5 % is even. A "
        "triangle marks a thread that flutters: it falls below 80 % of its own median repeatedly. The time "
        "series of every split is under the blocks over time."
    )

    def draw(self, run: Run, rows: list[ThreadsRow], insights: list[Insight]) -> Spec | None:
        """Draw the rows of `threads`."""
        points = [point for row in rows for point in _point(row)]
        if not points:
            return None
        points.sort(key=lambda point: (point["place"], point["group"], point["thread"]))
        splits = list(dict.fromkeys(point["split"] for point in points))
        charts = list(dict.fromkeys(row.mode for row in rows))
        columns = min(len(charts), 3) if len(splits) <= FEW else 1
        facet = vega.field("mode", "n", None, sort=charts)
        inner = {"layer": [_dots(splits)], "width": vega.WIDTH // columns - 60, "height": 180}
        body = {"data": {"values": points}, "facet": facet, "columns": columns, "spec": inner}
        title = vega.origin_title(self.title, run.result.origin)
        notes = [vega.missing(len(rows), len(points))]
        return vega.finish(title, body, labels=[*theme.GROUPS, *WORDS], axes={"y": "linear"}, notes=notes)


def _point(row: ThreadsRow) -> list[Point]:
    if row.variation is None:
        return []
    return [
        {
            "split": f"{row.a_threads}:{row.b_threads}",
            "place": row.b_threads / (row.a_threads + row.b_threads),
            "mode": row.mode,
            "group": row.group,
            "thread": f"{row.group} on CPU {row.cpu}",
            "variation": round(100 * row.variation, 3),
            "dips": row.dips,
            "in_dips": round(100 * row.dip_share, 2),
            "depth": None if row.dip_depth is None else round(100 * row.dip_depth, 1),
            "period": "no rhythm" if row.dip_period_s is None else show_seconds(row.dip_period_s),
            "rate": vega.gb(row.bandwidth_bytes_per_s),
            "word": WORDS[row.flutters],
            "verdict": row.verdict,
        }
    ]


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
