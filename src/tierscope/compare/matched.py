"""Points that a run and a published table both have, as the lines `# compare:` of the table match them.

A published number may be a ratio to another one of its table; ours then is one, too, or becomes one. The interval of
a ratio that is made here is that of two independent medians. A point does not stand for another one that it would be
divided by.
"""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

from tierscope.record.experiment import Label, real
from tierscope.record.result import Run
from tierscope.reference import Match, Reference
from tierscope.reference.match import FILLED
from tierscope.stats.compare import compare
from tierscope.stats.median import Interval
from tierscope.tables import Flat, tables
from tierscope.tables.measured import span_of

ALIASES = {"kernel": "test"}  # of imported rows, by our key


class Pair(NamedTuple):
    """A row of ours, its keys as matched, and both numbers in base units."""

    row: Flat
    keys: dict[str, str]
    ours: Interval
    published: float
    conclusive: bool


def matched(run: Run, published: Reference, match: Match) -> Iterator[Pair]:
    """Yield each point of a line that both have, in the order of the published table."""
    ours = [row for row in _rows(run, match) if row[match.key] is not None]
    for place in range(len(published)):
        number = _published(published, match, place)
        if number is None:
            continue
        keys = {key: _filled(template, published, place, key, ours) for key, template in match.keys.items()}
        for row in ours:
            if all(same(row.get(key), wanted) for key, wanted in keys.items()):
                made = _ours(row, ours, match)
                if made is not None:
                    yield Pair(row, keys, made[0], number, made[1])


def _rows(run: Run, match: Match) -> Iterator[Flat]:
    """Yield the rows of a Tierscope table, or imported rows, whose keys have other names."""
    yield from tables[match.table].flat(run)
    for row in tables["imported"].flat(run):
        if match.key in row and all(ALIASES.get(key, key) in row for key in match.keys):
            yield {**row, **{key: row[ALIASES[key]] for key in match.keys if key in ALIASES}}


def _published(published: Reference, match: Match, place: int) -> float | None:
    """Return the number of a row of the table; None for rows that the line leaves out, and for those it divides by."""
    row = {column: str(values[place]) for column, values in published.columns.items()}
    if any(row[column] != word for column, word in match.where.items()):
        return None
    number = float(published.si(match.column)[place]) * match.times
    for column, word in match.per.items():
        base = _base(published, match, row, column, word)
        if base is None or base <= 0:
            return None
        number /= base
    return number


def _base(published: Reference, match: Match, row: dict[str, str], column: str, word: str) -> float | None:
    """Return the number that the one of a row is divided by: another column, or the row that differs in one word."""
    if not word:
        return float(row[column])
    if row[column] == word:
        return None
    fixed = {name: text for name, text in row.items() if name not in (column, match.column)} | {column: word}
    kept = [
        place
        for place in range(len(published))
        if all(str(published.columns[name][place]) == text for name, text in fixed.items())
    ]
    return float(published.si(match.column)[kept[0]]) if len(kept) == 1 else None


def _filled(template: str, published: Reference, place: int, key: str, ours: list[Flat]) -> str:
    if template == "{most}":
        return str(max((float(v) for row in ours if isinstance(v := row.get(key), int | float)), default=""))
    if found := FILLED.fullmatch(template):
        word = str(published.columns[found[2]][place])
        return word if found[1] is None else str(int(found[1]) - int(word))
    return template


def _ours(row: Flat, rows: list[Flat], match: Match) -> tuple[Interval, bool] | None:
    """Return our number and whether it is conclusive; None where there is nothing to divide it by."""
    number, sure = _interval(row, match), row.get("conclusive") is not False
    for key, word in match.over.items():
        fixed = [name for name in tables[match.table].keys if name != key]
        bases = [one for one in rows if same(one.get(key), word) and all(one.get(n) == row.get(n) for n in fixed)]
        if len(bases) != 1 or bases[0] is row:
            return None
        both = compare(_interval(bases[0], match), number)
        number = Interval(both.low, both.middle, both.high, 1)
        sure = sure and bases[0].get("conclusive") is not False
    return number, sure


def _interval(row: Flat, match: Match) -> Interval:
    value = real(row[match.key])
    assert value is not None, match.key  # `matched` leaves out rows without it
    span = span_of(row, match.key.removesuffix("_bytes_per_s").removesuffix("_s")) or (value, value)
    return Interval(span[0], value, span[1], 1)


def same(value: Label, wanted: str) -> bool:
    """Return whether the value is the wanted one: numbers by their value, text by a pattern."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return float(value) == float(wanted)
        except ValueError:
            return False
    return fnmatchcase(str(value), wanted)
