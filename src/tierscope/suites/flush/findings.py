"""Sentences from the rows of `flush`: the cost of a line, and which instructions differ.

An instruction differs from its base at a chunk size if the interval of the ratio leaves out 1 and the ratio is at least
2 % away from 1. The interval is widened for the number of chunk sizes (`stats.compare`).
"""

from collections.abc import Callable
from typing import NamedTuple

from tierscope.draw.words import with_bounds
from tierscope.stats.compare import Comparison, compare, compare_all
from tierscope.stats.median import Interval
from tierscope.suites.flush.row import FlushRow
from tierscope.tables import Insight, Number
from tierscope.tables.measured import of_all, sure_rows
from tierscope.units import LINE_BYTES, KiB, show_seconds, show_size, three_digits

USUAL = 4 * KiB  # the chunk that sentences quote, where it was measured: a page, as in the source
ONE = Interval(1.0, 1.0, 1.0, 1)


class Known(NamedTuple):
    """A conclusive row with its time per line, or with its ratio."""

    row: FlushRow
    found: Interval


def sentences(rows: list[FlushRow], line_bytes: int = LINE_BYTES) -> list[Insight]:
    """Return sentences on the first kind of fence and order, then on what the others change; inconclusive rows are left
    out.

    line_bytes: of a line of the caches.
    """
    known = _known(rows, lambda row: row.line)
    if not known:
        return []
    kind = _kind(known[0].row)
    first = [one.row for one in known if _kind(one.row) == kind]
    base = [one for one in known if one.row.against == one.row.instruction]
    found = [_time(_usual(base))] if base else []
    for name in dict.fromkeys(row.instruction for row in first):
        if name != first[0].against:
            total = sum(_kind(row) == kind and row.instruction == name for row in rows)
            found += _against([row for row in first if row.instruction == name], total)
    return found + _fence(base, line_bytes) + _order(base)


def _known(rows: list[FlushRow], of: Callable[[FlushRow], Interval | None]) -> list[Known]:
    return [Known(*pair) for pair in sure_rows(rows, of)]


def _kind(row: FlushRow) -> tuple[str, str]:
    return row.fence, row.order


