"""Sentences about the levels of the TLB, for one page size."""

from dataclasses import dataclass

from tierscope.stats.tlb import Extra, Level, Translation
from tierscope.suites.tlb.row import TlbRow, mixed
from tierscope.tables import Insight
from tierscope.tables.emulated import hidden_by_floor
from tierscope.units import show_bytes, show_seconds, show_size, word_bytes


@dataclass(frozen=True, slots=True)
class Pages:
    """A page size, and the parts in which its pages are translated; 0: as a whole."""

    size: int
    part: int

    @property
    def entry(self) -> int:
        """Return the bytes that an entry translates."""
        return self.part or self.size

    def __str__(self) -> str:
        pages = f"{show_size(self.size)} pages"
        return f"parts of {show_size(self.part)} of {pages}" if self.part else pages


def sentences(points: list[TlbRow], found: Translation) -> list[Insight]:
    """Return the sentences. points: of the table `tlb`, one page size."""
    pages, most = Pages(points[0].page_bytes, points[0].part_bytes or 0), max(row.touched for row in points)
    if not found.levels:
        if hidden := hidden_by_floor(points[0].target):
            text = f"TLB levels for {pages}: unknown, because {hidden}"
            return [Insight(name=f"tlb_none {word_bytes(pages.size)}", text=text, conclusive=False)]
        if why := mixed(points[0]):
            text = f"TLB levels for {show_size(pages.size)} pages: unknown, because {why}"
            return [Insight(name=f"tlb_none {word_bytes(pages.size)}", text=text, conclusive=False)]
        if pages.part:
            text = f"TLB levels for {show_size(pages.size)} pages: unknown, because a first look showed entries of "
            text += f"{show_size(pages.part)}, and the curve shows none; repeat it on a quiet machine"
            return [Insight(name=f"tlb_none {word_bytes(pages.size)}", text=text, conclusive=False)]
        text = f"No TLB level found with up to {most} {pages}: translation adds no time, or always the same time"
        return [Insight(name=f"tlb_none {word_bytes(pages.size)}", text=text, value=0.0, low=0.0, high=0.0, unit="1")]
    levels = [
        (_level if level.certain else _doubt)(level, number, pages) for number, level in enumerate(found.levels, 1)
    ]
    walk = [_walk(found.beyond, pages, most, found.levels[-1].certain)] if found.beyond else []
    return [*([_split(pages)] if pages.part else []), *levels, *walk]


def _split(pages: Pages) -> Insight:
    part = float(pages.part)
    return Insight(
        name=f"tlb_parts {word_bytes(pages.size)}",
        text=f"{show_size(pages.size)} pages are translated in parts of {show_size(pages.part)}, as where the host of "
        "a guest maps them so: the nearest TLB has an entry for each part",
        value=part,
        low=part,
        high=part,
        unit="B",
    )


def _level(level: Level, number: int, pages: Pages) -> Insight:
    named = f", consistent with {level.round}" if level.round else ""
    entries = f"{level.entries:.0f} {pages} ({level.low:.0f} to {level.high:.0f}{named})"
    if not level.low:
        entries = f"fewer than {level.high:.0f} {pages}, the smallest number tested"
    added = f"; a hit there adds {_time(level.extra)}" if number > 1 else ""
    return Insight(
        name=f"tlb_entries {number} {word_bytes(pages.size)}",
        text=f"TLB level {number}: {entries}, reach {show_bytes(level.entries * pages.entry)}{added}",
        value=level.entries,
        low=level.low,
        high=level.high,
        unit="1",
        kind="count",
    )


def _doubt(level: Level, number: int, pages: Pages) -> Insight:
    """Return the doubt about a step that is vague, behind a second one, or at which the lines leave a cache, too."""
    vague = (
        f"From {level.low:.0f} to {level.high:.0f} {pages}, an access takes longer with each page, and no step "
        f"shows what ends there: TLB level {number}, more than one level, or none"
    )
    step = (
        f"Up to {level.entries:.0f} {pages} ({level.low:.0f} to {level.high:.0f}), an access takes "
        f"{_time(level.extra)} more, then longer: TLB level {number} ends there, or page walks took that time "
        "before and their page tables leave a cache, or a host takes pages away"
    )
    return Insight(
        name=f"tlb_doubt {number} {word_bytes(pages.size)}",
        text=vague if level.vague else step,
        value=level.entries,
        low=level.low,
        high=level.high,
        unit="1",
        kind="count",
    )


def _walk(extra: Extra, pages: Pages, most: int, certain: bool) -> Insight:
    text = f"Beyond the last level, an access to {pages} takes {_time(extra)} more: a page walk"
    text += " with cached page tables" if certain else " with page tables partly in a farther cache"
    text += f", or a hit in a level larger than {most} pages"
    return Insight(
        name=f"tlb_walk {word_bytes(pages.size)}",
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
