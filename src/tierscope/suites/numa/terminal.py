"""The matrices of pairs of nodes in a terminal."""

from collections.abc import Callable

from rich.console import Console

from tierscope.draw import cells, vega
from tierscope.draw.forms import Form, Parts, Shown, forms, of_rows, plain, rate, stacked, with_interval
from tierscope.draw.grid import Grid, doubted
from tierscope.suites.numa.findings import BANDWIDTH, LATENCY, LOADED, Measure
from tierscope.suites.numa.row import InjectionRow, NumaRow

TARGETS = 6  # columns of a matrix of nodes, 14 letters each


def numa(rows: list[NumaRow]) -> list[Grid]:
    """Return latency, then bandwidth of each kernel, each number with its ratio to local; [] for too many targets."""
    kernels = list(dict.fromkeys(row.kernel for row in rows))
    found = []
    for place, kernel in enumerate(kernels):
        mine = [row for row in rows if row.kernel == kernel]
        found += _grids(mine, f", {kernel}" if len(kernels) > 1 else "", latency=place == 0)
    return found


def _grids(rows: list[NumaRow], kernel: str, *, latency: bool) -> list[Grid]:
    """Return the grids of one kernel; kernel: behind their titles."""
    targets = sorted({(row.target, bool(row.cpus)) for row in rows})
    initiators = sorted({row.initiator for row in rows})
    if len(targets) > TARGETS:
        return []
    by = {(row.initiator, row.target): row for row in rows}
    heads = [("from", False), *((f"node {number}{'' if cpus else '*'}", True) for number, cpus in targets)]
    grids = []
    parts = [("Bandwidth between nodes, GB/s", BANDWIDTH, vega.gb), ("Latency under load, ns", LOADED, vega.ns)]
    if latency:
        parts.insert(0, ("Latency between nodes, ns", LATENCY, vega.ns))
    for title, what, unit in parts:
        if what is LOADED and not any(what.of(row) for row in rows):
            continue
        head = title if what is LATENCY else title + kernel
        lines = [
            [f"node {one}", *(_cell(by.get((one, other)), what, unit) for other, _ in targets)] for one in initiators
        ]
        grids.append((f"{head}{'' if all(cpus for _, cpus in targets) else ' (* no CPUs)'}", heads, lines))
    return grids


def _cell(row: NumaRow | None, what: Measure, unit: Callable[[float], float | None]) -> str:
    if row is None:
        return cells.NOTHING
    times = what.ratio(row)
    return doubted(row, what.of(row), unit) + (f" {times:.2f}x" if times is not None else "")


def injection(rows: list[InjectionRow]) -> list[Grid]:
    """Return a line for each kernel: all nodes at the same time, over their sum alone, and each node."""
    nodes = list(dict.fromkeys(row.node for row in rows if row.node != "all"))
    heads = [
        ("kernel", False),
        ("machine, GB/s", True),
        ("over alone", True),
        *((f"node {node}", True) for node in nodes),
    ]
    by = {(row.kernel, row.node): row for row in rows}
    lines = [
        [
            row.kernel,
            rate(row, row.bandwidth),
            with_interval(row, row.over_alone, lambda value: f"{value:.3f}"),
            *(rate(one, one.bandwidth) if (one := by.get((row.kernel, node))) else cells.NOTHING for node in nodes),
        ]
        for row in rows
        if row.node == "all"
    ]
    return [("All nodes at the same time, each on its own memory (95 % interval)", heads, lines)] if lines else []


def _form(section: Shown, console: Console) -> Parts:
    """Return two matrices, or the plain table of a machine with many nodes."""
    return stacked(numa(section.typed)) or plain(section, console)


forms.add(Form("numa", _form))
forms.add(of_rows("injection", injection))
