"""The few Vega-Lite phrases that all figures share.

A specification carries `usermeta.tierscope` for the page: `axes` (which axes may be switched, with the type
they start with), `legend` (letters of the longest legend entry), `notes` (sentences for the reader).
Source: A. Satyanarayan et al., "Vega-Lite: A Grammar of Interactive Graphics", IEEE TVCG 23(1), 2017.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tierscope.draw import theme
from tierscope.draw.theme import Spec
from tierscope.record.experiment import Label
from tierscope.stats.median import Interval
from tierscope.units import RATES, TIMES, GiB, KiB, MiB

Unit = Callable[[Label], float | None]
Point = dict[str, Any]
"""One datum of a figure: flat, in the units in which it is drawn."""

WIDTH = 760  # px of a figure shown alone: one column of a page
LETTER = 6.4  # px of one letter of a legend, 11.5 px type
SYMBOL = 40  # px that symbol and gap need next to a legend entry

FADED = 0.08
GROUND = theme.colour("ground")
SIZE_LABEL = (
    f"datum.value >= {GiB} ? format(datum.value / {GiB}, '.4~g') + ' GiB' : "
    f"datum.value >= {MiB} ? format(datum.value / {MiB}, '.4~g') + ' MiB' : "
    f"datum.value >= {KiB} ? format(datum.value / {KiB}, '.4~g') + ' KiB' : datum.value + ' B'"
)
"""Vega expression that labels an axis of bytes in binary units."""
TIME_LABEL = (
    "datum.value >= 1e9 ? format(datum.value / 1e9, '.3~g') + ' s' : "
    "datum.value >= 1e6 ? format(datum.value / 1e6, '.3~g') + ' ms' : "
    "datum.value >= 1e3 ? format(datum.value / 1e3, '.3~g') + ' us' : format(datum.value, '.3~g') + ' ns'"
)
"""The same of an axis of nanoseconds."""


def gb(rate: Label) -> float | None:
    """Convert bytes/s to GB/s with five digits; return None if it is not a number."""
    return _scaled(rate, RATES["GB/s"])


def ns(seconds: Label) -> float | None:
    """Convert s to ns with five digits; return None if it is not a number."""
    return _scaled(seconds, TIMES["ns"])


def digits(value: Label, count: int = 5) -> float | None:
    """Return the number with `count` digits; None if it is not a number."""
    number = isinstance(value, int | float) and math.isfinite(value)
    return float(f"{float(value or 0):.{count}g}") if number else None


def ends(name: str, found: Interval | None, scaled: Callable[[float | None], float | None]) -> Point:
    """Return {name: middle, name_low: low, name_high: high}. Without an interval, all three are None.

    A positive number that is not known has no ends: one of 20 GB/s up to 3,500 GB/s would stretch the axis until no
    other point can be read.
    """
    middle, low, high = (found.middle, found.low, found.high) if found else (None, None, None)
    if found and found.wide and found.low > 0:
        low = high = None
    return {name: scaled(middle), f"{name}_low": scaled(low), f"{name}_high": scaled(high)}


def _scaled(value: Label, unit: float) -> float | None:
    return digits(value / unit if isinstance(value, int | float) else None)


def zoom(channels: Sequence[str] = ("x", "y")) -> Spec:
    """Return the zoom: drag moves, the wheel with Ctrl zooms, and a plain wheel continues to scroll the page."""
    select = {"type": "interval", "encodings": list(channels), "zoom": "wheel![event.ctrlKey]"}
    return {"name": "zoom", "select": select, "bind": "scales"}


def pick(field: str) -> Spec:
    """Return a parameter: a click on a legend entry shows that series alone, each further click adds or removes one."""
    return {"name": f"pick_{field}", "select": {"type": "point", "fields": [field], "toggle": "true"}, "bind": "legend"}


def shown(*fields: str, strong: float = 1.0) -> Spec:
    """Return the opacity of a mark: `strong` when its series are picked or nothing is."""
    test = {"and": [{"param": f"pick_{field}"} for field in fields]}
    return {"condition": {"test": test, "value": strong}, "value": FADED}


def field(name: str, kind: str, title: str | None = "", **more: Any) -> Spec:
    """Return a channel definition; `kind` by its first letter as in Vega-Lite: q, n, o.

    title: None is none at all; "" leaves it to another layer that shares the scale.
    """
    kinds = {"q": "quantitative", "n": "nominal", "o": "ordinal"}
    titled = {} if title == "" else {"title": title}
    return {"field": name, "type": kinds[kind], **titled, **more}


def hue(name: str, series: list[str], title: str | None = None) -> Spec:
    """Return the channel of color: a hue for each series, in this order. title: of the legend."""
    return field(name, "n", title, sort=series, scale={"domain": series, "range": theme.hues(len(series))})


def number(name: str, title: str, kind: str = "linear", *, zero: bool = True, **more: Any) -> Spec:
    """Return an axis that the page may switch between linear and logarithmic."""
    scale = {"type": kind, **({"zero": zero} if kind == "linear" else {"padding": 10}), **more.pop("scale", {})}
    axis = more.pop("axis", {})
    ticks: Spec = {"tickCount": 10 if more.pop("across", False) else 6}
    return field(name, "q", title, scale=scale, axis=axis if "values" in axis else {**ticks, **axis}, **more)


def hollow(x: Spec, y: Spec, tooltip: list[Spec], size: int) -> Spec:
    """Return a layer that empties inconclusive points; it is above them, so that legends keep full symbols."""
    return {
        "transform": [{"filter": "datum.verdict === 'inconclusive'"}],
        "mark": {"type": "point", "clip": True, "filled": True, "shape": "circle", "size": size, "color": GROUND},
        "encoding": {"x": x, "y": y, "tooltip": tooltip},
    }


def decades(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 of each power of ten from `low` to `high`: the ticks of a logarithmic axis."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [float(f"{first}e{power}") for power in powers for first in (1, 2, 5) if low <= first * 10.0**power <= high]


def tips(*entries: tuple[str, str]) -> list[Spec]:
    """Return tooltip lines: (field, title); a title that ends in a known unit fixes the digits."""
    digits = {"GB/s": ",.2f", "ns": ",.4~g", "%": ".1f"}
    lines = []
    for name, title in entries:
        unit = title.rpartition(", ")[2]
        numeric = {"type": "quantitative", "format": digits[unit]} if unit in digits else {"type": "nominal"}
        lines.append({"field": name, "title": title, **numeric})
    return lines


def legend_columns(letters: int, width: float = WIDTH) -> int:
    """Return how many entries of a legend fit in one row; the page's script uses the same rule."""
    return max(1, int(width / (letters * LETTER + SYMBOL)))


