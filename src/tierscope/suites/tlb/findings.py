"""Sentences about the levels of the TLB, for one page size."""

from tierscope.stats.tlb import Extra, Level, Translation
from tierscope.suites.tlb.row import TlbRow
from tierscope.tables import Insight
from tierscope.tables.emulated import hidden_by_floor
from tierscope.units import show_bytes, show_seconds, show_size, word_bytes


def sentences(points: list[TlbRow], found: Translation) -> list[Insight]:
    """Return the sentences. points: of the table `tlb`, one page size."""
    size, most = points[0].page_bytes, max(row.touched for row in points)
    if not found.levels:
        if hidden := hidden_by_floor(points[0].target):
            text = f"TLB levels for {_pages(size)}: unknown, because {hidden}"
            return [Insight(name=f"tlb_none {word_bytes(size)}", text=text, conclusive=False)]
        text = f"No TLB level found with up to {most} {_pages(size)}: translation adds no time, or always the same time"
        return [Insight(name=f"tlb_none {word_bytes(size)}", text=text, value=0.0, low=0.0, high=0.0, unit="1")]
    said = [(_level if level.certain else _doubt)(level, number, size) for number, level in enumerate(found.levels, 1)]
    return [*said, _walk(found.beyond, size, most, found.levels[-1].certain)] if found.beyond else said


def _pages(size: int) -> str:
    return f"{show_size(size)} pages"


def _level(level: Level, number: int, size: int) -> Insight:
    named = f", consistent with {level.round}" if level.round else ""
    entries = f"{level.entries:.0f} {_pages(size)} ({level.low:.0f} to {level.high:.0f}{named})"
    if not level.low:
        entries = f"fewer than {level.high:.0f} {_pages(size)}, the smallest number tested"
    added = f"; a hit there adds {_time(level.extra)}" if number > 1 else ""
    return Insight(
        name=f"tlb_entries {number} {word_bytes(size)}",
        text=f"TLB level {number}: {entries}, reach {show_bytes(level.entries * size)}{added}",
        value=level.entries,
        low=level.low,
        high=level.high,
        unit="1",
        kind="count",
    )


def _doubt(level: Level, number: int, size: int) -> Insight:
    """Return the doubt about a step that is vague, behind a second one, or at which the lines leave a cache, too."""
    vague = (
        f"From {level.low:.0f} to {level.high:.0f} {_pages(size)}, an access takes longer with each page, and no step "
        f"shows what ends there: TLB level {number}, more than one level, or none"
    )
    step = (
        f"Up to {level.entries:.0f} {_pages(size)} ({level.low:.0f} to {level.high:.0f}), an access takes "
        f"{_time(level.extra)} more, then longer: TLB level {number} ends there, or page walks took that time "
        "before and their page tables leave a cache, or a host takes pages away"
    )
    return Insight(
        name=f"tlb_doubt {number} {word_bytes(size)}",
        text=vague if level.vague else step,
        value=level.entries,
        low=level.low,
        high=level.high,
        unit="1",
        kind="count",
    )


def _walk(extra: Extra, size: int, most: int, certain: bool) -> Insight:
    text = f"Beyond the last level, an access to {_pages(size)} takes {_time(extra)} more: a page walk"
    text += " with cached page tables" if certain else " with page tables partly in a farther cache"
    text += f", or a hit in a level larger than {most} pages"
    return Insight(
        name=f"tlb_walk {word_bytes(size)}",
        text=text,
        value=extra.middle_s,
        low=extra.low_s,
        high=extra.high_s,
        unit="s",
        kind="difference",
    )


def _time(extra: Extra) -> str:
    middle, low, high = (show_seconds(value) for value in (extra.middle_s, extra.low_s, extra.high_s))
    return f"{middle} ({low} to {high})"
