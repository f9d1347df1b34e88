"""Colours and type, once for all figures and the page.

Figures name a colour by its role, `var(--ink)`: the page gives the roles their values in light, dark and on
paper; `resolve` puts the values of LIGHT in for files that are used without the page.
Hues: M. Okabe and K. Ito, "Color Universal Design: How to make figures and presentations that are friendly
to colorblind people", 2008. They are darkened on white and lightened on black until each has a contrast of 3:1
with its ground (W3C, "Web Content Accessibility Guidelines 2.1", 1.4.11, 2018).
"""

import re
from typing import Any

Spec = dict[str, Any]

LIGHT = {
    "ground": "#ffffff",
    "raised": "#f6f7f8",
    "ink": "#1a2027",
    "muted": "#5b6672",
    "line": "#e1e4e8",
    "rule": "#8a94a0",
    "accent": "#0a5c9c",
    "good": "#00775a",
    "warn": "#a85400",
    "bad": "#b3261e",
    "blue": "#0a6cb0",
    "sky": "#3a98ce",
    "green": "#00896a",
    "amber": "#c98500",
    "vermilion": "#cc5200",
    "purple": "#b0578d",
    "grey": "#6b7580",
}
DARK = {
    "ground": "#14181c",
    "raised": "#1c2127",
    "ink": "#e8ebee",
    "muted": "#9aa5b1",
    "line": "#2b323a",
    "rule": "#6f7a86",
    "accent": "#6bb8f2",
    "good": "#4cc9a0",
    "warn": "#f0a64b",
    "bad": "#ff8a80",
    "blue": "#4aa3e8",
    "sky": "#9fd3f7",
    "green": "#35c19a",
    "amber": "#f0b840",
    "vermilion": "#ff8547",
    "purple": "#e08fbe",
    "grey": "#a0aab5",
}
SERIES = ("blue", "vermilion", "green", "amber", "purple", "sky", "grey")
"""Order in which series without a meaning of their own take their hue."""

STORES = {
    "none": "blue",
    "plain": "green",
    "nt": "vermilion",
    "direct": "purple",
    "libc": "amber",
    "string": "sky",
}
"""One hue per kind of store, the same in every figure; what is not listed is grey."""

GROUPS = {"A": "blue", "B": "amber"}
"""The two groups of a contention, and the targets that they are about."""

FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif"


def colour(role: str) -> str:
    """Return the name under which a figure asks for a colour; raise KeyError for a role that does not exist."""
    LIGHT[role]
    return f"var(--{role})"


def hues(count: int) -> list[str]:
    """Return `count` series colours, repeated after the seventh: pair them with a shape or a dash."""
    return [colour(SERIES[i % len(SERIES)]) for i in range(count)]


def resolve(value: Any, theme: dict[str, str]) -> Any:
    """Return the same spec with every `var(--role)` replaced by the colour of `theme`."""
    if isinstance(value, dict):
        return {key: resolve(entry, theme) for key, entry in value.items()}
    if isinstance(value, list):
        return [resolve(entry, theme) for entry in value]
    if isinstance(value, str) and value.startswith("var(--"):
        return re.sub(r"^var\(--([a-z]+)\)$", lambda match: theme.get(match.group(1), match.group(0)), value)
    return value


def config() -> Spec:
    """Return the Vega-Lite configuration of every figure: thin axes, pale grid, horizontal titles."""
    axis = {
        "labelFontSize": 11.5, "titleFontSize": 11.5, "titleFontWeight": "normal", "labelColor": colour("muted"),
        "titleColor": colour("muted"), "gridColor": colour("line"), "domainColor": colour("rule"),
        "tickColor": colour("rule"), "tickSize": 4, "labelPadding": 4, "titlePadding": 10, "labelOverlap": "greedy",
        "labelSeparation": 6,
    }  # fmt: skip
    legend = {
        "labelFontSize": 11.5, "titleFontSize": 11.5, "titleFontWeight": "normal", "labelColor": colour("ink"),
        "titleColor": colour("muted"), "orient": "top", "direction": "horizontal", "symbolStrokeWidth": 2,
        "symbolSize": 70, "symbolBaseFillColor": colour("ink"), "symbolBaseStrokeColor": colour("ink"),
        "titleOrient": "left", "symbolOpacity": 1, "columnPadding": 14,
        "rowPadding": 4, "offset": 12,
        "titlePadding": 10, "layout": {"top": {"margin": 26, "direction": "horizontal", "anchor": "start"}},
    }  # fmt: skip
    return {
        "background": None,
        "font": FONT,
        "view": {"stroke": None},
        "axis": axis,
        "axisX": {"grid": False},
        "axisY": {"domain": False, "ticks": False},
        "legend": legend,
        "header": {
            "labelColor": colour("ink"), "labelFontSize": 12, "labelFontWeight": "bold", "labelAnchor": "start",
            "title": None,
        },
        "title": {
            "color": colour("ink"), "fontSize": 13, "fontWeight": "bold", "anchor": "start", "offset": 10,
            "subtitleColor": colour("muted"), "subtitlePadding": 4,
        },
        "text": {"color": colour("muted"), "fontSize": 11},
        "line": {"strokeWidth": 2},
        "point": {"filled": True, "opacity": 1},
        "rule": {"color": colour("rule")},
    }  # fmt: skip