def rule(axis: str, value: float, role: str, dash: bool = False, width: float = 1.2) -> Spec:
    """Return one straight line across the figure at `value` of `axis`."""
    mark = {"type": "rule", "clip": True, "color": theme.colour(role), "strokeWidth": width}
    return {
        "data": {"values": [{"at": value}]},
        "mark": mark | ({"strokeDash": [4, 4]} if dash else {}),
        "encoding": {axis: field("at", "q")},
    }


def missing(rows: int, points: int) -> str:
    """Return a note about rows without a number, so that absent points are reported."""
    absent = rows - points
    return (
        f"{absent} of {rows} points {'has' if absent == 1 else 'have'} no number: see the table for why."
        if absent
        else ""
    )


def finish(
    title: str, body: Spec, *, labels: Iterable[str] = (), axes: dict[str, str] | None = None,
    notes: Iterable[str] = (), width: int = WIDTH, height: int = 360,
) -> Spec:  # fmt: skip
    """Return the whole specification: body, size, configuration and what the page has to know."""
    letters = max((len(label) for label in labels), default=8)
    config = theme.config()
    config["legend"] |= {"columns": legend_columns(letters), "labelLimit": WIDTH - SYMBOL}
    inner = body.get("spec", body)
    inner["width"] = inner.get("width", width)
    inner["height"] = inner.get("height", height)
    meta = {"axes": axes or {}, "legend": letters, "notes": [note for note in notes if note]}
    return {"title": title, **body, "config": config, "usermeta": {"tierscope": meta}}


def origin_title(title: str, origin: str) -> str:
    """Return the title, with the origin in it unless that is "real"."""
    return title if origin == "real" else f"{title} ({origin.upper()})"


def bar(name: str, found: Interval | None, scaled: Callable[[float | None], float | None]) -> Point:
    """Return {name: middle, low: ..., high: ...}, as `ends` does, of a datum that has one interval alone."""
    values = ends("", found, scaled)
    return {name: values[""], "low": values["_low"], "high": values["_high"]}
