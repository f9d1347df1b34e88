"""Findings from the latency rows of a run: cache levels, memory, the cost of page walks, adjacent-line prefetch.

Cache levels are those of `latency_levels`. Large pages against the smallest at one footprint give TLB-hit and TLB-miss
latency; their difference is the mean cost of the page walks, as far as caches cannot hide it.
Adjacent-line prefetch shows when both lines of an aligned pair are visited one after the other. If the processor
fetches the buddy too, every second access finds it near, and the mean falls towards half. If not, open DRAM pages and
TLB hits may save a tenth. So the border is at three quarters, and the finding is "undecided" if the interval contains
it.

Sources: as `stats.levels`; for the pair test, "Intel 64 and IA-32 Architectures Optimization Reference Manual", section
on data prefetching (the spatial prefetcher fetches the other line of an aligned 128-byte pair).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from tierscope.record.machine import Cache
from tierscope.stats.compare import Comparison, compare, difference
from tierscope.stats.levels import Level
from tierscope.stats.median import Interval
from tierscope.suites.latency.kept import kept
from tierscope.suites.latency.levels import Found, latency_levels
from tierscope.suites.latency.row import LatencyRow
from tierscope.tables import Insight
from tierscope.tables.emulated import hidden_by_floor
from tierscope.tables.measured import SMALL_PAGES, sure_rows
from tierscope.units import show_bytes, show_seconds

DOUBLE = 2  # of two capacities that are called near
PREFETCHED = 0.75  # of the global latency: half way from "the buddy is free" (1/2) to "nothing gained" (1)
UNSURE = "; its capacity is inconclusive: "  # before the reason of one level; that of the whole curve replaces it


class Known(NamedTuple):
    """A row with the time of an access; a conclusive one, but for `fetches_pairs`."""

    row: LatencyRow
    time: Interval


def said(rows: list[LatencyRow], caches: tuple[Cache, ...]) -> list[Insight]:
    """Return all insights, per target; none where the rows for one are missing."""
    reported = max((c.size_bytes for c in caches if c.kind != "Instruction"), default=0)
    levels = latency_levels(rows, float(reported))
    found = []
    for target in dict.fromkeys(row.target for row in rows if row.latency):
        here = [row for row in rows if row.target == target]
        if target in levels:
            steps = enumerate(levels[target].staircase.levels, start=1)
            told = [_level(rank, level, caches, f"{levels[target].pages} pages") for rank, level in steps]
            told += _memory(levels[target], caches)
            found += [_doubted(one, levels[target].rows) for one in told]
            others = _kept([row for row in here if row.pages == levels[target].pages])
            found += [_doubted(one, levels[target].rows) for one in others]
        cycles = [Known(*pair) for pair in sure_rows(here, lambda row: row.latency) if pair[0].probe == "cycle"]
        found += _pages(cycles) + _buddy(cycles)
    return found


def _doubted(said: Insight, rows: Sequence[LatencyRow]) -> Insight:
    """Return the insight with its doubt: most points of a curve must be conclusive, and the last for memory itself."""
    doubtful = sum(not row.conclusive for row in rows)
    if 2 * doubtful <= len(rows) and (said.name != "memory" or rows[-1].conclusive):
        return said
    text = f"{said.text.partition(UNSURE)[0]}; inconclusive, because {doubtful} of {len(rows)} points are"
    return replace(said, text=text, conclusive=False)


def _level(rank: int, level: Level, caches: tuple[Cache, ...], where: str) -> Insight:
    sizes = {c.size_bytes: f"L{c.level}" for c in caches if c.kind != "Instruction"}
    beside = beside_reported(level.capacity_bytes, sizes)
    head = f"Cache level {rank}: {show_seconds(level.latency_s)} up to {show_bytes(level.low_bytes)}"
    if level.doubt:
        text = f"{head} ({where}){UNSURE}{level.doubt}"
        return Insight(name=f"level_{rank}", text=text, unit="B", conclusive=False)
    return Insight(
        name=f"level_{rank}",
        text=f"{head}; capacity {show_bytes(level.capacity_bytes)} ({_range(level)}, {where}){beside}",
        value=level.capacity_bytes,
        low=level.low_bytes,
        high=level.high_bytes,
        unit="B",
    )


def beside_reported(capacity: float, sizes: Mapping[int, str]) -> str:
    """Return the reported cache within a doubling of a capacity, else the two that it is between; "" for neither.

    sizes: bytes -> name of each reported cache.
    """
    near = min(sizes, key=lambda size: abs(math.log(size / capacity)), default=0)
    if near and max(near, capacity) <= DOUBLE * min(near, capacity):
        return f"; nearest reported cache: {sizes[near]}, {show_bytes(near)}"
    below = max((size for size in sizes if size < capacity), default=0)
    above = min((size for size in sizes if size > capacity), default=0)
    if not below or not above:
        return ""
    return f"; between the reported {sizes[below]}, {show_bytes(below)}, and {sizes[above]}, {show_bytes(above)}"


def _kept(rows: list[LatencyRow]) -> list[Insight]:
    """Return that others take lines from the last cache, where fast passes show it."""
    one = kept(rows)
    if one is None:
        return []
    span = f"{show_seconds(one.low_s)} to {show_seconds(one.high_s)}"
    text = (
        f"Others use the last cache: it loses a line {span} after its last use. A chase finds "
        f"{show_bytes(one.slow_bytes)} there, and passes by blocks, which come back sooner, "
        f"{show_bytes(one.fast_bytes)}"
    )
    return [Insight(name="kept", text=text, value=one.middle_s, low=one.low_s, high=one.high_s, unit="s")]


def _range(level: Level) -> str:
    return f"{show_bytes(level.low_bytes)} to {show_bytes(level.high_bytes)}"


def _memory(found: Found, caches: tuple[Cache, ...]) -> list[Insight]:
    """Return where memory begins, and which cache is the last before it."""
    stairs = found.staircase
    memory, start, last = stairs.memory_s, stairs.memory_from_bytes, stairs.last_cache
    if memory is None or start is None:
        return []
    if stairs.memory_doubt:
        text = f"Memory latency: inconclusive: {stairs.memory_doubt}; an access takes {show_seconds(memory)} "
        text = f"{text}with footprints from {show_bytes(start)} ({found.pages} pages)"
        return [Insight(name="memory", text=text, unit="s", conclusive=False)]
    largest = found.times[-1]
    insights = [
        Insight(
            name="memory",
            text=f"Memory latency: {show_seconds(memory)} with footprints from {show_bytes(start)} "
            f"({found.pages} pages)",
            value=memory,
            low=min(largest.low, memory),
            high=max(largest.high, memory),
            unit="s",
        )
    ]
    if stairs.levels and not last:
        text = f"Effective last-level cache: inconclusive: {stairs.last_doubt}"
        insights.append(Insight(name="effective_cache", text=text, unit="B", conclusive=False))
    if last:
        reported = max((c.size_bytes for c in caches if c.kind != "Instruction"), default=0)
        beside = f"; reported: {show_bytes(reported)}" if reported else ""
        insights.append(
            Insight(
                name="effective_cache",
                text=f"Effective last-level cache: {show_bytes(last.capacity_bytes)} ({_range(last)}){beside}",
                value=last.capacity_bytes,
                low=last.low_bytes,
                high=last.high_bytes,
                unit="B",
            )
        )
    return insights


def _pages(cycles: list[Known]) -> list[Insight]:
    """Return latencies with large and small pages and their difference, at the largest footprint that has both.

    Whether large pages are TLB hits is not known here: a host may map them in small ones (`run tlb`).
    """
    walks = [one for one in cycles if one.row.order == "global" and one.row.page_bytes]
    pair = _paired(
        [one for one in walks if _page(one.row) <= SMALL_PAGES],
        [one for one in walks if _page(one.row) > SMALL_PAGES],
        lambda row: (row.footprint_bytes, row.element_bytes),
    )
    if pair is None:
        return []
    (small, miss), (large, hit) = pair
    if hidden := hidden_by_floor(small.target):
        text = f"Cost of page walks: unknown, because {hidden}"
        return [Insight(name="page_walk", text=text, conclusive=False)]
    cost = difference(hit, miss)
    size, page = show_bytes(small.footprint_bytes), show_bytes(_page(large))
    unsure = "" if cost.low > 0 or cost.high < 0 else "; no difference shown"
    return [
        _seconds("tlb_hit", f"With {page} pages: {show_seconds(hit.middle)} at {size}", hit),
        _seconds(
            "tlb_miss",
            f"With {show_bytes(_page(small))} pages: {show_seconds(miss.middle)} at {size}",
            miss,
        ),
        _seconds("page_walk", f"Page walks add {show_seconds(cost.middle)} per access at {size}{unsure}", cost),
    ]


def _page(row: LatencyRow) -> int:
    """Return the page size of a row that has one."""
    assert row.page_bytes is not None
    return row.page_bytes


def _buddy(cycles: list[Known]) -> list[Insight]:
    """Return order "pair" over order "global" at the largest footprint that has both; large pages first."""
    found = pairs(cycles)
    if found is None:
        return []
    ratio, both = found
    size = show_bytes(both.row.footprint_bytes)
    presence, hidden = _presence(ratio), hidden_by_floor(both.row.target)
    if hidden and presence != "present":
        text = f"Adjacent-line prefetch: unknown, because {hidden}"
        return [Insight(name="adjacent_line_prefetch", text=text, conclusive=False)]
    return [
        Insight.of(
            ratio,
            name="adjacent_line_prefetch",
            text=f"Adjacent-line prefetch: {presence}; an access to pairs of lines takes {ratio.middle:.2f}x the "
            f"latency of single lines ({ratio.low:.2f} to {ratio.high:.2f}) at {size}",
            unit="1",
        )
    ]


def pairs(cycles: list[Known]) -> tuple[Comparison, Known] | None:
    """Return the latency of order "pair" over that of "global", and the row of "pair"; None if one was not measured."""
    found = _paired(
        [one for one in cycles if one.row.order == "pair"],
        [one for one in cycles if one.row.order == "global"],
        lambda row: (row.footprint_bytes, row.pages, row.page_bytes, row.element_bytes),
    )
    if found is None:
        return None
    both, single = found
    return compare(single.time, both.time, less_is_faster=True), both


def fetches_pairs(rows: Sequence[LatencyRow]) -> bool:
    """Return whether rows of one target show that a miss brings the other line of its pair, conclusive or not.

    Their intervals contain what makes them inconclusive, so the ratio must be clear with them.
    """
    found = pairs([Known(row, row.latency) for row in rows if row.latency and row.probe == "cycle"])
    return found is not None and _presence(found[0]) == "present"


def _presence(ratio: Comparison) -> str:
    if ratio.high < PREFETCHED:
        return "present"
    return "absent" if ratio.low > PREFETCHED else "undecided"


def _paired(some: list[Known], others: list[Known], key: Callable[[LatencyRow], object]) -> tuple[Known, Known] | None:
    """Return one row of each that agree in `key`: the largest footprint, then the largest pages."""
    by_key = {key(one.row): one for one in others}
    pairs = [(one, by_key[key(one.row)]) for one in some if key(one.row) in by_key]
    return max(pairs, key=lambda pair: (pair[0].row.footprint_bytes, pair[0].row.page_bytes or 0), default=None)


def _seconds(name: str, text: str, interval: Interval) -> Insight:
    low, middle, high = interval.low, interval.middle, interval.high
    kind = "difference" if name == "page_walk" else ""
    return Insight(name=name, text=text, value=middle, low=low, high=high, unit="s", kind=kind)
