"""What rows of `maps` say: what a structure takes where it is alone, the fastest structure of each operation, what
rehashes take of it, and which one flushes the same lines again, where lines are counted.
"""

from tierscope.record.experiment import Label, real
from tierscope.stats.compare import compare_all
from tierscope.stats.median import Interval
from tierscope.tables import Flat, Insight, Number
from tierscope.tables.measured import interval_of, left_out, ratio_word, sure_flat, sure_rows_flat
from tierscope.units import show_bytes, show_seconds

ALIKE = ("target", "operation", "keys", "count", "value_bytes", "threads", "sharing")
"""Rows that agree in these differ in their structure alone."""

TOLD = 0.05  # of the time: less goes to rehashes without a word
AGAIN = 1.1  # flushed over written lines: less goes without a word


def sentences(rows: list[Flat]) -> list[Insight]:
    """Conclusive rows alone; the others are counted where they would have been compared."""
    kinds = list(dict.fromkeys(_kind(row) for row in rows))
    parts = [[row for row in rows if _kind(row) == kind] for kind in kinds]
    kinds_of_words = (_fastest, _rehash, _flushed)
    return _alone(rows) + [said for words in kinds_of_words for part in parts for said in words(part)]


def _kind(row: Flat) -> tuple[Label, ...]:
    return tuple(row[key] for key in ALIKE)


def asked(row: Flat) -> str:
    """'get of 50000 keys, values of 16 B, 2 threads'."""
    threads = "" if row["threads"] == 1 else f", {row['threads']} threads"
    drawn = "" if row["keys"] == "uniform" else f" by {row['keys']}"
    size = show_bytes(float(row["value_bytes"] or 0))
    return f"{row['operation']} of {row['count']} keys{drawn}, values of {size}{threads}"


def _known(rows: list[Flat]) -> list[tuple[Flat, Interval]]:
    return sure_rows_flat(rows, "ops", "per_s")


def _alone(rows: list[Flat]) -> list[Insight]:
    """What each operation takes, where one structure was asked for and there is none to compare it with."""
    if len({row["structure"] for row in rows}) != 1:
        return []
    parts: dict[Label, list[tuple[Flat, Interval]]] = {}
    for row, time in sorted(sure_rows_flat(rows, "latency", "s"), key=lambda pair: float(pair[0]["count"] or 0)):
        parts.setdefault(row["operation"], []).append((row, time))
    return [_takes(part) for part in parts.values()]


def _takes(part: list[tuple[Flat, Interval]]) -> Insight:
    """At the fewest keys, and at the most."""
    (first, time), (last, _) = part[0], part[-1]
    ends = [part[0], part[-1]] if last["count"] != first["count"] else [part[0]]
    told = [f"{_each(one)} among {row['count']} keys" for row, one in ends]
    return Insight(
        name=f"alone {first['operation']}",
        text=f"{first['operation']} of {first['structure']}: {', '.join(told)}",
        value=time.middle,
        low=time.low,
        high=time.high,
        unit="s",
        others=tuple(Number(value=one.middle, low=one.low, high=one.high) for _, one in ends[1:]),
    )


def _each(time: Interval) -> str:
    """'310 ns (302 ns to 318 ns)' of one operation, without what lies between two."""
    return "{} ({} to {})".format(*map(show_seconds, (time.middle, time.low, time.high)))


def _fastest(rows: list[Flat]) -> list[Insight]:
    """The structure that every other one is slower than, by intervals widened for their number."""
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
            f"{name}: {first['structure']} is the fastest{each}; {second['structure']} takes "
            f"{ratio_word(ratio.middle)}x its time ({ratio_word(ratio.low)} to {ratio_word(ratio.high)})"
        )
    else:
        level = [str(row["structure"]) for (row, _), one in zip(others, ratios, strict=True) if one.low <= 1]
        text = f"{name}: {first['structure']} and {', '.join(level)} are not distinguishable{each}"
    return [
        Insight(name=f"fastest {name}", text=text + rest, value=ratio.middle, low=ratio.low, high=ratio.high, unit="1")
    ]


def _a_round(row: Flat) -> str:
    """', 310 ns each': the time of a round, by operation."""
    time, count = sure_flat(row, "seconds", ""), row["operations"]
    return f", {show_seconds(time.middle / count)} each" if time and isinstance(count, int) and count > 0 else ""


def _rehash(rows: list[Flat]) -> list[Insight]:
    """Of the structure whose rehashes take most of its time."""
    known = [(share, row) for row, _ in _known(rows) if (share := interval_of(row, "rehash_share", ""))]
    share, row = max(known, key=lambda one: one[0].middle, default=(None, None))
    if share is None or row is None or share.middle < TOLD:
        return []
    each, count = float(row["rehash_s"] or 0), float(row["rehashes"] or 0)
    one_s = f", {show_seconds(each / count)} each" if each > 0 and count > 0 else ""
    most = left_out(len(_known(rows)), len(rows), "structures")
    return [
        Insight(
            name=f"rehash {asked(row)}",
            text=f"{asked(row)}: rehashes of {row['structure']} take {100 * share.middle:.0f} % of the time{one_s}; "
            f"the latencies exclude them{most}",
            value=share.middle,
            low=share.low,
            high=share.high,
            unit="1",
            kind="share",
        )
    ]


def _flushed(rows: list[Flat]) -> list[Insight]:
    """Of the structure that flushes its lines most often."""
    told = [
        (ratio, row) for row, _ in _known(rows) if (ratio := real(row["flushed_per_written"])) is not None and ratio > 0
    ]
    ratio, row = max(told, key=lambda one: one[0], default=(0.0, None))
    if row is None or ratio < AGAIN:
        return []
    flushed, written = (float(row[key] or 0) for key in ("lines_flushed", "lines_written"))
    return [
        Insight(
            name=f"flushed {asked(row)}",
            text=f"{asked(row)}: {row['structure']} flushes each line that it writes {ratio:.2f} times, "
            f"{flushed:.1f} lines for {written:.1f}; one flush per line would be enough",
            value=ratio,
            unit="1",
            others=(Number(value=flushed), Number(value=written)),
        )
    ]
