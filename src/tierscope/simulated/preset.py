"""A simulated machine made from measurements of a real one: the TOML behind `target=sim:FILE.toml`.

    base of a walk = cost beyond the last level of the TLB - latency of the nearest cache         [s]

The numbers are those of `simulated.measured`; how many CPUs share a cache is what the system reports. The memory is
`flat`, since a staircase shows one latency of it.
Values that were not measured keep the simulator's default, and the file states so.
"""

import json
from collections.abc import Iterator, Sequence

from tierscope.record.machine import Cache, Machine
from tierscope.record.result import Run
from tierscope.simulated import fetch
from tierscope.simulated.measured import Measured, data_caches, measured, memory_read_s
from tierscope.sound import reads
from tierscope.stats.cyclic import Shape
from tierscope.suites.latency.kept import Kept
from tierscope.suites.tlb.table_levels import TlbLevelsRow
from tierscope.units import LINE_BYTES, MiB, show_bytes, show_rate, word_bytes

MOST_IN_FLIGHT = 1024  # what the simulator takes for cpu.loads


@reads("the preset")
def preset(runs: Sequence[Run], name: str = "") -> str:
    """Return the TOML text. UsageError as `measured`."""
    return text(measured(runs, name))


def text(found: Measured, *, memory: bool = True, spread: float | None = None) -> str:
    """Return the file; top-level keys before tables. Without `memory` it needs the key `memories` in front.

    spread: how much the latency of memory varies, as `run core` found it; None: not known.
    """
    parts = [_head(found, memory), *_caches(found), *_tlbs(found), _memory(found, spread) if memory else []]
    return "\n".join("\n".join(part) + "\n" for part in parts if part)


def _quoted(words: str) -> str:
    """Return a TOML string: JSON's escapes are TOML's, except that of DEL."""
    return json.dumps(words.replace("\x7f", ""), ensure_ascii=False)


def _head(found: Measured, memory: bool) -> list[str]:
    cpus = len(found.machine.cpus())
    lines = [
        f"name = {_quoted(found.name)}",
        f"summary = {_quoted(f'{found.machine.identity.model} as {found.origin}')}",
        f"source = {_quoted(f'{found.origin}: {found.where}')}",
        "seed = 1",
        *(['default = "memory"'] if memory else []),
        "",
        "[cpu]",
        f"count = {cpus}                  # that the measuring process could use",
    ]
    if (line := found.machine.line_bytes()) != LINE_BYTES:
        lines.append(f"line = {_quoted(word_bytes(line))}              # of the caches, as reported")
    if in_flight := found.in_flight:
        loads = min(max(round(in_flight), 1), MOST_IN_FLIGHT)
        rate = in_flight * found.machine.line_bytes() / found.memory_s
        lines.append(f"loads = {loads}                  # one thread read {show_rate(rate)}; with its prefetchers")
    else:
        lines.append(
            "# loads: not measured; one thread's bandwidth would show it, from `tierscope run stream kernels=read`"
        )
    if found.page_bytes:
        lines += ["", "[pages]", f"bytes = {_quoted(word_bytes(_translated(found)))}       # of the staircase"]
    return [*lines, *fetch.section(found.machine)]


def _caches(found: Measured) -> Iterator[list[str]]:
    count, near = len(found.machine.cpus()), 1
    reported = data_caches(found.machine)
    for number, shape in enumerate(found.caches):
        cache = reported[number] if number < len(reported) else None
        others = found.kept if number + 1 == len(found.caches) else None
        near = _sharers(cache, found.machine, near, count)
        name = "L1d" if number == 0 else f"L{number + 1}"
        yield [
            "[[cache]]",
            f'name = "{name}"',
            f"size = {_quoted(word_bytes(round(shape.size_bytes)))}         # {_told(shape, cache, others)}",
            f"ways = {shape.ways}                # {'reported' if cache and cache.ways == shape.ways else 'a guess'}",
            f'policy = "{shape.policy}"         # {"a guess" if others else "the one that fits the knee"}',
            f'latency = "{shape.latency_s * 1e9:.4g}ns"      # {found.word}',
            f"shared = {near}                 # {'reported' if cache else 'a guess'}",
            *([f"pair = true                # {found.word}"] if found.pairs and number == 1 else []),
            *(_keep(others) if others else []),
        ]


