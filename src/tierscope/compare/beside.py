"""A run compared with a published table: is this normal for such hardware?

Lines `# compare:` of the table state which points both have (`reference.match`). A point is as published if our
interval is within a factor of the published number, in either direction. The factor is that of the line, usually 1.25:
machines of one kind differ by that much in clocks, DIMMs and firmware. The point is lower or higher if the interval is
outside. Where it reaches both, the point is inconclusive and counts for nothing. The whole is normal if MANY of the
other points are as published. Points whose measurement was inconclusive itself are marked: their interval may be
narrower than the truth.
Blind to the protocol: the report states it next to the verdict, with the table's known faults.
"""

from statistics import median
from typing import Any

from tierscope.compare.matched import Pair, matched
from tierscope.errors import UsageError
from tierscope.record.origin import named, timeless
from tierscope.record.result import Run
from tierscope.reference import Match, Reference
from tierscope.sound import reads
from tierscope.tables import Column, tables
from tierscope.units import show_bytes

MANY = 0.8


@reads("the comparison")
def beside(run: Run, published: Reference) -> list[dict[str, Any]]:
    """Return one row per point that both have; UsageError where there is none."""
    if timeless(run.result.origin_by):
        raise UsageError(
            f"{run.path} is {named(run.result.origin, run.result.origin_by)}: none of its times is one of a memory, so "
            "it does not compare with a published table; name a run of real memory"
        )
    if not published.matches:
        raise UsageError(
            f"{published.name} has no number that a run of ours measures in the same way: {published.alone}"
        )
    rows = [_point(pair, match) for match in published.matches for pair in matched(run, published, match)]
    if not rows:
        asked = ", ".join(dict.fromkeys(f"{m.table} ({', '.join(m.keys)})" for m in published.matches))
        raise UsageError(f"{run.path} has no point of {published.name}; it compares {asked}")
    return rows


def _point(pair: Pair, match: Match) -> dict[str, Any]:
    unit = next(column.unit for column in tables[match.table].columns if column.name == match.key)
    return {
        "table": match.table,
        "column": match.column,
        "keys": pair.keys,
        "over": match.over,
        "ours": pair.ours.middle,
        "ours_low": pair.ours.low,
        "ours_high": pair.ours.high,
        "published": pair.published,
        "unit": "1" if match.over else unit,
        "ratio": pair.ours.middle / pair.published if pair.published else None,
        "room": match.room,
        "verdict": _verdict((pair.ours.low, pair.ours.high), pair.published, match.room),
        "conclusive": pair.conclusive,
        "origin": pair.row.get("origin"),
    }


def _verdict(span: tuple[float, float], published: float, room: float) -> str:
    low, high = published / room, published * room
    if span[1] < low:
        return "lower"
    if span[0] > high:
        return "higher"
    return "as published" if low <= span[0] and span[1] <= high else "inconclusive"


def label(row: dict[str, Any], without: str = "") -> str:
    """Return 'stream: copy, 2 threads' of a point, and what its number is over; without: a key that is left out."""
    columns = {column.name: column for column in tables[row["table"]].columns}
    told = [_told(columns.get(key), value) for key, value in row["keys"].items() if key != without and "*" not in value]
    base = " and ".join(f"{key} {value}" for key, value in row["over"].items())
    return f"{row['table']}: {', '.join(told)}" + (f", over that of {base}" if base else "")


def _told(column: Column | None, value: str) -> str:
    if column is None or not column.unit:
        return value
    return f"{column.title} {show_bytes(float(value)) if column.unit == 'B' else value}"


def normal(rows: list[dict[str, Any]]) -> bool | None:
    """Return whether most points are as published; None where all are inconclusive."""
    told = [row["verdict"] for row in rows if row["verdict"] != "inconclusive"]
    return told.count("as published") >= MANY * len(told) if told else None


def sentence(rows: list[dict[str, Any]], published: Reference) -> str:
    """Return the verdict on the whole, with numbers."""
    verdicts = [row["verdict"] for row in rows]
    good, doubtful = verdicts.count("as published"), verdicts.count("inconclusive")
    ratios = [row["ratio"] for row in rows if row["ratio"] is not None]
    middle = f"median ratio {median(ratios):.2f}, {min(ratios):.2f} to {max(ratios):.2f}" if ratios else "no ratio"
    if len(ratios) == 1:
        middle = f"ratio {ratios[0]:.2f}"
    word = {True: "normal", False: "not normal", None: "inconclusive whether normal"}[normal(rows)]
    rooms = " or ".join(f"{100 * (room - 1):.0f}" for room in sorted({row["room"] for row in rows}))
    points = f"{len(rows)} point{'s' if len(rows) != 1 else ''}"
    many = f"{good} of {points} {'is' if len(rows) == 1 else 'are'} within {rooms} % of the published number"
    if doubtful:
        many += f", {doubtful} {'is' if doubtful == 1 else 'are'} inconclusive"
    return f"{word} for such hardware: {many}; {middle}. Such hardware is: {published.machine}"


def axis(rows: list[dict[str, Any]]) -> str:
    """Return the key with the most numbers: what a figure draws over; "" where no key has two."""
    counts: dict[str, set[str]] = {}
    for row in rows:
        for key, value in row["keys"].items():
            if value.replace(".", "", 1).isdecimal():
                counts.setdefault(key, set()).add(value)
    best = max(counts, key=lambda key: len(counts[key]), default="")
    return best if best and len(counts[best]) > 1 else ""
