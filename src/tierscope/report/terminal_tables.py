"""The forms that tables take in a terminal: few lines, units in the heads, '?' beside what is inconclusive."""

from collections.abc import Callable, Iterable

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from tierscope.draw import braille, cells, vega
from tierscope.draw.braille import Axis, Curve
from tierscope.draw.grid import Grid
from tierscope.draw.words import load_name, operation_name, probe_name, threads_name
from tierscope.printable import printable
from tierscope.record.experiment import Label
from tierscope.report.content import Section
from tierscope.suites.buffers.terminal import buffers
from tierscope.suites.closed_loop.terminal import grids as closed_loop_grids
from tierscope.suites.contention import terminal as terminal_contention
from tierscope.suites.core_to_core.terminal import core_to_core
from tierscope.suites.counters import terminal as terminal_counters
from tierscope.suites.emulation.terminal import emulation
from tierscope.suites.flush import terminal as terminal_flush
from tierscope.suites.imported.terminal import grid as imported
from tierscope.suites.maps import terminal as terminal_maps
from tierscope.suites.neighbors import terminal as terminal_neighbors
from tierscope.suites.numa.terminal import numa
from tierscope.suites.policy.terminal import policy
from tierscope.suites.storage import terminal as terminal_storage
from tierscope.suites.stride import terminal as terminal_stride
from tierscope.suites.tlb import terminal as terminal_tlb
from tierscope.tables import Column, Row
from tierscope.units import KiB, show_bytes, show_seconds, show_size

WIDEST = 100  # columns: longer lines are hard to follow
LINES = 20  # of a table without a form of its own
BAR = 16  # columns of the longest bar
FLAT = 1.5  # latency that rises by less is drawn from zero, or noise would look like a mountain
CURVES = 6  # in one plot: more letters cannot be told apart

Parts = list[RenderableType]


def plain(section: Section, console: Console) -> Parts:
    """Any table: as many columns as fit, the first LINES rows."""
    columns = _fitting(section, _width(console))
    rows = [[cells.cell(row.get(c.name), c) for c in columns] for row in section.rows[:LINES]]
    parts: Parts = [_table(section.title, [(cells.head(c), cells.is_number(c)) for c in columns], rows)]
    if len(section.rows) > LINES:
        parts.append(Text(f"... {len(section.rows) - LINES} more rows in the report", style="dim"))
    return parts


