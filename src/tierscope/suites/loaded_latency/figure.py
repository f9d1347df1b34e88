"""Latency under load against bandwidth: one curve per mix and kind of store, joined in the order of the delays."""

from tierscope.draw import figures, theme, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.draw.words import load_name, mix_name, store_name, threads_name
from tierscope.record.result import Run
from tierscope.suites.loaded_latency.row import LoadedLatencyRow, apart_names
from tierscope.suites.loaded_latency.table import loads
from tierscope.tables import Insight

MIXES = ("blue", "sky", "green", "amber", "vermilion", "purple", "grey")  # reads are cool, writes are warm
FLAT = 1.5  # latency that rises by less is shown from zero, or noise would look like a mountain
DASHES = {"none": [1, 0], "plain": [1, 0], "nt": [6, 3]}
TIPS = vega.tips(
    ("series", "load"), ("team", "load threads"), ("delay", "injected delay, cycles"), ("gb", "bandwidth, GB/s"),
    ("gb_low", "95 % interval from, GB/s"), ("gb_high", "to, GB/s"), ("ns", "latency, ns"),
    ("ns_low", "95 % interval from, ns"), ("ns_high", "to, ns"), ("over", "over idle"),
    ("over_low", "95 % interval from"), ("over_high", "to"), ("verdict", "verdict"),
)  # fmt: skip
MODEL_TIPS = [*TIPS, *vega.tips(
    ("model", "latency by the model, ns"), ("model_low", "its bounds from, ns"), ("model_high", "its bounds to, ns"),
)]  # fmt: skip


class LoadedLatency:
    """The hockey stick: right is more bandwidth, up is a longer wait for one dependent access."""

    name = "loaded_latency"
    title = "Latency under load"
    table = "loaded_latency"
    reading = (
        "One thread chases pointers while the others load the same memory; a curve runs from long injected delays "
        "(left) to none (right). Bars are the intervals of both medians, hollow points are inconclusive. A ring "
        "marks the knee: beyond it more bandwidth is paid for with waiting. Where the model "
        "loaded_family predicts a load that it was not given, a cross shows its latency and a thin line its bounds."
    )

    def draw(self, run: Run, rows: list[LoadedLatencyRow], insights: list[Insight]) -> Spec | None:
        """Return the chart of the rows of `loaded_latency`; the insights `knee ...` name the bandwidth at which a curve
        bends.
        """
        drawn, names = list(loads(rows)), apart_names(rows)
        points = [_point(row, names[row.curve]) for row in drawn]
        if not points:
            return None
        alone = [row for row in rows if not row.load_threads and row.latency]
        one = len({row.chaser for row in alone}) == 1  # a line for each of several would name none
        idle = [vega.ns(row.latency.middle) for row in alone if row.latency and one]
        knees = {insight.value for insight in insights if insight.name.startswith("knee")}
        marked = [
            point for point, row in zip(points, drawn, strict=True) if row.bandwidth and row.bandwidth.middle in knees
        ]
        notes = [vega.missing(sum(1 for row in rows if row.load_threads), len(points))]
        stores = sorted({row.store for row in drawn}, key=lambda store: [*DASHES, store].index(store))
        picked = _picked(stores)
        layers = [*_idle(idle), *_crosses(points, picked), *_knees(marked, picked)]
        title = vega.origin_title(self.title, run.result.origin)
        return _spec(title, points, (_mixes(drawn, points), stores), layers, notes)


def _point(row: LoadedLatencyRow, which: str) -> Point:
    apart = f", {which}" if which else ""
    return {
        "series": f"{load_name(row.read_share, row.store)}{apart}",
        "mix": f"{mix_name(row.read_share)}{apart}",
        "stores": store_name(row.store),
        "delay": row.delay_cycles,
        "team": threads_name(row.load_threads),
        **vega.ends("gb", row.bandwidth, vega.gb),
        **vega.ends("ns", row.latency, vega.ns),
        **vega.ends("over", row.over_idle, vega.digits),
        **(vega.ends("model", row.model, vega.ns) if row.model else {}),
        "verdict": row.verdict,
    }


def _mixes(rows: list[LoadedLatencyRow], points: list[Point]) -> list[str]:
    """Return the names of the mixes, the most reads first, unknown ones last."""
    pairs = zip(rows, points, strict=True)
    ordered = sorted(pairs, key=lambda pair: (pair[0].read_share is None, -(pair[0].read_share or 0)))
    return list(dict.fromkeys(str(point["mix"]) for _, point in ordered))


def _spec(
    title: str, points: list[Point], kinds: tuple[list[str], list[str]], more: list[Spec], notes: list[str]
) -> Spec:
    """Return the figure. kinds: names of the mixes, and kinds of stores; more: layers over the curves."""
    mixes, stores = kinds
    waits = [point["ns"] for point in points]
    flat = max(waits) < FLAT * min(waits)
    labels = [*mixes, *map(store_name, stores)]
    body = {"data": {"values": points}, "layer": [*_curves(mixes, stores, zero=flat), *more]}
    return vega.finish(title, body, labels=labels, axes={"x": "linear", "y": "linear"}, notes=notes, height=420)


