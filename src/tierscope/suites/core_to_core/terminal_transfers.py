"""Loads of lines from another CPU's cache in a terminal: a matrix for each state and home, or medians of classes."""

from statistics import median

from tierscope.draw import cells, vega
from tierscope.draw.forms import forms, of_rows
from tierscope.draw.grid import Grid, doubted
from tierscope.suites.core_to_core.figure_transfers import matrices
from tierscope.suites.core_to_core.table_transfers import CacheToCacheRow
from tierscope.units import show_seconds

CPUS = 10  # columns of a matrix, 8 letters each


def cache_to_cache(rows: list[CacheToCacheRow]) -> list[Grid]:
    """Return the whole matrices of a few CPUs, in the order of the rows; else the classes."""
    cpus = list(dict.fromkeys(cpu for row in rows for cpu in (row.reader_cpu, row.owner_cpu)))
    if len(cpus) > CPUS:
        return [_classes(rows)]
    return [_matrix(matrix, [row for row in rows if row.matrix == matrix], cpus) for matrix in matrices(rows)]


def _matrix(matrix: tuple[str, str], rows: list[CacheToCacheRow], cpus: list[int]) -> Grid:
    state, home = matrix
    by = {(row.reader_cpu, row.owner_cpu): row for row in rows}
    lines = [[f"owner {owner}", *(_cell(by.get((reader, owner))) for reader in cpus)] for owner in cpus]
    whose = "reader and owner" if home == "both" else home
    return (
        f"Load of a {state} line of another cache, ns; home: {whose}",
        [("", False), *((f"reader {cpu}", True) for cpu in cpus)],
        lines,
    )


def _cell(row: CacheToCacheRow | None) -> str:
    return doubted(row, row.latency, vega.ns) if row else cells.NOTHING


def _classes(rows: list[CacheToCacheRow]) -> Grid:
    heads = [("state", False), ("home", False), ("both CPUs on", False), ("rows", True), ("median", True), ("?", True)]
    lines = []
    for state, home, near in dict.fromkeys((row.state, row.home, row.near) for row in rows):
        own = [row for row in rows if (row.state, row.home, row.near) == (state, home, near)]
        values = [row.latency.middle for row in own if row.latency]
        middle = show_seconds(median(values)) if values else cells.NOTHING
        doubtful = sum(not row.conclusive for row in own)
        lines.append([state, home, near, f"{len(own)}", middle, f"{doubtful}"])
    return f"Cache to cache: {len(rows)} rows; the report draws all of them", heads, lines


forms.add(of_rows("cache_to_cache", cache_to_cache))
