"""A history in the terminal and as a figure: one line for each point, and each change in words."""

import shlex
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tierscope.compare.condition import listed
from tierscope.compare.history import History, Series
from tierscope.draw import theme, vega
from tierscope.draw.theme import Spec
from tierscope.printable import printable
from tierscope.stats.changes import LEAST, Change
from tierscope.units import drawn_unit, show_value

BARS = "▁▂▃▄▅▆▇█"
UNKNOWN = f"not known: needs {2 * LEAST} runs"
UNLIKE = "not known: footprints differ, and the smallest may be in a cache"
LINES = 40  # points in the terminal; --json has all


def show(found: History, console: Console) -> None:
    """Print the history, with points that changed first."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name, right in (
        ("point", False),
        ("runs", True),
        ("first", True),
        ("last", True),
        ("", False),
        ("change", False),
    ):
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    ordered = sorted(found.series, key=lambda one: not one.changes)
    unicode = console.encoding.lower().startswith("utf")
    for one in ordered[:LINES]:
        short = UNKNOWN if found.long_enough else ""  # else the last line states it once
        told = (
            "; ".join(said(found, one, change) for change in one.changes)
            if one.judged
            else short
            if one.alike
            else UNLIKE
        )
        ends = [show_value(one.numbers[place].value, one.unit) for place in (0, -1)]
        line = spark(one) if unicode else ""
        table.add_row(
            Text(printable(f"{one.table}: {one.point}")), str(len(one.runs)), *ends, line, Text(printable(told))
        )
    console.print(table)
    if len(ordered) > LINES:
        console.print(Text(f"... {len(ordered) - LINES} more points, all with --json", style="dim"))
    if unlike := sum(not one.alike for one in found.series):
        console.print(Text(f"Note: {unlike} of {len(found.series)} points: {UNLIKE}.", style="bold"))
    if found.machines > 1:
        console.print(Text("Note: the runs come from machines whose hardware, kernel or CPUs differ.", style="bold"))
    for number, settings in found.settings[:LINES]:
        words = f"Note: from {found.names[number]} on, settings of the machine differ: {listed(settings)}."
        console.print(Text(printable(words), style="bold"))
    console.print(Text(f"\n{sentence(found)}", style="bold"))


def sentence(found: History) -> str:
    """Return the sentence on the whole history."""
    changed = sum(bool(one.changes) for one in found.series)
    if not found.long_enough:
        short = f"too few runs to detect a change: {2 * LEAST} with one point in common are needed"
        return f"{short}{_left_out(found)}"
    judged = sum(one.judged for one in found.series)
    others = len(found.series) - judged
    many = f"{changed} of {judged} points changed" if changed else f"no change in {judged} point{'s' * (judged > 1)}"
    rest = f"; {others} more: {UNKNOWN} that are conclusive" if others else ""
    return f"{many} over {len(found.runs)} runs{rest}"


def _left_out(found: History) -> str:
    """Return how many inconclusive numbers of one point are left out; "" for none."""
    most = max(one.left_out for one in found.series)
    step = f"tierscope show {shlex.quote(str(found.runs[-1].path))} states why, and what helps"
    return f"; up to {most} per point are inconclusive and left out: {step}" if most else ""


def said(found: History, one: Series, change: Change) -> str:
    """Return '-3.1 % (slower) from run B on'."""
    word = "slower" if one.worse(change) else "faster"
    name = found.names[one.runs[change.place]]
    return f"{100 * (change.ratio - 1):+.1f} % ({word}) from {name} on"


def spark(one: Series) -> str:
    """Return a line of bars from the least to the most."""
    values = [number.value for number in one.numbers]
    least, most = min(values), max(values)
    steps = len(BARS) - 1
    return "".join(BARS[round(steps * (value - least) / (most - least)) if most > least else 0] for value in values)


def data(found: History) -> dict[str, Any]:
    """Return the whole history for JSON, in base units."""
    return {
        "runs": [
            {"run": name, "started": run.result.started, "host": run.result.machine.hostname}
            for name, run in zip(found.names, found.runs, strict=True)
        ],
        "verdict": sentence(found),
        "settings": [
            {"run": found.names[number], "name": one.name, "before": one.before, "after": one.after}
            for number, settings in found.settings
            for one in settings
        ],
        "points": [
            {
                "table": one.table,
                "point": one.point,
                "unit": one.unit,
                "runs": [found.names[index] for index in one.runs],
                "values": [number.value for number in one.numbers],
                "judged": one.judged,
                "changes": [
                    {
                        "run": found.names[one.runs[change.place]],
                        "before": change.before,
                        "after": change.after,
                        "ratio": change.ratio,
                        "chance": change.chance,
                        "verdict": "slower" if one.worse(change) else "faster",
                    }
                    for change in one.changes
                ],
            }
            for one in found.series
        ],
    }


def figure(found: History) -> Spec:
    """Return a chart for each point that changed, else for the first six: numbers with intervals, rules at changes."""
    drawn = [one for one in found.series if one.changes] or list(found.series[:6])
    values, rules = [], []
    for one in drawn:
        unit, scale = drawn_unit(one.unit)
        name = f"{one.table}: {one.point}, {unit}"
        for index, number in zip(one.runs, one.numbers, strict=True):
            bounds = {key: getattr(number, key) * scale for key in ("value", "low", "high")}
            values.append({"point": name, "at": index, "run": found.names[index], "rule": None, **bounds})
        rules += [{"point": name, "rule": one.runs[change.place] - 0.5} for change in one.changes]
    x = vega.field("at", "q", "run, by start", axis={"tickMinStep": 1})
    y = vega.number("value", "", zero=False)
    low = vega.field("low", "q", None, scale={"zero": False})
    span = {"type": "rule", "strokeWidth": 3, "opacity": 0.4}
    rule = {"type": "rule", "strokeDash": [4, 4], "color": theme.colour("warn")}
    layers = [
        {"mark": span, "encoding": {"x": x, "y": low, "y2": {"field": "high"}}},
        {"mark": {"type": "line", "point": True, "color": theme.hues(1)[0]}, "encoding": {"x": x, "y": y}},
        {"mark": rule, "encoding": {"x": vega.field("rule", "q")}},
    ]
    inner = {"layer": layers, "width": 330, "height": 200}
    body: Spec = {
        "data": {"values": values + rules},
        "facet": vega.field("point", "n", None),
        "columns": 2,
        "spec": inner,
    }
    body["resolve"] = {"scale": {"y": "independent"}}
    return vega.finish("History", body, axes={"y": "linear"}, height=200)
