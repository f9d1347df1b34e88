"""Counters and time in the terminal and as a map."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tierscope.compare.correlated import KINDS, Correlated
from tierscope.draw import heat, vega
from tierscope.draw.heat import Axes
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.printable import printable

WIDE, HIGH, LETTERS = 80, 24, 11  # of a cell and its words, px: as high for six counters as for thirty
HEADS = ("counter per operation", "linear", "95 % interval", "rank", "95 % interval")


def show(found: list[Correlated], console: Console) -> None:
    """Print a table for each sweep, with a line for each counter."""
    for sweep, rows in _sweeps(found).items():
        table = Table(box=None, pad_edge=False)
        for name in HEADS:
            table.add_column(name, justify="left" if name == HEADS[0] else "right", header_style="dim")
        for one in rows:
            table.add_row(Text(printable(one.counter)), *_cells(one))
        console.print(Text(printable(f"{sweep}, {rows[0].points} points"), style="italic"), table, sep="\n")


def _cells(one: Correlated) -> list[str]:
    kinds = (one.linear, one.rank)
    return [text for kind in kinds for text in (f"{kind.middle:+.3f}", f"{kind.low:+.2f} to {kind.high:+.2f}")]


def _sweeps(found: list[Correlated]) -> dict[str, list[Correlated]]:
    return {sweep: [one for one in found if one.sweep == sweep] for sweep in dict.fromkeys(one.sweep for one in found)}


def figure(found: list[Correlated], origin: str) -> Spec:
    """Return a map for each sweep: lines are counters, columns kinds; the colour is |r|, the cell has its sign."""
    maps = [_map(sweep, rows) for sweep, rows in _sweeps(found).items()]
    title = vega.origin_title("Counters and time", origin)
    return vega.finish(title, {"hconcat": maps}, labels=["0.00"], notes=["counters per operation, over the points"])


def _map(sweep: str, found: list[Correlated]) -> Spec:
    points: list[Point] = [
        {"counter": one.counter, "kind": kind, "r": abs(value.middle), "word": f"{value.middle:+.2f}",
         "low": round(value.low, 3), "high": round(value.high, 3)}
        for one in found
        for kind, value in zip(KINDS, (one.linear, one.rank), strict=True)
    ]  # fmt: skip
    axes = Axes("kind", "counter", list(KINDS), [one.counter for one in found], "", "")
    tips = vega.tips(("counter", "counter"), ("word", "r"), ("low", "95 % interval from"), ("high", "to"))
    layers = [heat.cells(axes, "r", 1.0, "|r|", tips), heat.words(axes, "word", "r", 1.0, size=LETTERS)]
    return heat.chart(axes, points, layers, sweep) | {"width": WIDE * len(KINDS), "height": HIGH * len(found)}
