"""Blocks in a terminal."""

from rich.console import Console
from rich.text import Text

from tierscope.draw import cells, vega
from tierscope.draw.forms import (
    Form,
    Parts,
    Shown,
    flat_number,
    flat_with_interval,
    forms,
    titled,
)
from tierscope.draw.words import operation_name, threads_name
from tierscope.tables import Flat
from tierscope.units import show_seconds, show_size


def _blocks(section: Shown, console: Console) -> Parts:
    """Throughput and latency of one thread, of the most with a CPU each, and of the most that take turns."""
    del console
    own = [int(flat_number(row["threads"])) for row in section.rows if not row["shared"]]
    turns = [int(flat_number(row["threads"])) for row in section.rows if row["shared"]]
    counts = list(dict.fromkeys([*sorted({min(own), max(own)} if own else ()), *([max(turns)] if turns else ())]))
    by = {(row["operation"], row["block_bytes"], row["threads"]): row for row in section.rows}
    keys = list(dict.fromkeys((row["operation"], row["block_bytes"]) for row in section.rows))
    names = [[operation_name(str(word)), show_size(int(flat_number(size)))] for word, size in keys]
    cells_of = [[by.get((*key, count)) for count in counts] for key in keys]
    rates = [name + [_moved(row) for row in rows] for name, rows in zip(names, cells_of, strict=True)]
    waits = [name + [_waited(row) for row in rows] for name, rows in zip(names, cells_of, strict=True)]
    heads = [("operation", False), ("block", True)]
    heads += [(f"{threads_name(count)}{' *' if count in turns else ''}", True) for count in counts]
    parts: Parts = [
        *titled("Throughput of blocks, GB/s (95 % interval)", heads, rates),
        Text(),
        *titled("Time of one operation, p50 / p99 (~: of means of batches)", heads, waits),
    ]
    return parts + ([Text("* threads beyond the CPUs take turns", style="dim")] if turns else [])


def _moved(row: Flat | None) -> str:
    return flat_with_interval(row, "throughput_bytes_per_s", "throughput", lambda value: f"{vega.gb(value):.2f}")


def _waited(row: Flat | None) -> str:
    if row is None or not row["latency_s"]:
        return cells.NOTHING
    both = (
        show_seconds(flat_number(row[key])) if row[key] else cells.NOTHING for key in ("latency_s", "latency_p99_s")
    )
    return ("~" if row["batched"] != 1 else "") + " / ".join(both)


forms.add(Form("blocks", _blocks))
