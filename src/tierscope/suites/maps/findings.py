"""Sentences from the rows of `maps`.

They state the time of a structure that is alone, the fastest structure of each operation, and the share of its time
that rehashes take. Where lines are counted, they also state which structure flushes the same lines again.
"""

from tierscope.draw.words import with_bounds
from tierscope.stats.compare import compare_all
from tierscope.stats.median import Interval
from tierscope.suites.maps.row import MapsRow
from tierscope.tables import Insight, Number
from tierscope.tables.measured import left_out, ratio_word, sure, sure_rows
from tierscope.units import show_bytes, show_seconds

TOLD = 0.05  # of the time: a smaller share of rehashes is not mentioned
AGAIN = 1.1  # flushed over written lines: a smaller ratio is not mentioned


def sentences(rows: list[MapsRow]) -> list[Insight]:
    """Return sentences on conclusive rows; the others are only counted, where they would have been compared."""
    kinds = list(dict.fromkeys(_kind(row) for row in rows))
    parts = [[row for row in rows if _kind(row) == kind] for kind in kinds]
    kinds_of_words = (_fastest, _rehash, _flushed)
    return _alone(rows) + [said for words in kinds_of_words for part in parts for said in words(part)]


def _kind(row: MapsRow) -> tuple[object, ...]:
    """Return the kind of a row: rows of one kind differ only in their structure."""
    return row.target, row.operation, row.keys, row.count, row.value_bytes, row.threads, row.sharing


def asked(row: MapsRow) -> str:
    """Return 'get of 50000 keys, values of 16 B, 2 threads'."""
    threads = "" if row.threads == 1 else f", {row.threads} threads"
    drawn = "" if row.keys == "uniform" else f" by {row.keys}"
    return f"{row.operation} of {row.count} keys{drawn}, values of {show_bytes(row.value_bytes)}{threads}"


def _known(rows: list[MapsRow]) -> list[tuple[MapsRow, Interval]]:
    return sure_rows(rows, lambda row: row.ops)


def _alone(rows: list[MapsRow]) -> list[Insight]:
    """Return the time of each operation if the user asked for one structure and there is none to compare it with."""
    if len({row.structure for row in rows}) != 1:
        return []
    parts: dict[str, list[tuple[MapsRow, Interval]]] = {}
    for row, time in sorted(sure_rows(rows, lambda row: row.latency), key=lambda pair: pair[0].count):
        parts.setdefault(row.operation, []).append((row, time))
    return [_takes(part) for part in parts.values()]


def _takes(part: list[tuple[MapsRow, Interval]]) -> Insight:
    """Return the times at the fewest keys, and at the most."""
    (first, time), (last, _) = part[0], part[-1]
    ends = [part[0], part[-1]] if last.count != first.count else [part[0]]
    told = [f"{with_bounds(one, show_seconds)} among {row.count} keys" for row, one in ends]
    return Insight.of(
        time,
        name=f"alone {first.operation}",
        text=f"{first.operation} of {first.structure}: {', '.join(told)}",
        unit="s",
        others=tuple(Number.of(one) for _, one in ends[1:]),
    )


def _fastest(rows: list[MapsRow]) -> list[Insight]:
    """Return the structure that is faster than every other one, by intervals widened for their number."""
    known = sorted(_known(rows), key=lambda pair: -pair[1].middle)
    if len(known) < 2:
        return []
    (first, most), *others = known
    ratios = compare_all([(rate, most) for _, rate in others], least=0.0)
    ratio, (second, _) = ratios[0], others[0]
    name, rest = asked(first), left_out(len(known), len(rows), "structures")
    each = _a_round(first)
    if all(one.low > 1 for one in ratios):
        text = (
            f"{name}: {first.structure} is the fastest{each}; {second.structure} takes "
            f"{ratio_word(ratio.middle)}x its time ({ratio_word(ratio.low)} to {ratio_word(ratio.high)})"
        )
    else:
        level = [row.structure for (row, _), one in zip(others, ratios, strict=True) if one.low <= 1]
        text = f"{name}: {first.structure} and {', '.join(level)} are not distinguishable{each}"
    return [Insight.of(ratio, name=f"fastest {name}", text=text + rest, unit="1")]


def _a_round(row: MapsRow) -> str:
    """Return ', 310 ns each': the time of a round, by operation."""
    time = sure(row, row.seconds)
    return f", {show_seconds(time.middle / row.operations)} each" if time and row.operations > 0 else ""


def _rehash(rows: list[MapsRow]) -> list[Insight]:
    """Return a sentence on the structure whose rehashes take most of its time."""
    known = [(row.rehash_share, row) for row, _ in _known(rows) if row.rehash_share]
    share, row = max(known, key=lambda one: one[0].middle, default=(None, None))
    if share is None or row is None or share.middle < TOLD:
        return []
    one_s = f", {show_seconds(row.rehash_s / row.rehashes)} each" if row.rehash_s > 0 and row.rehashes > 0 else ""
    most = left_out(len(_known(rows)), len(rows), "structures")
    return [
        Insight.of(
            share,
            name=f"rehash {asked(row)}",
            text=f"{asked(row)}: rehashes of {row.structure} take {100 * share.middle:.0f} % of the time{one_s}; "
            f"the latencies exclude them{most}",
            unit="1",
            kind="share",
        )
    ]


def _flushed(rows: list[MapsRow]) -> list[Insight]:
    """Return a sentence on the structure that flushes its lines most often."""
    told = [(row.flushed_per_written, row) for row, _ in _known(rows) if row.flushed_per_written]
    ratio, row = max(told, key=lambda one: one[0], default=(0.0, None))
    if row is None or ratio < AGAIN or row.lines_flushed is None or row.lines_written is None:
        return []
    flushed, written = row.lines_flushed, row.lines_written
    return [
        Insight(
            name=f"flushed {asked(row)}",
            text=f"{asked(row)}: {row.structure} flushes each line that it writes {ratio:.2f} times, "
            f"{flushed:.1f} lines for {written:.1f}; one flush per line would be enough",
            value=ratio,
            unit="1",
            others=(Number(value=flushed), Number(value=written)),
        )
    ]
