"""Bandwidth of each kernel over threads: dots on one line per kernel, or small charts once three counts exist."""

from tierscope.draw import figures, theme, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.draw.words import store_name, threads_name, unknown_peak
from tierscope.record.result import Run
from tierscope.suites.stream.table import StreamRow
from tierscope.tables import Insight
from tierscope.units import show_rate

NEAR = 1.6  # a peak farther than this over the best kernel would squeeze all dots into a corner: it is named instead
FAMILIES = {"memcpy": "copy", "rep_movsb": "copy", "movdir64b": "copy", "memset": "write", "rep_stosb": "write"}
"""Kernels that move the same bytes as another and therefore share its small chart."""
TIPS = vega.tips(
    ("kernel", "kernel"), ("threads_word", "team"), ("store_word", "stores"), ("gb", "bandwidth, GB/s"),
    ("low", "95 % interval from, GB/s"), ("high", "to, GB/s"), ("best", "best block, GB/s"), ("share", "of peak, %"),
    ("isa", "instructions"), ("target", "target"), ("verdict", "verdict"),
)  # fmt: skip
MODEL_TIPS = [*TIPS, *vega.tips(
    ("model", "by the model, GB/s"), ("model_low", "its bounds from, GB/s"), ("model_high", "its bounds to, GB/s"),
)]  # fmt: skip


class Scaling:
    """With one or two thread counts a dot plot sorted by bandwidth; with three or more one small chart per family."""

    name = "scaling"
    title = "Bandwidth of every kernel over threads"
    table = "stream"
    reading = (
        "Program bytes per second, as STREAM counts them. The bar through a point is the interval of the median; "
        "a hollow point is inconclusive. Kernels with plain and with non-temporal stores are different kernels. "
        "Where the model threads predicts a point, from one thread and the curves of other kernels, a cross shows its "
        "bandwidth and a thin line its bounds."
    )

    def draw(self, run: Run, rows: list[StreamRow], insights: list[Insight]) -> Spec | None:
        """Return the chart of the rows of `stream`; the peak is the machine's own or absent."""
        points = [_point(row) for row in rows if row.bandwidth and row.bandwidth.middle]
        if not points:
            return None
        title = vega.origin_title(self.title, run.result.origin)
        peak, note = _peak(run, points)
        notes = [note, vega.missing(len(rows), len(points))]
        counts = {point["threads"] for point in points}
        return _lines(title, points, peak, notes) if len(counts) > 2 else _dots(title, points, peak, notes)


def _point(row: StreamRow) -> Point:
    return {
        "kernel": row.kernel,
        "family": FAMILIES.get(row.kernel, row.kernel.removesuffix("_nt")),
        "threads": row.threads,
        "threads_word": threads_name(row.threads),
        "store_word": store_name(row.store),
        "store": row.store,
        **vega.bar("gb", row.bandwidth, vega.gb),
        **(vega.ends("model", row.model, vega.gb) if row.model else {}),
        "best": vega.gb(row.best_bytes_per_s),
        "share": None if row.peak_share is None else round(100 * row.peak_share, 2),
        "isa": row.isa,
        "target": row.target,
        "verdict": row.verdict,
    }


def _peak(run: Run, points: list[Point]) -> tuple[float | None, str]:
    """Return the line to draw in GB/s, or None; and the sentence that states where the peak is."""
    peak = run.result.machine.peak_bytes_per_s
    if peak is None:
        return None, f"Theoretical peak {unknown_peak(run.result.machine.peak_source)}."
    best = max(point["high"] or point["gb"] for point in points)
    told = f"Theoretical peak {show_rate(peak)} ({run.result.machine.peak_source})"
    drawn = vega.gb(peak)
    return (drawn, f"{told}.") if drawn and drawn <= NEAR * best else (None, f"{told}: far beyond this axis.")


def _stores(points: list[Point]) -> Spec:
    kinds = [kind for kind in theme.STORES if any(point["store"] == kind for point in points)]
    others = sorted({point["store"] for point in points} - set(kinds))
    scale = {
        "domain": [store_name(kind) for kind in [*kinds, *others]],
        "range": [theme.colour(theme.STORES.get(kind, "grey")) for kind in [*kinds, *others]],
    }
    return vega.field("store_word", "n", None, scale=scale)


def _peak_layers(axis: str, peak: float | None) -> list[Spec]:
    if peak is None:
        return []
    line = vega.rule(axis, peak, "ink", dash=True)
    place = {"align": "right", "dx": -5, "dy": 9} if axis == "x" else {"align": "left", "dx": 4, "dy": -6}
    edge = {"y": {"value": 0}} if axis == "x" else {"x": {"value": 0}}
    text = {
        "data": {"values": [{"at": peak, "word": "theoretical peak"}]},
        "mark": {"type": "text", "clip": False, **place},
        "encoding": {axis: vega.field("at", "q"), "text": {"field": "word", "type": "nominal"}, **edge},
    }
    return [line, text]


