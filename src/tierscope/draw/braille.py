"""Curves in a terminal, in braille dots; the only file that knows plotext (before 6, whose interface differs).

Letters on the curves distinguish them, so that they are readable without colour; colour is added if the terminal has
it.
"""

import math
from dataclasses import dataclass, replace

from tierscope.printable import printable

COLOURS = ("blue+", "orange", "green", "magenta", "cyan", "red", "gray")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
FIRST_TICKS = (1.0, 2.0, 5.0)


@dataclass(frozen=True, slots=True)
class Curve:
    """Points in the order in which they are joined."""

    label: str
    x: list[float]
    y: list[float]


@dataclass(frozen=True, slots=True)
class Axis:
    """A title, a scale, and the places that carry a label; no ticks at all means round numbers."""

    title: str
    log: bool = False
    ticks: dict[float, str] | None = None
    zero: bool = False  # whether it starts at zero


def plot(curves: list[Curve], x: Axis, y: Axis, *, width: int, height: int = 16, colour: bool = False) -> str:
    """Return lines of text, `width` columns at most, with a legend below; "" when no curve has a point."""
    curves = [replace(curve, label=printable(curve.label)) for curve in curves if curve.x]
    if not curves:
        return ""
    text = _canvas(curves, x, y, width, height, colour)
    lines = [line.rstrip() for line in text.splitlines()]
    return "\n".join([f"{y.title}", *lines, *_legend(curves, width)])


def _canvas(curves: list[Curve], x: Axis, y: Axis, width: int, height: int, colour: bool) -> str:
    import plotext

    plotext.clear_figure()
    plotext.theme("clear")
    plotext.plotsize(width, height)
    plotext.xaxes(True, False)
    plotext.yaxes(True, False)
    plotext.xlabel(x.title)
    plotext.xscale("log" if x.log else "linear")
    plotext.yscale("log" if y.log else "linear")
    for number, curve in enumerate(curves):
        hue = {"color": COLOURS[number % len(COLOURS)]} if colour else {}
        plotext.plot(curve.x, curve.y, marker="braille", **hue)
    for number, curve in enumerate(curves):
        hue = {"color": COLOURS[number % len(COLOURS)]} if colour else {}
        places = _places(len(curve.x), number)
        plotext.scatter(
            [curve.x[i] for i in places], [curve.y[i] for i in places], marker=LETTERS[number % 26], **hue
        )  # fmt: skip
    if y.zero:
        plotext.ylim(0, max(value for curve in curves for value in curve.y))
    for axis, values, ticks in ((x, "x", plotext.xticks), (y, "y", plotext.yticks)):
        shown = _ticks(axis, [value for curve in curves for value in getattr(curve, values)])
        ticks(list(shown), list(shown.values()))
    text: str = plotext.build()
    plotext.clear_figure()
    return text if colour else plotext.uncolorize(text)


def _places(count: int, number: int) -> list[int]:
    """Return where the letters are: up to four per curve, shifted so that neighbours do not cover each other."""
    step = max(1, count // 4)
    return list(range(min(number * max(1, step // 3) % step, count - 1), count, step))


def _ticks(axis: Axis, values: list[float]) -> dict[float, str]:
    low, high = 0.0 if axis.zero else min(values), max(values)
    if axis.ticks is not None:
        return {at: label for at, label in axis.ticks.items() if low * 0.999 <= at <= high * 1.001}
    if axis.log and low > 0 and high / low > 5:
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        marks = [first * 10**decade for decade in decades for first in FIRST_TICKS]
        return {at: f"{at:g}" for at in marks if low <= at <= high}
    step = _step((high - low) or abs(high) or 1.0)
    first = math.ceil(low / step)
    return {n * step: f"{n * step:g}" for n in range(first, math.floor(high / step) + 1)}


def _step(span: float) -> float:
    """Return a round step that leaves four to ten ticks."""
    rough = span / 8
    power = 10.0 ** math.floor(math.log10(rough))
    return float(next(first * power for first in (*FIRST_TICKS, 10.0) if first * power >= rough))


def _legend(curves: list[Curve], width: int) -> list[str]:
    """Return 'a first   b second', wrapped."""
    lines = [""]
    for number, curve in enumerate(curves):
        entry = f"{LETTERS[number % 26]} {curve.label}"
        if lines[-1] and len(lines[-1]) + 3 + len(entry) > width:
            lines.append("")
        lines[-1] += ("   " if lines[-1] else "") + entry
    return lines


def bar(share: float, width: int) -> str:
    """Return a bar that has `width` columns at share 1, exact to half a column."""
    halves = max(0, min(2 * width, round(2 * width * share)))
    return "⣿" * (halves // 2) + "⡇" * (halves % 2)
