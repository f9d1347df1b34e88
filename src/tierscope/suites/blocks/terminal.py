"""Blocks in a terminal."""

from rich.console import Console
from rich.text import Text

from tierscope.draw import cells
from tierscope.draw.forms import Form, Parts, Shown, forms, rate, titled
from tierscope.draw.words import operation_name, threads_name
from tierscope.suites.blocks.row import BlocksRow
from tierscope.units import show_seconds, show_size


def _blocks(section: Shown, console: Console) -> Parts:
    """Return throughput and latency of one thread, of the most with a CPU each, and of the most that share CPUs."""
    del console
    rows: list[BlocksRow] = section.typed
    own, turns = [row.threads for row in rows if not row.shared], [row.threads for row in rows if row.shared]
    counts = list(dict.fromkeys([*sorted({min(own), max(own)} if own else ()), *([max(turns)] if turns else ())]))
    by = {(row.point, row.threads): row for row in rows}
    points = list(dict.fromkeys(row.point for row in rows))
    names = [[operation_name(word), show_size(size)] for word, size in points]
    cells_of = [[by.get((point, count)) for count in counts] for point in points]
    rates = [name + [_moved(row) for row in rows] for name, rows in zip(names, cells_of, strict=True)]
    waits = [name + [_waited(row) for row in rows] for name, rows in zip(names, cells_of, strict=True)]
    heads = [("operation", False), ("block", True)]
    heads += [(f"{threads_name(count)}{' *' if count in turns else ''}", True) for count in counts]
    parts: Parts = [
        *titled("Throughput of blocks, GB/s (95 % interval)", heads, rates),
        Text(),
        *titled("Time of one operation, p50 / p99 (~: of means of batches)", heads, waits),
    ]
    return parts + ([Text("* more threads than CPUs: they share the CPUs", style="dim")] if turns else [])


def _moved(row: BlocksRow | None) -> str:
    return rate(row, row.throughput if row else None)


def _waited(row: BlocksRow | None) -> str:
    if row is None or not row.latency:
        return cells.NOTHING
    both = (show_seconds(time.middle) if time else cells.NOTHING for time in (row.latency, row.latency_p99))
    return ("~" if row.batched != 1 else "") + " / ".join(both)


forms.add(Form("blocks", _blocks))
