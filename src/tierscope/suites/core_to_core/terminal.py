"""The matrix of pairs of CPUs in a terminal; if it is too large, a line per class."""

from tierscope.draw import vega
from tierscope.draw.forms import forms, of_rows
from tierscope.draw.grid import Grid, doubted
from tierscope.suites.core_to_core.table import CoreToCoreRow, by_class, spread
from tierscope.units import show_seconds

CPUS = 10  # columns of a matrix of pairs, 8 letters each


def core_to_core(rows: list[CoreToCoreRow]) -> list[Grid]:
    """Return the whole matrix of a few CPUs, in the order of the rows; else the classes."""
    cpus = list(dict.fromkeys([row.a_cpu for row in rows] + [row.b_cpu for row in rows]))
    if len(cpus) > CPUS:
        return [_classes(rows)]
    by = {frozenset((row.a_cpu, row.b_cpu)): row for row in rows}
    lines = [[f"CPU {a}", *(_pair(by.get(frozenset((a, b))), same=a == b) for b in cpus)] for a in cpus]
    return [("Core to core, ns one way", [("", False), *((f"CPU {cpu}", True) for cpu in cpus)], lines)]


def _pair(row: CoreToCoreRow | None, *, same: bool) -> str:
    return "" if same else doubted(row, row.latency if row else None, vega.ns)


def _classes(rows: list[CoreToCoreRow]) -> Grid:
    heads = [("both CPUs on", False), ("pairs", True), ("median", True), ("least", True), ("most", True), ("?", True)]
    lines = []
    for name, pairs in by_class(rows).items():
        low, middle, high = (show_seconds(value) for value in spread(pairs))
        doubtful = sum(not pair.row.conclusive for pair in pairs)
        lines.append([name, f"{len(pairs)}", middle, low, high, f"{doubtful}"])
    return f"Core to core, one way: {len(rows)} pairs; the report draws all of them", heads, lines


forms.add(of_rows("core_to_core", core_to_core))
