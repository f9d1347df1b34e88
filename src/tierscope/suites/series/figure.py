"""Blocks over time, thread by thread: stragglers, throttling, warm-up and what was left out, for chosen experiments."""

from tierscope.draw import figures, theme, vega
from tierscope.draw.theme import Spec
from tierscope.record.result import Run
from tierscope.tables import Flat, Insight

TIPS = vega.tips(
    ("thread", "thread"), ("kind", "blocks"), ("rate", "median"), ("rate_low", "slowest"), ("rate_high", "fastest"),
    ("blocks", "number of blocks"), ("time_s", "at, s"),
)  # fmt: skip

SHAPES = ["triangle-down", "cross", "square", "diamond", "triangle-up"]
LEAST = [0.99, 1.01]
"""Rates that the axis reaches at least. Where all are alike, as on a simulated machine, it has no length without."""


class Timeline:
    """One experiment at a time; the page's list box changes the parameter `experiment`."""

    name = "timeline"
    title = "Blocks over time, thread by thread"
    table = "series"
    reading = (
        "Rate of each block of about 1 ms over the median of its group: 1 is typical, 0.5 half as fast. Bands reach "
        "from the slowest to the fastest block of each moment; marks are blocks left out of the summary, by reason, "
        "and the dips of a contention's threads. "
        "The shaded window is the time in which all threads worked together: only it counts."
    )

    def draw(self, run: Run, rows: list[Flat], insights: list[Insight]) -> Spec | None:
        """Return the chart of the rows of `suites.series.points`."""
        names = {row["experiment"]: str(row["what"]) for row in rows}
        if not names:
            return None
        first = next(iter(names))
        choice = {
            "name": "experiment", "value": first,
            "bind": {
                "input": "select", "name": "Experiment ", "options": list(names), "labels": list(names.values()),
            },
        }  # fmt: skip
        chosen = [{"filter": "datum.experiment === experiment"}]
        title = vega.origin_title(self.title, run.result.origin)
        body = {
            "params": [choice], "data": {"values": [_lean(row) for row in rows]}, "transform": chosen,
            "layer": _layers(_left_out(rows)),
        }  # fmt: skip
        note = (
            f"Thinned for this page: {len(names)} of {len(run.result.records)} experiments, each thread in equal bins "
            "that keep the median, the slowest and the fastest block. "
            "All blocks are in the run's samples."
        )
        labels = [str(row["thread"]) for row in rows if row["thread"]]
        spec = vega.finish(title, body, labels=labels, axes={"y": "linear"}, notes=[note], height=320)
        return {**spec, "title": {"text": title, "subtitle": names[first]}}


def _lean(row: Flat) -> Flat:
    return {key: value for key, value in row.items() if value is not None and key != "what"}


def _left_out(rows: list[Flat]) -> list[str]:
    """Return the kinds of marks next to the lines: reasons, and dips."""
    return sorted({str(row["kind"]) for row in rows} - {"kept", "window"})


def _layers(kinds: list[str]) -> list[Spec]:
    """Return the layers. kinds: of marks; a legend without any has no finite size, and so the figure has none."""
    x = vega.number("time_s", "time since the first block, s", zero=False, across=True, scale={"nice": False})
    y = vega.number("rate", "rate / median of the group", zero=False)
    least = {**y, "scale": {**y["scale"], "domain": {"unionWith": LEAST}}}  # in one layer alone: two would conflict
    hue = vega.field("thread", "n", None, scale={"range": theme.hues(len(theme.SERIES))})
    plain_hue = {"field": "thread", "type": "nominal"}
    kept = [{"filter": "datum.kind === 'kept'"}]
    out = [{"filter": "datum.kind !== 'kept' && datum.kind !== 'window'"}]
    window = {
        "transform": [{"filter": "datum.kind === 'window'"}],
        "mark": {"type": "rect", "clip": True, "color": theme.colour("blue"), "opacity": 0.07},
        "encoding": {"x": x, "x2": {"field": "until_s"}},
    }
    band = {
        "transform": kept,
        "mark": {"type": "area", "clip": True},
        "encoding": {
            "x": x, "y": vega.field("rate_low", "q"), "y2": {"field": "rate_high"}, "color": plain_hue,
            "opacity": vega.shown("thread", strong=0.22),
        },
    }  # fmt: skip
    line = {
        "transform": kept,
        "params": [vega.zoom(), vega.pick("thread")],
        "mark": {"type": "line", "clip": True, "strokeWidth": 1.5},
        "encoding": {"x": x, "y": least, "color": hue, "opacity": vega.shown("thread"), "tooltip": TIPS},
    }
    marks = {
        "transform": out,
        "mark": {"type": "point", "clip": True, "filled": False, "size": 45, "strokeWidth": 1.4},
        "encoding": {
            "x": x, "y": y, "color": plain_hue, "opacity": vega.shown("thread"), "tooltip": TIPS,
            "shape": vega.field(
                "kind", "n", None, scale={"domain": kinds, "range": SHAPES},
                legend={"symbolStrokeColor": theme.colour("muted")},
            ),
        },
    }  # fmt: skip
    return [window, band, line, *([marks] if kinds else [])]


figures.add(Timeline())
