"""What the rows of `flush` say in words: what a line costs, and which instructions can be told apart.

An instruction is told apart from the one it is compared with at a chunk size if the interval of the ratio, widened for
the number of chunk sizes (`stats.compare`), leaves out 1 and the ratio is 2 % away from it at least.
"""

from tierscope.stats.compare import Comparison, compare, compare_all
from tierscope.stats.median import Interval
from tierscope.tables import Flat, Insight, Number
from tierscope.tables.measured import interval_of, of_all, sure_rows_flat, whole
from tierscope.units import LINE_BYTES, KiB, show_seconds, show_size

USUAL = 4 * KiB  # the chunk that sentences quote, where it was measured: a page, as in the source
ONE = Interval(1.0, 1.0, 1.0, 1)


def sentences(rows: list[Flat]) -> list[Insight]:
    """About the first kind of fence and order, then what the others change; inconclusive rows count for nothing."""
    known = [row for row, _ in sure_rows_flat(rows, "line", "s")]
    if not known:
        return []
    first = [row for row in known if _kind(row) == _kind(known[0])]
    base = [row for row in known if row["against"] == row["instruction"]]
    others = [name for name in _names(first) if name != first[0]["against"]]
    found = [_time(_usual(base))] if base else []
    for name in others:
        total = sum(_kind(row) == _kind(first[0]) and row["instruction"] == name for row in rows)
        found += _against([row for row in first if row["instruction"] == name], total)
    return found + _fence(base) + _order(base)


def _kind(row: Flat) -> tuple[object, ...]:
    return row["fence"], row["order"]


def _names(rows: list[Flat]) -> list[str]:
    return list(dict.fromkeys(str(row["instruction"]) for row in rows))


