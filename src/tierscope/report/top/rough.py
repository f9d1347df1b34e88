"""Ranges of one memory where intervals are wider than asked for: never single numbers.

On a shared machine that changes from visit to visit by 10 %, no number is known to 2 %, but its range is known, and
the reader has no better machine. A number counts here if only the width of its interval is against it, and if this is
at most ROUGHEST.
"""

from collections.abc import Iterator
from typing import NamedTuple

from tierscope.draw.words import load_name, threads_name
from tierscope.report.content import Content
from tierscope.report.top.brief import short_rate
from tierscope.report.top.memory import COPIES, READ, Memory
from tierscope.stats.contrast import SLOWDOWN
from tierscope.stats.median import Interval
from tierscope.stats.summary import WIDE
from tierscope.suites.latency.row import LatencyRow
from tierscope.suites.loaded_latency.row import LoadedLatencyRow
from tierscope.suites.stream.table import StreamRow
from tierscope.units import show_bytes

WIDTHS = (WIDE, SLOWDOWN)
ROUGHEST = 0.25  # half of an interval over its middle


class Range(NamedTuple):
    """A number of memory that is not conclusive. words: 'read with 16 threads', after its range in a sentence."""

    name: str
    found: Interval
    unit: str
    words: str
    about: str = ""


def ranges(content: Content, memory: Memory) -> list[Range]:
    """Return the ranges of those of reads, copies, idle latency and latency under load that `memory` does not have."""
    return [
        *(() if memory.read and memory.read.row.kernel == READ else _speed(content, memory.target, (READ,), "read")),
        *(() if memory.copy else _speed(content, memory.target, COPIES, "copied")),
        *(() if memory.idle else _idle(content, memory.target)),
        *(() if memory.load else _load(content, memory.target)),
    ]


def roughly(found: list[Range]) -> str:
    """Return '202 to 228 GB/s read with 16 threads, 126 to 131 ns idle at 1 GiB'; "" of no range."""
    units = {"B/s": (1e9, "GB/s"), "s": (1e-9, "ns")}
    parts = []
    for one in found:
        scale, unit = units[one.unit]
        parts.append(f"{one.found.low / scale:.3g} to {one.found.high / scale:.3g} {unit} {one.words}")
    return ", ".join(parts)


def _speed(content: Content, target: str, kernels: tuple[str, ...], verb: str) -> Iterator[Range]:
    rows: list[StreamRow] = content.typed("stream")
    own = [(row, found) for row in rows if row.kernel in kernels for found in _usable(row, target, row.bandwidth)]
    if own:
        row, found = max(own, key=lambda one: one[1].middle)
        team = threads_name(row.threads)
        yield Range(f"{row.kernel}, {team}", found, "B/s", f"{verb} with {team}")


def _idle(content: Content, target: str) -> Iterator[Range]:
    rows: list[LatencyRow] = content.typed("latency")
    cycles = [row for row in rows if (row.probe, row.order) == ("cycle", "global")]
    if last := max(cycles, key=lambda row: (row.footprint_bytes, row.page_bytes or 0), default=None):
        size = show_bytes(last.footprint_bytes)
        for found in _usable(last, target, last.latency):
            yield Range("idle latency", found, "s", f"idle at {size}", size)


def _load(content: Content, target: str) -> Iterator[Range]:
    rows: list[LoadedLatencyRow] = content.typed("loaded_latency")
    under = [(row, found) for row in rows if row.load_threads for found in _usable(row, target, row.latency)]
    if under:
        most, found = max(under, key=lambda one: one[0].bandwidth.middle if one[0].bandwidth else 0.0)
        rate = short_rate(most.bandwidth.middle) if most.bandwidth else ""
        mix = load_name(most.read_share, most.store)
        about = f"at {rate}, {mix}" if rate else mix
        yield Range("latency under load", found, "s", f"under a load{f' of {rate}' if rate else ''}", about)


def _usable(row: StreamRow | LatencyRow | LoadedLatencyRow, target: str, found: Interval | None) -> list[Interval]:
    """Return the interval where only its width is against the number; else nothing."""
    narrow = found is not None and found.low > 0 and found.relative <= ROUGHEST
    wide = bool(row.reasons) and all(one.startswith(WIDTHS) for one in row.reasons)
    return [found] if found and narrow and wide and row.target == target else []