def _dots(title: str, points: list[Point], peak: float | None, notes: list[str]) -> Spec:
    best: dict[str, float] = {}
    for point in points:
        best[point["kernel"]] = max(best.get(point["kernel"], 0.0), point["gb"])
    order = sorted(best, key=lambda kernel: (-best[kernel], kernel))
    counts = sorted({point["threads"] for point in points})
    y = vega.field("kernel", "n", None, sort=order, axis={"grid": True, "labelLimit": 160, "labelFontSize": 12})
    x = vega.number("gb", "bandwidth, GB/s", across=True)
    shape = vega.field(
        "threads_word", "n", None, sort=[threads_name(count) for count in counts],
        scale={"range": ["circle", "diamond"]}, legend={"symbolFillColor": theme.colour("muted")},
    )  # fmt: skip
    faded = vega.shown("store_word", "threads_word")
    track = {
        "mark": {"type": "rule", "clip": True, "color": theme.colour("line"), "strokeWidth": 3},
        "encoding": {"x": {**x, "aggregate": "min"}, "x2": {"field": "gb", "aggregate": "max"}, "y": y},
    }
    interval = {
        "mark": {"type": "rule", "clip": True, "strokeWidth": 5},
        "encoding": {
            "x": vega.field("low", "q"), "x2": {"field": "high"}, "y": y,
            "color": {"field": "store_word", "type": "nominal"},
            "opacity": vega.shown("store_word", "threads_word", strong=0.35),
        },
    }  # fmt: skip
    dots = {
        "params": [vega.zoom(["x"]), vega.pick("store_word"), vega.pick("threads_word")],
        "mark": {"type": "point", "clip": True, "size": 80},
        "encoding": {
            "x": x, "y": y, "color": _stores(points), "shape": shape, "opacity": faded, "tooltip": TIPS,
        },
    }  # fmt: skip
    layers = [track, *_peak_layers("x", peak), interval, dots, vega.hollow(x, y, TIPS, 22)]
    body = {"data": {"values": points}, "layer": layers}
    labels = [store_name(point["store"]) for point in points]
    return vega.finish(
        title, body, labels=labels, axes={"x": "linear"}, notes=notes, height=max(90, 26 * len(order))
    )  # fmt: skip


def _lines(title: str, points: list[Point], peak: float | None, notes: list[str]) -> Spec:
    families = sorted({point["family"] for point in points}, key=lambda name: _first(points, name))
    counts = sorted({point["threads"] for point in points})
    scale = {"nice": False, "padding": 8}
    x = vega.number("threads", "threads", zero=False, scale=scale, axis={"values": counts})
    y = vega.number("gb", "GB/s", axis={"tickCount": 4})
    colour, plain = _stores(points), {"field": "store_word", "type": "nominal"}
    same = {"detail": {"field": "kernel", "type": "nominal"}, "x": x}
    faded = vega.shown("store_word")
    band = {
        "mark": {"type": "area", "clip": True},
        "encoding": {
            **same, "y": vega.field("low", "q"), "y2": {"field": "high"},
            "color": plain, "opacity": vega.shown("store_word", strong=0.2),
        },
    }  # fmt: skip
    lines = {
        "params": [vega.zoom(), vega.pick("store_word")],
        "mark": {"type": "line", "clip": True},
        "encoding": {**same, "y": y, "color": colour, "opacity": faded},
    }
    dots = {
        "mark": {"type": "point", "clip": True, "size": 36},
        "encoding": {**same, "y": y, "color": plain, "opacity": faded, "tooltip": TIPS},
    }
    columns = min(3, len(families))
    crosses = _crosses({**same, "color": plain}) if any("model" in point for point in points) else []
    layers = [band, *_peak_layers("y", peak), lines, dots, vega.hollow(x, y, TIPS, 12), *crosses]
    inner = {"layer": layers, "width": 190, "height": 150}
    facet = vega.field("family", "n", None, sort=families)
    body = {"data": {"values": points}, "facet": facet, "columns": columns, "spec": inner}
    labels = [store_name(point["store"]) for point in points]
    return vega.finish(title, body, labels=labels, axes={"x": "linear", "y": "linear"}, notes=notes)


def _crosses(same: Spec) -> list[Spec]:
    """Return what the model predicts, with its bounds."""
    known = [{"filter": "isValid(datum.model)"}]
    bounds = {
        "transform": known,
        "mark": {"type": "rule", "clip": True, "strokeWidth": 1},
        "encoding": {
            **same, "y": vega.field("model_low", "q"), "y2": {"field": "model_high"},
            "opacity": vega.shown("store_word", strong=0.5),
        },
    }  # fmt: skip
    cross = {
        "transform": known,
        "mark": {"type": "point", "clip": True, "shape": "cross", "angle": 45, "size": 50},
        "encoding": {
            **same, "y": vega.field("model", "q"), "opacity": vega.shown("store_word"), "tooltip": MODEL_TIPS,
        },
    }  # fmt: skip
    return [bounds, cross]


def _first(points: list[Point], family: str) -> int:
    return next(i for i, point in enumerate(points) if point["family"] == family)


figures.add(Scaling())
