"""The matrices of pairs of nodes in a terminal."""

from collections.abc import Callable

from rich.console import Console

from tierscope.draw import vega
from tierscope.draw.forms import Form, Parts, Shown, forms, plain, stacked
from tierscope.draw.grid import Grid, doubted
from tierscope.record.experiment import Label, real
from tierscope.tables import Flat

TARGETS = 6  # columns of a matrix of nodes, 14 letters each


def numa(rows: list[Flat]) -> list[Grid]:
    """Latency and bandwidth, each number with its ratio to local; [] where there are too many targets."""
    targets = sorted({(int(row["target"] or 0), bool(row["cpus"])) for row in rows})
    initiators = sorted({int(row["initiator"] or 0) for row in rows})
    if len(targets) > TARGETS:
        return []
    by = {(row["initiator"], row["target"]): row for row in rows}
    heads = [("from", False), *((f"node {number}{'' if cpus else '*'}", True) for number, cpus in targets)]
    grids = []
    for title, key, ratio, unit in (
        ("Latency between nodes, ns", "latency_s", "latency_ratio", vega.ns),
        ("Bandwidth between nodes, GB/s", "bandwidth_bytes_per_s", "bandwidth_ratio", vega.gb),
    ):
        lines = [
            [f"node {one}", *(_cell(by.get((one, other)), key, ratio, unit) for other, _ in targets)]
            for one in initiators
        ]
        grids.append((f"{title}{'' if all(cpus for _, cpus in targets) else ' (* no CPUs)'}", heads, lines))
    return grids


def _cell(row: Flat | None, key: str, ratio: str, unit: Callable[[Label], float | None]) -> str:
    times = real(row[ratio]) if row else None
    return doubted(row, key, unit) + (f" {times:.2f}x" if times is not None else "")


def _form(section: Shown, console: Console) -> Parts:
    """Two matrices, or the plain table of a machine with many nodes."""
    return stacked(numa(section.rows)) or plain(section, console)


forms.add(Form("numa", _form))