def _stream(section: Section, console: Console) -> Parts:
    """One line per kernel, the fastest first; of the thread counts the first, the middle and the last."""
    counts = sorted({int(_float(row["threads"])) for row in section.rows})
    shown = sorted({counts[0], counts[len(counts) // 2], counts[-1]})
    by = {(str(row["kernel"]), row["threads"]): row for row in section.rows}
    best: dict[str, float] = {}
    for (kernel, _), row in by.items():
        best[kernel] = max(best.get(kernel, 0.0), _float(row["bandwidth_bytes_per_s"]))
    order = sorted(best, key=lambda kernel: (-best[kernel], kernel))
    bars = _draws(console) and _width(console) >= 60 + 10 * len(shown)
    top = best[order[0]] or 1.0
    rows = []
    for kernel in order:
        values = [_rate(by.get((kernel, count))) for count in shown]
        rows.append([kernel, *values, *([braille.bar(best[kernel] / top, BAR)] if bars else [])])
    heads = [("kernel", False), *((threads_name(count), True) for count in shown), *([("", False)] if bars else [])]
    parts: Parts = [_table("Bandwidth, GB/s (program bytes, 95 % interval)", heads, rows)]
    if len(counts) > 2:
        rising = sorted(section.rows, key=lambda row: _float(row["threads"]))
        curves = [_curve(name, rising, "kernel", "threads", "bandwidth_bytes_per_s") for name in order[:CURVES]]
        parts += _plot(console, curves, Axis("threads", ticks={n: str(n) for n in counts}), Axis("GB/s"))
    return parts


def _latency(section: Section, console: Console) -> Parts:
    """A line per power of four and the largest footprint, a column per curve; then the staircase."""
    rows = [{**row, "series": _series(row)} for row in section.rows if row["latency_s"]]
    rows.sort(key=lambda row: _float(row["footprint_bytes"]))
    sizes = sorted({int(_float(row["footprint_bytes"])) for row in rows})
    names = list(dict.fromkeys(str(row["series"]) for row in rows))
    curves = [_curve(name, rows, "series", "footprint_bytes", "latency_s") for name in names]
    long = [curve for curve in curves if len(curve.x) > 1] or curves
    by = {(row["series"], row["footprint_bytes"]): row for row in rows}
    powers = {4**power * KiB for power in range(1, 20)}
    shown = [size for size in sizes if size in powers or size == sizes[-1]]
    lines = [[show_bytes(size), *(_time(by.get((curve.label, size))) for curve in long[:4])] for size in shown[-LINES:]]
    heads = [("footprint", True), *((curve.label, True) for curve in long[:4])]
    ticks = {float(size): show_bytes(size).replace(" ", "") for size in powers}
    table = _table("Latency, ns (one dependent access, 95 % interval)", heads, lines)
    x, y = Axis("footprint", log=True, ticks=ticks), Axis("latency, ns", log=True)
    return [table, *_plot(console, [curve for curve in long if len(curve.x) > 1], x, y)]


def _series(row: Row) -> str:
    page = row["page_bytes"]
    return probe_name(str(row["probe"]), str(row["order"]), page if isinstance(page, int) else None)


def _loaded(section: Section, console: Console) -> Parts:
    """Three lines per mix: the longest delay, the middle one and none; then the curves."""
    loads = [
        {**row, "series": load_name(_float(row["read_share"]), str(row["store"]))}
        for row in section.rows
        if row["load_threads"] and row["latency_s"] and row["bandwidth_bytes_per_s"]
    ]
    if not loads:
        return plain(section, console)
    names = list(dict.fromkeys(str(row["series"]) for row in loads))
    loads.sort(key=lambda row: -_float(row["delay_cycles"]))
    lines = []
    for name in names:
        mine = [row for row in loads if row["series"] == name]
        for row in [mine[i] for i in sorted({0, len(mine) // 2, len(mine) - 1})]:
            label = name if row is mine[0] else ""
            lines.append([label, f"{_float(row['delay_cycles']):.0f}", _rate(row), _time(row)])
    heads = [("reads:writes", False), ("delay, cycles", True), ("bandwidth, GB/s", True), ("latency, ns", True)]
    curves = [_curve(name, loads, "series", "bandwidth_bytes_per_s", "latency_s") for name in names[:CURVES]]
    table = _table("Latency under load (95 % interval)", heads, lines)
    waits = [wait for curve in curves for wait in curve.y]
    y = Axis("latency, ns", zero=max(waits) < FLAT * min(waits))
    return [table, *_plot(console, curves, Axis("bandwidth of the load, GB/s"), y)]


def _groups(section: Section, console: Console) -> Parts:
    """One line per group: a bandwidth or a latency, whichever it measures."""
    del console
    rows = [
        [
            f"#{row['experiment']}.{row['group']}", str(row["role"] or ""), str(row["kernel"]),
            threads_name(int(_float(row["threads"]))), str(row["target"]),
            _rate(row) if row["latency_s"] is None else "", _time(row) if row["latency_s"] else "",
        ]
        for row in section.rows
    ]  # fmt: skip
    names = ("group", "role", "kernel", "team", "target", "bandwidth, GB/s", "latency, ns")
    return [_table("Groups (95 % interval)", [(name, ", " in name) for name in names], rows)]


def _blocks(section: Section, console: Console) -> Parts:
    """Throughput and latency of one thread, of the most with a CPU each, and of the most that take turns."""
    del console
    own = [int(_float(row["threads"])) for row in section.rows if not row["shared"]]
    turns = [int(_float(row["threads"])) for row in section.rows if row["shared"]]
    counts = list(dict.fromkeys([*sorted({min(own), max(own)} if own else ()), *([max(turns)] if turns else ())]))
    by = {(row["operation"], row["block_bytes"], row["threads"]): row for row in section.rows}
    keys = list(dict.fromkeys((row["operation"], row["block_bytes"]) for row in section.rows))
    names = [[operation_name(str(word)), show_size(int(_float(size)))] for word, size in keys]
    cells_of = [[by.get((*key, count)) for count in counts] for key in keys]
    rates = [name + [_moved(row) for row in rows] for name, rows in zip(names, cells_of, strict=True)]
    waits = [name + [_waited(row) for row in rows] for name, rows in zip(names, cells_of, strict=True)]
    heads = [("operation", False), ("block", True)]
    heads += [(f"{threads_name(count)}{' *' if count in turns else ''}", True) for count in counts]
    parts: Parts = [
        _table("Throughput of blocks, GB/s (95 % interval)", heads, rates),
        Text(),
        _table("Time of one operation, p50 / p99 (~: of means of batches)", heads, waits),
    ]
    return parts + ([Text("* threads beyond the CPUs take turns", style="dim")] if turns else [])


def _moved(row: Row | None) -> str:
    return _sure(row, "throughput_bytes_per_s", "throughput", lambda value: f"{vega.gb(value):.2f}")


def _waited(row: Row | None) -> str:
    if row is None or not row["latency_s"]:
        return cells.NOTHING
    both = (show_seconds(_float(row[key])) if row[key] else cells.NOTHING for key in ("latency_s", "latency_p99_s"))
    return ("~" if row["batched"] != 1 else "") + " / ".join(both)


def _flush(section: Section, console: Console) -> Parts:
    """For each kind of fence and order: time per line, its ratio, seconds for all bytes, as document 002 has them."""
    del console
    return _grids(terminal_flush.grids(section.rows, _sure))


def _core_to_core(section: Section, console: Console) -> Parts:
    del console
    return _grids(core_to_core(section.rows))


def _numa(section: Section, console: Console) -> Parts:
    """Two matrices, or the plain table of a machine with many nodes."""
    return _grids(numa(section.rows)) or plain(section, console)


def _grid(title: str, heads: list[tuple[str, bool]], rows: list[list[str]]) -> Parts:
    """A narrow table below its title, which is not to be broken at the table's width."""
    return [Text(title, style="bold"), _table("", heads, rows)]


def _grids(grids: Iterable[Grid]) -> Parts:
    return [part for grid in grids for part in (Text(), *_grid(*grid))][1:]


FORMS: dict[str, Callable[[Section, Console], Parts]] = {
    "blocks": _blocks,
    "stream": _stream,
    "latency": _latency,
    "loaded_latency": _loaded,
    "groups": _groups,
    "imported": lambda section, _: _grid(*imported(section.rows)),
    "flush": _flush,
    "buffers": lambda section, _: _grid(*buffers(section.rows)),
    "policy": lambda section, _: _grid(*policy(section.rows)),
    "emulation": lambda section, _: _grid(*emulation(section.rows)),
    "core_to_core": _core_to_core,
    "numa": _numa,
    "neighbors": lambda section, _: [_table(*terminal_neighbors.grid(section.rows, _sure))],
    "contention": lambda section, _: _grid(*terminal_contention.contention(section.rows)),
    "targets": lambda section, _: _grid(*terminal_contention.targets(section.rows)),
    "threads": lambda section, _: _grid(*terminal_contention.threads(section.rows)),
    "counters": lambda section, _: _grids(terminal_counters.grid(section.rows)),
    "stride": lambda section, _: _grids(terminal_stride.grids(section.rows, _sure)),
    "maps": lambda section, _: _grids(terminal_maps.grids(section.rows, _sure)),
    "storage": lambda section, _: _grid(*terminal_storage.grid(section.rows, _sure)),
    "tlb": lambda section, console: _plot(console, *terminal_tlb.curves(section.rows)),
    "tlb_levels": lambda section, _: _grid(*terminal_tlb.levels(section.rows)),
    "closed_loop": lambda section, _: _grids(closed_loop_grids(section.rows)),
}
"""By table; all others are `plain`."""


def _table(title: str, heads: list[tuple[str, bool]], rows: list[list[str]]) -> Table:
    head = Text(title, style="bold") if title else None
    table = Table(title=head, title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name, number in heads:
        table.add_column(Text(name), justify="right" if number else "left", header_style="dim", overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(entry)) for entry in row))
    return table


def _rate(row: Row | None) -> str:
    return _sure(row, "bandwidth_bytes_per_s", "bandwidth", lambda value: f"{vega.gb(value):.2f}")


def _time(row: Row | None) -> str:
    return _sure(row, "latency_s", "latency", lambda value: f"{vega.ns(value):.4g}")


def _sure(row: Row | None, key: str, stem: str, text: Callable[[float], str]) -> str:
    """'53.39 ±0.4%', the half-width of the interval; '?' for what is inconclusive."""
    if row is None or not row[key]:
        return cells.NOTHING
    middle, low, high = _float(row[key]), _float(row[f"{stem}_low"]), _float(row[f"{stem}_high"])
    return f"{cells.within(text(middle), low, middle, high)}{'' if row['conclusive'] else ' ?'}"


def _curve(label: str, rows: list[Row], key: str, x: str, y: str) -> Curve:
    """The rows whose `key` is `label`, in their order, in GB/s and ns; those without a number left out."""
    points = [(_unit(row, x), _unit(row, y)) for row in rows if row[key] == label and row[x] and row[y]]
    return Curve(printable(label), [point[0] for point in points], [point[1] for point in points])


def _unit(row: Row, key: str) -> float:
    scales = {"bandwidth_bytes_per_s": vega.gb, "latency_s": vega.ns}
    return scales[key](row[key]) or 0.0 if key in scales else _float(row[key])


def _float(value: Label) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _plot(console: Console, curves: list[Curve], x: Axis, y: Axis) -> Parts:
    """Nothing on a terminal that cannot draw; braille needs Unicode."""
    colour = console.color_system is not None and not console.no_color
    text = braille.plot(curves, x, y, width=_width(console) - 1, colour=colour) if _draws(console) else ""
    return [Text(), Text.from_ansi(text)] if text else []


def _draws(console: Console) -> bool:
    return console.encoding.lower().startswith("utf")


def _width(console: Console) -> int:
    return min(console.width, WIDEST)


def _fitting(section: Section, width: int) -> list[Column]:
    chosen: list[Column] = []
    used = 0
    for column in section.used:
        texts = [cells.head(column), *(cells.cell(row.get(column.name), column) for row in section.rows[:LINES])]
        used += max(map(len, texts)) + 2
        if chosen and used > width:
            break
        chosen.append(column)
    return chosen
