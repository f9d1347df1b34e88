"""Comparisons of runs with one or two imported ones: readings matched with rows and readings of the same meaning.

Two imports of one format match by test and settings. Else each importer states what its readings mean (`alike`): a
number of one of our tables, and the keys that its row must have; two readings match if they mean the same row. Words of
the keys: {LABEL} is a label or the test, {LABEL|WORD} with WORD where the label is absent, {most} the largest that our
rows have; others are patterns. A node is identified by its number; the key `nodes` stands for the number of nodes.

The output of another tool has no interval, so a ratio has none and no difference is called.
Blind to the protocols: STREAM's number is its best pass, ours a median.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from tierscope.compare.comparison import named_point
from tierscope.compare.matched import same
from tierscope.errors import UsageError
from tierscope.record.experiment import Label, real
from tierscope.record.reading import Reading
from tierscope.record.result import Run
from tierscope.reference import Match
from tierscope.sound import reads
from tierscope.tables import Flat, tables
from tierscope.units import show_bytes

MAIN = ("bandwidth_bytes_per_s", "latency_s")
"""The values that are compared of two readings; without them, the first number that both have."""

UNITS = (("_bytes_per_s", "B/s"), ("_per_s", "1/s"), ("_s", "s"), ("_hz", "1/s"), ("_bytes", "B"), ("seconds", "s"))
MOST = "{most}"
LABEL = re.compile(r"\{(\w+)(?:\|([^}]*))?\}")


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two runs; alike: what the readings of its format mean, None for a run of ours."""

    run: Run
    alike: tuple[Match, ...] | None

    @property
    def told(self) -> str:
        """Who measured, and what there is to compare."""
        if self.alike is None:
            held = [table for table in tables if table != "imported" and tables[table].rows(self.run)]
            return f"{self.run.path} has {', '.join(held) or 'no table'}"
        by = f"{self.run.path} was printed by {self.run.result.origin_by}"
        meant = dict.fromkeys(f"{one.table} ({', '.join(one.keys)})" for one in self.alike)
        return f"{by}, which compares with {', '.join(meant)}" if meant else f"{by}, which compares only with its like"


@dataclass(frozen=True, slots=True)
class _Entry:
    """A number with what it is: `key` is equal for numbers that mean the same."""

    key: tuple[object, ...]
    table: str
    point: str
    what: str  # key of the number: "bandwidth_bytes_per_s"
    value: float
    footprint: Label


@reads("the comparison")
def compare_alike(before: Side, after: Side) -> list[dict[str, Any]]:
    """Return one row per pair; UsageError where there is none."""
    pairs = list(_by_setting(before, after)) or list(_by_meaning(before, after))
    if not pairs:
        raise UsageError(f"{before.run.path} and {after.run.path} have no point in common: {before.told}; {after.told}")
    origins = before.run.result.origin, after.run.result.origin
    return _told_apart([_row(old, new, origins) for old, new in pairs])