def _written(stores: list[str]) -> list[str]:
    """Return the kinds of stores; reads alone have the colour of their mix, and no line of their own."""
    return [store for store in stores if store != "none"]


def _picked(stores: list[str]) -> tuple[str, ...]:
    """Return the fields that have a legend, in which a click picks a series: the kinds of stores from two on.

    The title of the other legend names one kind. Vega puts titles into expressions, so no foreign word may be in one.
    """
    kinds = _written(stores)
    return ("mix", "stores") if len(kinds) > 1 or not DASHES.keys() >= {*kinds} else ("mix",)


def _curves(mixes: list[str], stores: list[str], *, zero: bool) -> list[Spec]:
    x = vega.number("gb", "bandwidth of the load, GB/s", across=True)
    y = vega.number("ns", "latency, ns", zero=zero)
    kinds, picked = _written(stores), _picked(stores)
    told_once = "" if "stores" in picked or not kinds else f", {store_name(kinds[0])}"
    hue = vega.field(
        "mix", "n", f"reads:writes{told_once}", sort=mixes, scale={"domain": mixes, "range": _hues(mixes)},
        legend={"symbolType": "stroke", "symbolSize": 400, "symbolStrokeWidth": 3},
    )  # fmt: skip
    words = [store_name(store) for store in stores]
    told = {"values": [store_name(store) for store in kinds], "symbolSize": 400, "symbolStrokeWidth": 2.5}
    dash = vega.field(
        "stores", "n", "line", sort=words, legend=told if "stores" in picked else None,
        scale={"domain": words, "range": [DASHES.get(store, [2, 2]) for store in stores]},
    )  # fmt: skip
    same = {"field": "mix", "type": "nominal"}  # a legend listens only if one layer alone defines it
    faint = {"color": same, "opacity": vega.shown(*picked, strong=0.5)}
    line = {
        "params": [vega.zoom(), *map(vega.pick, picked)],
        "mark": {"type": "line", "clip": True, "strokeWidth": 1.8},
        "encoding": {
            "x": x, "y": y, "color": hue, "strokeDash": dash, "order": vega.field("delay", "q", sort="descending"),
            "opacity": vega.shown(*picked),
        },
    }  # fmt: skip
    across = {
        "mark": {"type": "rule", "clip": True, "strokeWidth": 2.5},
        "encoding": {"x": vega.field("gb_low", "q"), "x2": {"field": "gb_high"}, "y": y, **faint},
    }
    up = {
        "mark": {"type": "rule", "clip": True, "strokeWidth": 2.5},
        "encoding": {"x": x, "y": vega.field("ns_low", "q"), "y2": {"field": "ns_high"}, **faint},
    }
    dots = {
        "mark": {"type": "point", "clip": True, "size": 40},
        "encoding": {
            "x": x, "y": y, "color": same, "opacity": vega.shown(*picked), "tooltip": TIPS,
        },
    }  # fmt: skip
    return [across, up, line, dots, vega.hollow(x, y, TIPS, 14)]


def _crosses(points: list[Point], picked: tuple[str, ...]) -> list[Spec]:
    """Return what the model predicts, with its bounds; nothing where it predicts nothing. picked: as of `_picked`."""
    if not any("model" in point for point in points):
        return []
    x, hue = vega.field("gb", "q"), {"field": "mix", "type": "nominal"}
    known, place = [{"filter": "isValid(datum.model)"}], {"x": x, "y": vega.field("model", "q")}
    faint = {"color": hue, "opacity": vega.shown(*picked, strong=0.5)}
    bounds = {
        "transform": known,
        "mark": {"type": "rule", "clip": True, "strokeWidth": 1},
        "encoding": {"x": x, "y": vega.field("model_low", "q"), "y2": {"field": "model_high"}, **faint},
    }
    cross = {
        "transform": known,
        "mark": {"type": "point", "clip": True, "shape": "cross", "angle": 45, "size": 60},
        "encoding": {**place, "color": hue, "opacity": vega.shown(*picked), "tooltip": MODEL_TIPS},
    }
    return [bounds, cross]


def _hues(mixes: list[str]) -> list[str]:
    return [theme.colour(MIXES[number % len(MIXES)]) for number in range(len(mixes))]


def _knees(knees: list[Point], picked: tuple[str, ...]) -> list[Spec]:
    """Return a ring around each knee."""
    if not knees:
        return []
    place = {"x": vega.field("gb", "q"), "y": vega.field("ns", "q")}
    ring = {
        "data": {"values": knees},
        "mark": {"type": "point", "clip": True, "filled": False, "size": 260, "color": theme.colour("ink")},
        "encoding": {**place, "opacity": vega.shown(*picked), "tooltip": TIPS},
    }
    return [ring]


def _idle(idle: list[float | None]) -> list[Spec]:
    if not idle or idle[0] is None:
        return []
    text = {
        "data": {"values": [{"at": idle[0], "word": f"idle {idle[0]:.4g} ns"}]},
        "mark": {"type": "text", "clip": True, "align": "left", "dx": 4, "dy": 11},
        "encoding": {"y": vega.field("at", "q"), "x": {"value": 0}, "text": {"field": "word", "type": "nominal"}},
    }
    return [vega.rule("y", idle[0], "rule", dash=True), text]


figures.add(LoadedLatency())
