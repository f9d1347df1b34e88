"""The figures of a fleet's pages: a distribution with its suspects named, and a history with the peers."""

import math
import re
from collections.abc import Sequence

from tierscope.draw.theme import Spec, colour, config
from tierscope.draw.vega import Point
from tierscope.fleet.outliers_result import Suspect
from tierscope.printable import printable
from tierscope.report.picture import svg

BINS = 40
NAMED = 6  # suspects whose names are drawn, the slowest
WIDTH = 860


def distribution(scores: Sequence[tuple[float, Suspect | None]]) -> str:
    """Return an SVG: how many machines differ by how much from their peers; suspects are points with names.

    scores: mean log deviation from the peers, above 0 faster.
    """
    shares = [math.expm1(score) * 100 for score, _ in scores]
    low, high = min(shares), max(shares)
    step = max((high - low) / BINS, 0.05)
    counts: dict[int, int] = {}
    for share in shares:
        counts[int((share - low) // step)] = counts.get(int((share - low) // step), 0) + 1
    bars = [_bar(low + n * step, low + (n + 1) * step, count) for n, count in counts.items()]
    points: list[Point] = [
        {"share": share, "host": printable(one.host), "verdict": one.verdict}
        for share, (_, one) in zip(shares, scores, strict=True)
        if one is not None
    ]
    named = sorted(points, key=lambda one: one["share"])[:NAMED]
    top = max(counts.values())
    for place, point in enumerate(named):
        point["height"] = top * (0.95 - 0.13 * place)
    layers: list[Spec] = [_bars(bars)]
    if points:
        layers += [_points(points), _names(named)]
    return _with_titles(svg(_spec(layers, 190)))


def _bar(low: float, high: float, count: int) -> Spec:
    told = f"{low:.2f} % to {high:.2f} %: {count} machine{'s' if count != 1 else ''}"
    return {"from": low, "to": high, "machines": count, "told": told}


def timeline(past: Sequence[tuple[str, float]], spread: float) -> str:
    """Return an SVG: deviation of one machine from its peers by day, and the band of most healthy machines."""
    values = [{"day": day, "share": math.expm1(score) * 100} for day, score in past]
    band = [{"low": -200 * spread, "high": 200 * spread}]
    layers: list[Spec] = [
        {"data": {"values": band}, "mark": {"type": "rect", "color": colour("line"), "opacity": 0.6},
         "encoding": {"y": {"field": "low", "type": "quantitative", "title": "against the peers (%)"},
                      "y2": {"field": "high"}}},
        {"data": {"values": values}, "mark": {"type": "line", "color": colour("blue"), "point": True},
         "encoding": {"x": {"field": "day", "type": "ordinal", "title": None, "axis": {"labelAngle": 0}},
                      "y": {"field": "share", "type": "quantitative"}}},
    ]  # fmt: skip
    return _with_titles(svg(_spec(layers, 220)))


def _spec(layers: list[Spec], height: int) -> Spec:
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json", "width": WIDTH, "height": height,
        "config": config(), "padding": 4, "layer": layers,
    }  # fmt: skip


def _bars(bars: list[Spec]) -> Spec:
    return {
        "data": {"values": bars}, "mark": {"type": "bar", "color": colour("sky"), "binSpacing": 1},
        "encoding": {
            "x": {"field": "from", "type": "quantitative", "bin": {"binned": True},
                  "title": "against the peers (%), slower on the left"},
            "x2": {"field": "to"},
            "y": {"field": "machines", "type": "quantitative", "title": "machines"},
            "description": {"field": "told", "type": "nominal"},
        },
    }  # fmt: skip


def _points(points: list[Spec]) -> Spec:
    scale = {"domain": ["slower", "odd", "inconclusive"], "range": [colour("bad"), colour("purple"), colour("amber")]}
    return {
        "data": {"values": points}, "mark": {"type": "tick", "thickness": 3, "size": 26, "yOffset": -13},
        "encoding": {
            "x": {"field": "share", "type": "quantitative"}, "y": {"datum": 0},
            "color": {"field": "verdict", "type": "nominal", "scale": scale, "title": None},
            "description": {"field": "host", "type": "nominal"},
        },
    }  # fmt: skip


def _names(named: list[Spec]) -> Spec:
    return {
        "data": {"values": named}, "mark": {"type": "text", "align": "left", "dx": 4, "color": colour("ink")},
        "encoding": {
            "x": {"field": "share", "type": "quantitative"}, "y": {"field": "height", "type": "quantitative"},
            "text": {"field": "host", "type": "nominal"},
        },
    }  # fmt: skip


def _with_titles(picture: str) -> str:
    """Give each mark that has a description a title, which a browser shows under the pointer."""
    return re.sub(
        r'<path aria-label="([^"]*)"([^>]*?)/?></path>',
        lambda found: f'<path aria-label="{found[1]}"{found[2]}><title>{found[1]}</title></path>',
        re.sub(r'(<path aria-label="[^"]*"[^>]*?)/>', r"\1></path>", picture),
    )
