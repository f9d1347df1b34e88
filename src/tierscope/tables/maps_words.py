"""What rows of `maps` say: what a structure takes where it is alone, the fastest structure of each operation, what
rehashes take of it, and which one flushes the same lines again, where lines are counted.
"""

from tierscope.experiment import Label
from tierscope.stats.compare import compare_all
from tierscope.stats.median import Interval
from tierscope.tables import Insight, Row
from tierscope.tables.measured import interval_of
from tierscope.units import show_bytes, show_seconds

ALIKE = ("target", "operation", "keys", "count", "value_bytes", "threads", "sharing")
"""Rows that agree in these differ in their structure alone."""

TOLD = 0.05  # of the time: less goes to rehashes without a word
AGAIN = 1.1  # flushed over written lines: less goes without a word


def sentences(rows: list[Row]) -> list[Insight]:
    known = [row for row in rows if row["ops_per_s"]]
    kinds = list(dict.fromkeys(tuple(row[key] for key in ALIKE) for row in known))
    parts = [[row for row in known if tuple(row[key] for key in ALIKE) == kind] for kind in kinds]
    kinds_of_words = (_fastest, _rehash, _flushed)
    return _alone(known) + [said for words in kinds_of_words for part in parts for said in words(part)]


def asked(row: Row) -> str:
    """'get of 50000 keys, values of 16 B, 2 threads'."""
    threads = "" if row["threads"] == 1 else f", {row['threads']} threads"
    drawn = "" if row["keys"] == "uniform" else f" by {row['keys']}"
    size = show_bytes(float(row["value_bytes"] or 0))
    return f"{row['operation']} of {row['count']} keys{drawn}, values of {size}{threads}"


def _rate(row: Row) -> Interval:
    return interval_of(row, "ops", "per_s") or Interval(0.0, 0.0, 0.0, 0)


def _alone(rows: list[Row]) -> list[Insight]:
    """What each operation takes, where one structure was asked for and there is none to compare it with."""
    if len({row["structure"] for row in rows}) != 1:
        return []
    parts: dict[Label, list[Row]] = {}
    for row in sorted(rows, key=lambda row: float(row["count"] or 0)):
        parts.setdefault(row["operation"], []).append(row)
    return [_takes(part) for part in parts.values()]


def _takes(part: list[Row]) -> Insight:
    """At the fewest keys, and at the most."""
    ends = [part[0], part[-1]] if part[-1]["count"] != part[0]["count"] else [part[0]]
    told = [f"{_each(row)} among {row['count']} keys{'' if row['conclusive'] else ' (inconclusive)'}" for row in ends]
    first = part[0]
    text = f"{first['operation']} of {first['structure']}: {', '.join(told)}"
    return Insight(name=f"alone {first['operation']}", text=text, value=float(first["latency_s"] or 0), unit="s")


def _each(row: Row) -> str:
    """'310 ns (302 ns to 318 ns)' of one operation, without what lies between two."""
    times = (show_seconds(float(row[key] or 0)) for key in ("latency_s", "latency_low", "latency_high"))
    return "{} ({} to {})".format(*times)


def _fastest(rows: list[Row]) -> list[Insight]:
    """The structure that every other one is slower than, by intervals widened for their number."""
    sure = [row for row in rows if row["conclusive"]]
    if len(sure) < 2:
        return []
    first, *others = sorted(sure, key=lambda row: -_rate(row).middle)
    ratios = compare_all([(_rate(other), _rate(first)) for other in others], least=0.0)
    ratio, second = ratios[0], others[0]
    name, each = asked(first), show_seconds(float(first["seconds"] or 0) / max(float(first["operations"] or 1), 1))
    if all(one.low > 1 for one in ratios):
        text = (
            f"{name}: {first['structure']} is the fastest, {each} each; {second['structure']} is {ratio.middle:.2f} "
            f"({ratio.low:.2f} to {ratio.high:.2f}) times slower"
        )
    else:
        level = [str(row["structure"]) for row, one in zip(others, ratios, strict=True) if one.low <= 1]
        text = f"{name}: {first['structure']} and {', '.join(level)} are not told apart, {each} each"
    return [Insight(name=f"fastest {name}", text=text, value=ratio.middle, low=ratio.low, high=ratio.high, unit="1")]


def _share(row: Row) -> float:
    """Of the time of a round that rehashes take."""
    return float(row["rehash_s"] or 0) / float(row["seconds"] or 1) / float(row["threads"] or 1)


def _rehash(rows: list[Row]) -> list[Insight]:
    """Of the structure whose rehashes take most of its time."""
    told = [(_share(row), row) for row in rows]
    share, row = max(told, key=lambda one: one[0], default=(0.0, None))
    if row is None or share < TOLD:
        return []
    one_s = show_seconds(float(row["rehash_s"] or 0) / max(float(row["rehashes"] or 1), 1.0))
    return [
        Insight(
            name=f"rehash {asked(row)}",
            text=f"{asked(row)}: rehashes of {row['structure']} take {100 * share:.0f} % of the time, {one_s} each; "
            "they are no part of the latencies",
            value=share,
            unit="1",
        )
    ]


def _flushed(rows: list[Row]) -> list[Insight]:
    """Of the structure that flushes its lines most often."""
    told = [(float(row["flushed_per_written"] or 0), row) for row in rows]
    ratio, row = max(told, key=lambda one: one[0], default=(0.0, None))
    if row is None or ratio < AGAIN:
        return []
    return [
        Insight(
            name=f"flushed {asked(row)}",
            text=f"{asked(row)}: {row['structure']} flushes each line that it writes {ratio:.2f} times, "
            f"{float(row['lines_flushed'] or 0):.1f} lines for {float(row['lines_written'] or 0):.1f}; "
            "what is flushed again could be flushed once",
            value=ratio,
            unit="1",
        )
    ]