def _usual(known: list[Known]) -> Known:
    """Return the first one at the usual chunk size, else the middle one of those of its kind."""
    own = [one for one in known if _kind(one.row) == _kind(known[0].row)]
    own.sort(key=lambda one: one.row.chunk_bytes)
    return next((one for one in own if one.row.chunk_bytes == USUAL), own[len(own) // 2])


def subject(name: str) -> str:
    """Return the subject of a sentence."""
    return {"none": "storing without a flush", "nt": "a non-temporal store"}.get(name, name)


def where(row: FlushRow) -> str:
    """Return 'in chunks of 4 KiB, a fence after each'."""
    fence = {"chunk": "a fence after each", "line": "a fence after each line", "never": "no fence"}[row.fence]
    order = "" if row.order == "sequential" else " in random order"
    return f"in chunks of {show_size(row.chunk_bytes)}{order}, {fence}"


def _time(known: Known) -> Insight:
    row, line = known
    doubt = "" if row.written_bytes >= row.total_bytes else f", extrapolated from {_about(row.written_bytes)}"
    all_of_it = f"; {show_size(row.total_bytes)} take {show_seconds(row.seconds.middle)}{doubt}" if row.seconds else ""
    return Insight.of(
        line,
        name="flush_time",
        text=f"A line takes {with_bounds(line, show_seconds)} with {row.instruction} {where(row)}{all_of_it}",
        unit="s",
        brief=f"A stored line costs {show_seconds(line.middle)} with {row.instruction} {where(row)}",
    )


def _about(size: int) -> str:
    return f"{size / 1e9:.3g} GB"


def _against(rows: list[FlushRow], total: int) -> list[Insight]:
    """Return one instruction against its base, over the conclusive chunk sizes; total: with the inconclusive ones."""
    known = _known(rows, lambda row: row.ratio)
    if not known:
        return []
    usual = _usual(known)
    row, name, base = usual.row, subject(usual.row.instruction), usual.row.against
    told = compare_all([(ONE, one.found) for one in known], less_is_faster=True)
    own = told[known.index(usual)]
    text = f"{name} takes {three_digits(own.middle)}x the time of {base} ({_ends(own)})"
    if not _apart(own):
        text = f"{name} {_close(own)} {base}, {_times(own)} of its time"
    apart = sum(map(_apart, told))
    sizes = f"; the difference is significant at {apart} of {len(known)} sizes" if len(known) > 1 else ""
    values = [one.found.middle for one in known]
    range_ = _range(values, total) if len(known) > 1 else ""
    return [
        Insight.of(
            own,
            name=f"flush_ratio {row.instruction} over {base}",
            text=f"{text} in chunks of {show_size(row.chunk_bytes)}{range_}{sizes}",
            unit="1",
            others=(Number(value=min(values)), Number(value=max(values))),
        )
    ]


def _apart(one: Comparison) -> bool:
    return one.verdict != "no difference shown"


def _close(one: Comparison) -> str:
    """Return the addition for a difference that is sure and too small to matter."""
    return "is not distinguishable from" if one.low <= 1 <= one.high else "differs by less than 2 % from"


def _range(values: list[float], total: int) -> str:
    rest = "" if len(values) == total else " (the others are inconclusive)"
    ends = f"{three_digits(min(values))} to {three_digits(max(values))}"
    return f", {ends} over {of_all(len(values), total, 'sizes')}{rest}"


def _times(one: Comparison | Interval) -> str:
    return f"{three_digits(one.middle)} ({_ends(one)})"


def _ends(one: Comparison | Interval) -> str:
    return f"{three_digits(one.low)} to {three_digits(one.high)}"


def _fence(known: list[Known], line_bytes: int) -> list[Insight]:
    """Return a fence after each line against one after each chunk: at one size, else single lines against chunks."""
    of_chunks = [one for one in known if one.row.fence == "chunk"]
    chunks = [one for one in of_chunks if one.row.chunk_bytes > line_bytes]
    lines = {_place(one): one for one in known if one.row.fence == "line"}
    singles = {one.row.order: one for one in of_chunks if one.row.chunk_bytes == line_bytes}
    if not chunks:
        return []
    usual = _usual([one for one in chunks if _place(one) in lines] or chunks)
    other = lines.get(_place(usual)) or singles.get(usual.row.order)
    if other is None:
        return []
    what = f"a fence after each line instead of each {show_size(usual.row.chunk_bytes)}"
    return [_insight("fence_per_line", what, usual, other)]


def _place(known: Known) -> tuple[int, str]:
    return known.row.chunk_bytes, known.row.order


def _order(known: list[Known]) -> list[Insight]:
    """Return random against sequential chunks, at the usual size of those that have both."""
    random = {(one.row.chunk_bytes, one.row.fence): one for one in known if one.row.order == "random"}
    in_order = [one for one in known if one.row.order == "sequential"]
    both = [one for one in in_order if (one.row.chunk_bytes, one.row.fence) in random]
    if not both:
        return []
    usual = _usual(both)
    other = random[usual.row.chunk_bytes, usual.row.fence]
    return [_insight("random_chunks", f"chunks of {show_size(usual.row.chunk_bytes)} in random order", usual, other)]


def _insight(name: str, change: str, before: Known, after: Known) -> Insight:
    """Return the sentence on two rows that were measured one after the other, without alternating."""
    one = compare(before.found, after.found, less_is_faster=True)
    says = f"{three_digits(one.middle)}x the time per line ({_ends(one)})"
    if not _apart(one):
        says = f"no difference shown, {_times(one)} of the time per line"
    text = f"{before.row.instruction} with {change}: {says}"
    return Insight.of(one, name=name, text=text, unit="1")