def _usual(rows: list[Flat]) -> Flat:
    """The first row at the usual chunk size, else the one in the middle of those of its kind."""
    own = sorted((row for row in rows if _kind(row) == _kind(rows[0])), key=lambda row: whole(row, "chunk_bytes"))
    return next((row for row in own if row["chunk_bytes"] == USUAL), own[len(own) // 2])


def subject(name: str) -> str:
    """Of a sentence."""
    return {"none": "storing without a flush", "nt": "a non-temporal store"}.get(name, name)


def where(row: Flat) -> str:
    """'in chunks of 4 KiB, a fence after each'."""
    fence = {"chunk": "a fence after each", "line": "a fence after each line", "never": "no fence"}[str(row["fence"])]
    order = "" if row["order"] == "sequential" else " in random order"
    return f"in chunks of {show_size(whole(row, 'chunk_bytes'))}{order}, {fence}"


def _time(row: Flat) -> Insight:
    line = _interval(row, "line", "s")
    total, written = whole(row, "total_bytes"), whole(row, "written_bytes")
    all_of_it = f"{show_size(total)} take {show_seconds(float(row['seconds_total'] or 0))}"
    doubt = "" if written >= total else f", extrapolated from {_about(written)}"
    return Insight(
        name="flush_time",
        text=f"A line takes {_span(line)} with {row['instruction']} {where(row)}; {all_of_it}{doubt}",
        value=line.middle,
        low=line.low,
        high=line.high,
        unit="s",
    )


def _about(size: int) -> str:
    return f"{size / 1e9:.3g} GB"


def _span(line: Interval) -> str:
    return f"{show_seconds(line.middle)} ({show_seconds(line.low)} to {show_seconds(line.high)})"


def _against(rows: list[Flat], total: int) -> list[Insight]:
    """One instruction against the one it is compared with, over the conclusive chunk sizes; total: with the others."""
    known = [row for row, _ in sure_rows_flat(rows, "ratio", "")]
    if not known:
        return []
    row, name, base = _usual(known), str(known[0]["instruction"]), str(known[0]["against"])
    told = compare_all([(ONE, _interval(one, "ratio", "")) for one in known], less_is_faster=True)
    own = told[known.index(row)]
    apart = [one for one, verdict in zip(known, told, strict=True) if _apart(verdict)]
    text = f"{subject(name)} takes {_digits(own.middle)}x the time of {base} ({_ends(own)})"
    if not _apart(own):
        text = f"{subject(name)} {_close(own)} {base}, {_times(own)} of its time"
    sizes = f"; the difference is significant at {len(apart)} of {len(known)} sizes" if len(known) > 1 else ""
    range_ = _range(known, total) if len(known) > 1 else ""
    values = [float(one["ratio"] or 0) for one in known]
    return [
        Insight(
            name=f"flush_ratio {name}",
            text=f"{text} in chunks of {show_size(whole(row, 'chunk_bytes'))}{range_}{sizes}",
            value=own.middle,
            low=own.low,
            high=own.high,
            unit="1",
            others=tuple(Number(value=value) for value in (min(values), max(values))),
        )
    ]


def _apart(one: Comparison) -> bool:
    return one.verdict != "no difference shown"


def _close(one: Comparison) -> str:
    """A difference may be sure and still be worth nothing."""
    return "is not distinguishable from" if one.low <= 1 <= one.high else "differs by less than 2 % from"


def _range(rows: list[Flat], total: int) -> str:
    values = [float(row["ratio"] or 0) for row in rows]
    rest = "" if len(rows) == total else " (the others are inconclusive)"
    return f", {_digits(min(values))} to {_digits(max(values))} over {of_all(len(rows), total, 'sizes')}{rest}"


def _times(one: Comparison | Interval) -> str:
    return f"{_digits(one.middle)} ({_ends(one)})"


def _ends(one: Comparison | Interval) -> str:
    return f"{_digits(one.low)} to {_digits(one.high)}"


def _digits(value: float) -> str:
    """Three of them: '8.40'; more only before the point."""
    return f"{value:#.3g}".rstrip(".") if value < 1000 else f"{value:.0f}"


def _fence(rows: list[Flat]) -> list[Insight]:
    """A fence after each line against one after each chunk: at the same size, else single lines against chunks."""
    chunks = [row for row in rows if row["fence"] == "chunk" and whole(row, "chunk_bytes") > LINE_BYTES]
    lines = {(row["chunk_bytes"], row["order"]): row for row in rows if row["fence"] == "line"}
    singles = {row["order"]: row for row in rows if row["fence"] == "chunk" and row["chunk_bytes"] == LINE_BYTES}
    if not chunks:
        return []
    usual = _usual([row for row in chunks if (row["chunk_bytes"], row["order"]) in lines] or chunks)
    other = lines.get((usual["chunk_bytes"], usual["order"])) or singles.get(usual["order"])
    if other is None:
        return []
    size = show_size(whole(usual, "chunk_bytes"))
    one, text = _between(f"{usual['instruction']} with a fence after each line instead of each {size}", usual, other)
    return [Insight(name="fence_per_line", text=text, value=one.middle, low=one.low, high=one.high, unit="1")]


def _order(rows: list[Flat]) -> list[Insight]:
    """Random against sequential chunks, at the usual size of those that have both."""
    random = {(row["chunk_bytes"], row["fence"]): row for row in rows if row["order"] == "random"}
    both = [row for row in rows if row["order"] == "sequential" and (row["chunk_bytes"], row["fence"]) in random]
    if not both:
        return []
    usual = _usual(both)
    size = show_size(whole(usual, "chunk_bytes"))
    other = random[usual["chunk_bytes"], usual["fence"]]
    one, text = _between(f"{usual['instruction']} with chunks of {size} in random order", usual, other)
    return [Insight(name="random_chunks", text=text, value=one.middle, low=one.low, high=one.high, unit="1")]


def _between(what: str, before: Flat, after: Flat) -> tuple[Comparison, str]:
    """Two rows that were measured one after the other, not in turns."""
    one = compare(_interval(before, "line", "s"), _interval(after, "line", "s"), less_is_faster=True)
    if _apart(one):
        return one, f"{what}: {_digits(one.middle)}x the time per line ({_ends(one)})"
    return one, f"{what}: no difference shown, {_times(one)} of the time per line"


def _interval(row: Flat, name: str, unit: str) -> Interval:
    found = interval_of(row, name, unit)
    assert found is not None  # rows without one were left out
    return found
