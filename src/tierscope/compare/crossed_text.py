"""Counter against counter, in the terminal and as a map in the shape of document 004's."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tierscope.compare.crossed import Crossed
from tierscope.draw import heat, vega
from tierscope.draw.cells import NOTHING
from tierscope.draw.heat import Axes
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.printable import printable

LETTERS = 10  # px of the words of a cell
COLUMNS = 8  # of the terminal; the figure and --json have all


def show(found: list[Crossed], console: Console) -> None:
    """Print a matrix for each sweep; counters are numbered, because their names do not fit above columns."""
    for sweep, pairs in _sweeps(found).items():
        names, by = _names(pairs), _both(pairs)
        table = Table(box=None, pad_edge=False)
        table.add_column("counter per operation", header_style="dim")
        for number in range(1, min(len(names), COLUMNS) + 1):
            table.add_column(f"{number}", justify="right", header_style="dim")
        for number, name in enumerate(names, 1):
            cells = [_word(by.get((name, other)), same=name == other) for other in names[:COLUMNS]]
            table.add_row(Text(printable(f"{number} {name}")), *cells)
        console.print(Text(printable(f"{sweep}, {pairs[0].points} points"), style="italic"), table, sep="\n")
        if len(names) > COLUMNS:
            console.print(Text(f"... {len(names) - COLUMNS} more columns, all with --figure or --json", style="dim"))


def _word(pair: Crossed | None, *, same: bool) -> str:
    """Return the text of a pair; '?' marks an interval that contains 0: no correlation is shown."""
    if same or pair is None:
        return "1" if same else NOTHING
    doubt = " ?" if pair.linear.low <= 0 <= pair.linear.high else ""
    return f"{pair.linear.middle:+.2f}{doubt}"


def _sweeps(found: list[Crossed]) -> dict[str, list[Crossed]]:
    return {sweep: [one for one in found if one.sweep == sweep] for sweep in dict.fromkeys(one.sweep for one in found)}


def _names(pairs: list[Crossed]) -> list[str]:
    return list(dict.fromkeys(name for one in pairs for name in (one.counter, one.other)))


def _both(pairs: list[Crossed]) -> dict[tuple[str, str], Crossed]:
    return {names: one for one in pairs for names in ((one.counter, one.other), (one.other, one.counter))}


def figure(found: list[Crossed], origin: str) -> Spec:
    """Return a square map for each sweep; the colour is |r|, the cell has its sign."""
    maps = [_map(sweep, pairs) for sweep, pairs in _sweeps(found).items()]
    title = vega.origin_title("Counters over counters", origin)
    notes = ["counters per operation, over the points; linear correlation"]
    return vega.finish(title, {"vconcat": maps}, labels=["0.00"], notes=notes)


def _map(sweep: str, pairs: list[Crossed]) -> Spec:
    names = _names(pairs)
    points: list[Point] = [
        {"counter": a, "other": b, "r": abs(one.linear.middle), "word": f"{one.linear.middle:+.2f}",
         "low": round(one.linear.low, 3), "high": round(one.linear.high, 3)}
        for (a, b), one in _both(pairs).items()
    ]  # fmt: skip
    axes = Axes("other", "counter", names, names, "", "")
    tips = vega.tips(
        ("counter", "counter"), ("other", "other"), ("word", "r"), ("low", "95 % interval from"), ("high", "to")
    )
    layers = [heat.cells(axes, "r", 1.0, "|r|", tips), heat.words(axes, "word", "r", 1.0, size=LETTERS)]
    for layer in layers:
        layer["encoding"]["x"]["axis"] = {"labelAngle": -45, "grid": False, "labelLimit": 160}
    return heat.chart(axes, points, layers, sweep)
