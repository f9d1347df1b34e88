"""Matrices in a terminal: pairs of CPUs, pairs of nodes; what is too large for it becomes a line per class."""

from collections.abc import Callable

from tierscope.experiment import Label, real
from tierscope.report import cells, vega
from tierscope.report.grid import Grid
from tierscope.tables import Row
from tierscope.tables.core_to_core import by_class, spread
from tierscope.units import show_seconds

"""Title, heads with whether they are numbers, lines."""

CPUS = 10  # columns of a matrix of pairs, 8 letters each
TARGETS = 6  # columns of a matrix of nodes, 14 letters each


def core_to_core(rows: list[Row]) -> list[Grid]:
    """The whole matrix of a few CPUs, in the order of the rows; else the classes."""
    cpus = list(dict.fromkeys(row[key] for key in ("a_cpu", "b_cpu") for row in rows))
    if len(cpus) > CPUS:
        return [_classes(rows)]
    by = {frozenset((row["a_cpu"], row["b_cpu"])): row for row in rows}
    lines = [[f"CPU {a}", *(_pair(by.get(frozenset((a, b))), same=a == b) for b in cpus)] for a in cpus]
    return [("Core to core, ns one way", [("", False), *((f"CPU {cpu}", True) for cpu in cpus)], lines)]


def _pair(row: Row | None, *, same: bool) -> str:
    return "" if same else _value(row, "latency_s", vega.ns)


def _value(row: Row | None, key: str, unit: Callable[[Label], float | None]) -> str:
    value = unit(row[key]) if row else None
    if row is None or value is None:
        return cells.NOTHING
    return f"{value:.4g}{'' if row['conclusive'] else ' ?'}"


def _classes(rows: list[Row]) -> Grid:
    heads = [("both CPUs on", False), ("pairs", True), ("median", True), ("least", True), ("most", True), ("?", True)]
    lines = []
    for name, pairs in by_class(rows).items():
        low, middle, high = (show_seconds(value) for value in spread(pairs))
        doubtful = sum(not row["conclusive"] for row in pairs)
        lines.append([name, f"{len(pairs)}", middle, low, high, f"{doubtful}"])
    return f"Core to core, one way: {len(rows)} pairs; the report draws all of them", heads, lines


def numa(rows: list[Row]) -> list[Grid]:
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


def _cell(row: Row | None, key: str, ratio: str, unit: Callable[[Label], float | None]) -> str:
    times = real(row[ratio]) if row else None
    return _value(row, key, unit) + (f" {times:.2f}x" if times is not None else "")