def _told_apart(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows; where a point has several numbers, each is named."""
    turns = Counter(row["point"] for row in rows)
    return [
        row | {"point": f"{row['point']}, {row['what'].partition('_')[0]}"} if turns[row["point"]] > 1 else row
        for row in rows
    ]


def _row(old: _Entry, new: _Entry, origins: tuple[str, str]) -> dict[str, Any]:
    return {
        "table": new.table,
        "point": new.point,
        "what": new.what,
        "before": old.value,
        "after": new.value,
        "unit": next((unit for end, unit in UNITS if new.what.endswith(end)), "1"),
        "ratio": new.value / old.value if old.value > 0 else math.nan,
        "ratio_low": math.nan,
        "ratio_high": math.nan,
        "verdict": "inconclusive",
        **({"before_origin": origins[0], "after_origin": origins[1]} if origins[0] != origins[1] else {}),
        "before_footprint_bytes": old.footprint,
        "after_footprint_bytes": new.footprint,
    }


def _by_setting(before: Side, after: Side) -> Iterator[tuple[_Entry, _Entry]]:
    """Pair the readings of two imports of one format."""
    formats = [side.run.result.options.get("as") for side in (before, after)]
    if None in (before.alike, after.alike) or formats[0] != formats[1]:
        return
    old = {_setting(reading): reading for reading in before.run.result.readings}
    for reading in after.run.result.readings:
        if (other := old.get(_setting(reading))) is not None:
            yield from _numbers(other, reading)


def _setting(reading: Reading) -> tuple[str, tuple[tuple[str, Label], ...]]:
    return reading.test, tuple(sorted(reading.labels.items()))


def _numbers(old: Reading, new: Reading) -> Iterator[tuple[_Entry, _Entry]]:
    common = [name for name in new.values if name in old.values]
    for name in [name for name in MAIN if name in common] or common[:1]:
        words = (_word(key, value) for key, value in new.labels.items() if value is not None)
        point = ", ".join([new.test, *words, name.partition("_")[0]])
        yield tuple(  # type: ignore[misc]
            _Entry((), "imported", point, name, one.values[name].value, one.labels.get("footprint_bytes"))
            for one in (old, new)
        )


def _word(key: str, value: Label) -> str:
    """Return 'threads 2', 'footprint 64 MiB'."""
    if key.endswith("_bytes") and isinstance(value, int):
        return f"{key.removesuffix('_bytes')} {show_bytes(value)}"
    return f"{key} {value}"


def _by_meaning(before: Side, after: Side) -> Iterator[tuple[_Entry, _Entry]]:
    """Pair readings with rows of Tierscope, which name the pair: they have more keys."""
    entries = [list(dict.fromkeys(_meant(side, other))) for side, other in ((before, after), (after, before))]
    for new in entries[1]:
        for old in entries[0]:
            if old.key == new.key:
                yield old, replace(new, point=(old if before.alike is None else new).point)


def _meant(side: Side, other: Side) -> Iterator[_Entry]:
    """Yield the numbers of an import by what they mean; of a run of ours, by what the other side's readings ask for."""
    if side.alike is not None:
        for reading, match, keys in _asked(side):
            value, size = reading.values[match.column].value, reading.labels.get("footprint_bytes")
            yield _Entry(_key(match, keys), match.table, _words(keys), match.key, value, size)
        return
    for _, match, keys in _asked(other):
        nodes = len(side.run.result.machine.identity.nodes)
        rows = [{**row, "nodes": nodes} for row in tables[match.table].flat(side.run)]
        for row in rows:
            number = real(row.get(match.key))
            if number is not None and _fits(row, rows, keys):
                point = named_point({"table": match.table, **row}).partition(": ")[2]
                yield _Entry(_key(match, keys), match.table, point, match.key, number, row.get("footprint_bytes"))


def _asked(side: Side) -> Iterator[tuple[Reading, Match, dict[str, str]]]:
    for reading in side.run.result.readings:
        labels = {key: str(value) for key, value in reading.labels.items() if value is not None} | {
            "test": reading.test
        }
        for match in side.alike or ():
            known = match.column in reading.values
            if known and all(fnmatchcase(labels.get(key, ""), word) for key, word in match.where.items()):
                yield reading, match, {key: _filled(word, labels) for key, word in match.keys.items()}


def _filled(word: str, labels: dict[str, str]) -> str:
    found = LABEL.fullmatch(word)
    if found is None or word == MOST:
        return word
    return labels.get(found[1], found[2] or "").removeprefix("node ")


def _key(match: Match, keys: dict[str, str]) -> tuple[object, ...]:
    return match.table, match.key, tuple(sorted(keys.items()))


def _words(keys: dict[str, str]) -> str:
    return ", ".join(f"{key} {word}" for key, word in keys.items() if word != MOST and "*" not in word)


def _fits(row: Flat, rows: Sequence[Flat], keys: dict[str, str]) -> bool:
    return all(_largest(row, rows, key) if word == MOST else same(row.get(key), word) for key, word in keys.items())


def _largest(row: Flat, rows: Sequence[Flat], key: str) -> bool:
    number = real(row[key])
    return number is not None and number == max(known for one in rows if (known := real(one[key])) is not None)