def _keep(kept: Kept) -> list[str]:
    span = f"{kept.low_s * 1e3:.3g} to {kept.high_s * 1e3:.3g} ms"
    return [f'keep = "{kept.middle_s * 1e3:.4g}ms"          # {span}: others use it, too']


def _told(shape: Shape, cache: Cache | None, kept: Kept | None) -> str:
    if kept is not None:
        return f"at least, from fast passes; reported: {show_bytes(cache.size_bytes) if cache else 'nothing'}"
    if shape.size_bytes == shape.reported_bytes:
        return "reported, and the staircase agrees"
    told = f"; reported: {show_bytes(cache.size_bytes)}" if cache else ""
    return f"effective, from where the staircase rises{told}"


def _sharers(cache: Cache | None, machine: Machine, near: int, count: int) -> int:
    """Return how many CPUs share a cache: a multiple of those of the level before that divides their number."""
    wanted = count if cache is None else len(set(cache.cpus) & set(machine.cpus()))
    fits = [n for n in range(near, count + 1, near) if count % n == 0]
    return min(fits, key=lambda n: (abs(n - wanted), n))


def _translated(found: Measured) -> int:
    """Return the bytes that an entry of the TLB translates: a page, or a part of it."""
    parts = next((row.part_bytes for row in found.tlb if row.part_bytes), None)
    return parts or found.page_bytes


def _tlbs(found: Measured) -> Iterator[list[str]]:
    """Yield levels that are sure, and the page walk behind them; none where `run tlb` found none with these pages.

    The simulator lets the page walk's own reads miss, so that a level which may be only this is the page walk here.
    """
    levels = [row for row in found.tlb if row.certain]
    beyond = [row for row in found.tlb if not row.certain]
    if not found.page_bytes or not levels or not beyond:
        return
    for number, row in enumerate(levels):
        how = found.word if row.entries_low else "a guess: fewer than were touched"
        yield [
            "[[tlb]]",
            f'name = "{"DTLB" if number == 0 else f"TLB{number + 1}"}"',
            f"entries = {_entries(row)}     # {how}",
            f'latency = "{max(row.extra.middle, 0) * 1e9:.3g}ns"     # {found.word}',
        ]
    base = max(beyond[0].extra.middle - found.shapes[0].latency_s, 0)
    yield ["[walk]", f'base = "{base * 1e9:.3g}ns"     # {found.word}, less the read of the entry']


def _entries(row: TlbLevelsRow) -> int:
    """Return the round number, else the whole one; one less than the fewest pages touched if all of those were too
    many.
    """
    most = round(row.entries or 1)
    return row.entries_round or (most if row.entries_low else max(most - 1, 1))


def _memory(found: Measured, spread: float | None) -> list[str]:
    read = memory_read_s(found)
    size = max(sum(node.memory_bytes for node in found.machine.identity.nodes) // MiB * MiB, MiB)
    lines = [
        "[memory.memory]",
        'kind = "flat"               # a staircase shows one latency, not channels and rows',
        f"size = {_quoted(word_bytes(size))}",
        f'read = "{read * 1e9:.4g}ns"           # {found.word}, behind the last cache',
        f'write = "{read * 1e9:.4g}ns"          # a guess: as a read',
    ]
    if rate := found.bandwidth_bytes_per_s:
        lines.append(f'bandwidth = "{rate / 1e9:.4g}GB/s"    # {found.word}, the most of any number of threads')
    else:
        lines.append("# bandwidth: not measured; `tierscope run stream kernels=read` would show it")
    if spread is not None:
        lines.append(f"spread = {spread:.3g}             # found, in windows of few loads")
    return lines
