"""The matrices of pairs of nodes in a terminal."""

from collections.abc import Callable

from rich.console import Console

from tierscope.draw import cells, vega
from tierscope.draw.forms import Form, Parts, Shown, forms, plain, stacked
from tierscope.draw.grid import Grid, doubted
from tierscope.suites.numa.findings import BANDWIDTH, LATENCY, Measure
from tierscope.suites.numa.row import NumaRow

TARGETS = 6  # columns of a matrix of nodes, 14 letters each


def numa(rows: list[NumaRow]) -> list[Grid]:
    """Latency and bandwidth, each number with its ratio to local; [] where there are too many targets."""
    targets = sorted({(row.target, bool(row.cpus)) for row in rows})
    initiators = sorted({row.initiator for row in rows})
    if len(targets) > TARGETS:
        return []
    by = {(row.initiator, row.target): row for row in rows}
    heads = [("from", False), *((f"node {number}{'' if cpus else '*'}", True) for number, cpus in targets)]
    grids = []
    for title, what, unit in (
        ("Latency between nodes, ns", LATENCY, vega.ns),
        ("Bandwidth between nodes, GB/s", BANDWIDTH, vega.gb),
    ):
        lines = [
            [f"node {one}", *(_cell(by.get((one, other)), what, unit) for other, _ in targets)] for one in initiators
        ]
        grids.append((f"{title}{'' if all(cpus for _, cpus in targets) else ' (* no CPUs)'}", heads, lines))
    return grids


def _cell(row: NumaRow | None, what: Measure, unit: Callable[[float], float | None]) -> str:
    if row is None:
        return cells.NOTHING
    times = what.ratio(row)
    return doubted(row, what.of(row), unit) + (f" {times:.2f}x" if times is not None else "")


def _form(section: Shown, console: Console) -> Parts:
    """Two matrices, or the plain table of a machine with many nodes."""
    return stacked(numa(section.typed)) or plain(section, console)


forms.add(Form("numa", _form))
