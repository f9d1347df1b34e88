"""A run beside a published table: is this normal for such hardware?

Head lines of the table say which of its columns is which number of which of our tables, and how rows are matched:

    # compare: COLUMN = TABLE.KEY | where COLUMN=WORD | KEY={COLUMN} | KEY=PATTERN | KEY={most}

`where` keeps rows of the published table; the others are matched with keys of our rows, by number where both are
numbers, else by pattern; {most} is the largest value that our rows have. A point is as published if our interval
lies within ROOM of the published number, in either direction: machines of one kind differ by that much in clocks,
DIMMs and what their firmware does. It is lower or higher if the interval lies outside. Where it reaches both, the
point is inconclusive and counts for nothing. The whole is normal if MANY of the other points are as published. Points
whose measurement was inconclusive itself are marked: their interval may be narrower than the truth.
Blind to the protocol: it is told beside the verdict, with the table's known faults.
"""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from statistics import median
from typing import Any

from tierscope.errors import UsageError
from tierscope.record.experiment import Label
from tierscope.record.origin import named, timeless
from tierscope.record.result import Run
from tierscope.reference import Match, Reference
from tierscope.sound import reads
from tierscope.tables import Column, Flat, tables
from tierscope.tables.measured import span_of
from tierscope.units import show_bytes

ROOM = 1.25
MANY = 0.8
ALIASES = {"kernel": "test"}  # of imported rows, by our key


@reads("the comparison")
def beside(run: Run, published: Reference) -> list[dict[str, Any]]:
    """One row per point that both have; UsageError where there is none."""
    if timeless(run.result.origin_by):
        raise UsageError(
            f"{run.path} is {named(run.result.origin, run.result.origin_by)}: none of its times is one of a memory, so "
            "it does not compare with a published table; name a run of real memory"
        )
    if not published.matches:
        raise UsageError(
            f"{published.name} has no number that a run of ours measures in the same way: {published.alone}"
        )
    rows = [row for match in published.matches for row in _matched(run, published, match)]
    if not rows:
        asked = ", ".join(dict.fromkeys(f"{m.table} ({', '.join(m.keys)})" for m in published.matches))
        raise UsageError(f"{run.path} has no point of {published.name}; it compares {asked}")
    return rows


def _matched(run: Run, published: Reference, match: Match) -> Iterator[dict[str, Any]]:
    ours = list(_rows(run, match))
    numbers = published.si(match.column)
    unit = next(column.unit for column in tables[match.table].columns if column.name == match.key)
    for place in range(len(published)):
        if all(str(published.columns[column][place]) == word for column, word in match.where.items()):
            keys = {key: _filled(template, published, place, key, ours) for key, template in match.keys.items()}
            for row in ours:
                if row[match.key] is not None and all(same(row.get(key), wanted) for key, wanted in keys.items()):
                    yield _point(row, match, keys, float(numbers[place]), unit)


def _rows(run: Run, match: Match) -> Iterator[Flat]:
    """Yield the rows of a Tierscope table, or imported rows, whose keys have other names."""
    yield from tables[match.table].flat(run)
    for row in tables["imported"].flat(run):
        if match.key in row and all(ALIASES.get(key, key) in row for key in match.keys):
            yield {**row, **{key: row[ALIASES[key]] for key in match.keys if key in ALIASES}}


def _filled(template: str, published: Reference, place: int, key: str, ours: list[Flat]) -> str:
    if template == "{most}":
        return str(max((float(v) for row in ours if isinstance(v := row.get(key), int | float)), default=""))
    if template.startswith("{"):
        return str(published.columns[template[1:-1]][place])
    return template


def same(value: Label, wanted: str) -> bool:
    """Numbers by their value, words by a pattern."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return float(value) == float(wanted)
        except ValueError:
            return False
    return fnmatchcase(str(value), wanted)


def _point(row: Flat, match: Match, keys: dict[str, str], published: float, unit: str) -> dict[str, Any]:
    value = float(row[match.key] or 0)
    stem = match.key.removesuffix("_bytes_per_s").removesuffix("_s")
    span = span_of(row, stem) or (value, value)
    return {
        "table": match.table,
        "column": match.column,
        "keys": keys,
        "ours": value,
        "ours_low": span[0],
        "ours_high": span[1],
        "published": published,
        "unit": unit,
        "ratio": value / published if published else None,
        "verdict": _verdict(span, published),
        "conclusive": row.get("conclusive") is not False,
        "origin": row.get("origin"),
    }


def _verdict(span: tuple[float, float], published: float) -> str:
    low, high = published / ROOM, published * ROOM
    if span[1] < low:
        return "lower"
    if span[0] > high:
        return "higher"
    return "as published" if low <= span[0] and span[1] <= high else "inconclusive"


def label(row: dict[str, Any], without: str = "") -> str:
    """'stream: copy, 2 threads' of a point; without: a key that is left out."""
    columns = {column.name: column for column in tables[row["table"]].columns}
    told = [_told(columns.get(key), value) for key, value in row["keys"].items() if key != without and "*" not in value]
    return f"{row['table']}: {', '.join(told)}"


def _told(column: Column | None, value: str) -> str:
    if column is None or not column.unit:
        return value
    return f"{column.title} {show_bytes(float(value)) if column.unit == 'B' else value}"


def normal(rows: list[dict[str, Any]]) -> bool | None:
    """Whether most points are as published; None where all are inconclusive."""
    told = [row["verdict"] for row in rows if row["verdict"] != "inconclusive"]
    return told.count("as published") >= MANY * len(told) if told else None


def sentence(rows: list[dict[str, Any]], published: Reference) -> str:
    """The verdict on the whole, with numbers."""
    verdicts = [row["verdict"] for row in rows]
    good, doubtful = verdicts.count("as published"), verdicts.count("inconclusive")
    ratios = [row["ratio"] for row in rows if row["ratio"] is not None]
    middle = f"median ratio {median(ratios):.2f}, {min(ratios):.2f} to {max(ratios):.2f}" if ratios else "no ratio"
    word = {True: "normal", False: "not normal", None: "inconclusive whether normal"}[normal(rows)]
    many = f"{good} of {len(rows)} points are within {100 * (ROOM - 1):.0f} % of the published number"
    if doubtful:
        many += f", {doubtful} {'is' if doubtful == 1 else 'are'} inconclusive"
    return f"{word} for such hardware: {many}; {middle}. Such hardware is: {published.machine}"


def axis(rows: list[dict[str, Any]]) -> str:
    """The key with the most numbers: what a figure draws over; "" where no key has two."""
    counts: dict[str, set[str]] = {}
    for row in rows:
        for key, value in row["keys"].items():
            if value.replace(".", "", 1).isdecimal():
                counts.setdefault(key, set()).add(value)
    best = max(counts, key=lambda key: len(counts[key]), default="")
    return best if best and len(counts[best]) > 1 else ""
