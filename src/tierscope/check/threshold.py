"""One threshold of a file: the points that it is about, and the bounds that their main value must keep.

[[threshold]]
table = "stream"
where = { kernel = "read", threads = 2 }
value = "bandwidth"        # may be left out where the table has one main value
at_least = "20 GB/s"       # or at_most, or both
"""

import math
from dataclasses import dataclass
from typing import Any

from tierscope.compare.measures import Measure, measures
from tierscope.errors import UnknownNameError, UsageError
from tierscope.record.experiment import Label
from tierscope.registry import unknown
from tierscope.tables import ENDINGS, Column, Flat, JudgedRow, Plain, tables
from tierscope.units import parse_value, show_digits

KEYS = ["name", "table", "where", "value", "at_least", "at_most"]
EXAMPLES = {"B/s": "20 GB/s", "s": "100 ns", "B": "64 MiB", "1/s": "1.5 M/s"}


@dataclass(frozen=True, slots=True)
class Threshold:
    """The bounds of a file on one main value. where: column -> the value of the points that are judged."""

    number: int  # in the file, from 1
    name: str
    measure: Measure
    where: dict[str, Label]
    low: float = -math.inf
    high: float = math.inf

    @property
    def place(self) -> str:
        """Return 'threshold 2 (stream bandwidth)': how messages name it."""
        return f"threshold {self.number} ({self.name or value_name(self.measure)})"

    @property
    def slow_side(self) -> bool:
        """Return whether its only bound is on the side of slow memory."""
        return set(self.bounds) == {"at_most" if self.measure.main.less_is_better else "at_least"}

    @property
    def bounds(self) -> dict[str, float]:
        """Return those that it has, by their keys."""
        both = {"at_least": self.low, "at_most": self.high}
        return {key: bound for key, bound in both.items() if math.isfinite(bound)}

    @property
    def asked(self) -> str:
        """Return 'at least 20 GB/s', 'at least 20 GB/s and at most 30 GB/s'."""
        said = (f"{key.replace('_', ' ')} {show_digits(one, self.measure.unit)}" for key, one in self.bounds.items())
        return " and ".join(said)


def value_name(measure: Measure) -> str:
    """Return 'stream bandwidth'; 'latency' of the table of this name."""
    table, stem = measure.table.name, measure.main.stem
    return table if table == stem else f"{table} {stem}"


def read_threshold(entry: dict[str, Any], number: int) -> Threshold:
    """Return a threshold; UnknownNameError or UsageError for a wrong table, value, key, unit or bound."""
    for key in entry:
        if key not in KEYS:
            raise UnknownNameError(unknown("key", key, KEYS))
    measure = _measure(_text(entry, "table"), _text(entry, "value", ""))
    where = entry.get("where", {})
    if not isinstance(where, dict):
        raise UsageError(f"where={where!r} is not a table; try where = {{ {measure.table.keys[0]} = ... }}")
    low, high = (_bound(entry, key, measure.unit) for key in ("at_least", "at_most"))
    if low is None and high is None:
        raise UsageError(f'it has no bound; add at_least or at_most, such as at_least = "{_example(measure.unit)}"')
    found = Threshold(
        number,
        _text(entry, "name", ""),
        measure,
        dict(_condition(measure.table, key, value) for key, value in where.items()),
        -math.inf if low is None else low,
        math.inf if high is None else high,
    )
    if found.low > found.high:
        raise UsageError(f"{found.asked} is impossible; exchange at_least and at_most")
    return found


def matches(row: Flat, key: str, value: Label) -> bool:
    """Return whether a row has this value; numbers may differ by rounding."""
    own = row.get(key)
    if isinstance(own, bool) or isinstance(value, bool):
        return own is value
    if isinstance(own, int) and isinstance(value, str):
        return str(own) == value
    if isinstance(own, int | float) and isinstance(value, int | float):
        return math.isclose(own, value, rel_tol=1e-9)
    return own == value


def key_word(table: Plain, key: str) -> str:
    """Return 'footprint' of 'footprint_bytes': the name of a key in a file, where no other key has it."""
    ending = next((end for end in ENDINGS if key.endswith(end)), "")
    short = key.removesuffix(ending)
    return short if short and short not in table.keys else key


def column_of(table: Plain, name: str) -> Column:
    """Return the column of this name."""
    return next(column for column in table.columns if column.name == name)


def _measure(table: str, value: str) -> Measure:
    found = [one for one in measures().values() if one.table is tables[table]]
    if not found:
        possible = sorted({one.table.name for one in measures().values()})
        raise UsageError(f"table {table} has no main value; tables that have one: {', '.join(possible)}")
    names = [one.main.stem for one in found]
    if not value:
        if len(found) > 1:
            raise UsageError(f'{table} has several main values, {", ".join(names)}; add value = "{names[0]}"')
        return found[0]
    for one in found:
        if value in (one.main.stem, one.main.name):
            return one
    raise UnknownNameError(unknown(f"main value of {table}", value, names))


def _condition(table: Plain, word: str, value: Any) -> tuple[str, Label]:
    """Return the column of a key of the table, or of another word such as a role, and its value in base units."""
    closing = JudgedRow.__struct_fields__
    words = [column.name for column in table.columns if not column.unit and column.name not in closing]
    keys = dict.fromkeys((*table.keys, *words))
    names = {key_word(table, key): key for key in keys} | {key: key for key in keys}
    if word not in names:
        raise UnknownNameError(unknown(f"key of {table.name}", word, [key_word(table, key) for key in keys]))
    key = names[word]
    unit = column_of(table, key).unit
    if not isinstance(value, str | int | float):
        raise UsageError(f"where.{word}={value!r} is neither text nor a number")
    if isinstance(value, bool) or not unit:
        return key, value if isinstance(value, bool) else str(value)
    try:
        return key, parse_value(value, unit) if isinstance(value, str) else _finite(value)
    except UsageError as error:
        raise UsageError(f"where.{word}: {error}") from error


def _bound(entry: dict[str, Any], key: str, unit: str) -> float | None:
    if key not in entry:
        return None
    value, has_unit = entry[key], unit in EXAMPLES
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UsageError(f'{key}={value!r} is not a number; try {key} = "{_example(unit)}"')
    if not isinstance(value, str) and has_unit:
        raise UsageError(f'{key}={value} has no unit; try {key} = "{_example(unit)}"')
    try:
        return parse_value(value, unit) if isinstance(value, str) else _finite(value)
    except UsageError as error:
        raise type(error)(f"{key}: {error}") from error


def _finite(value: float) -> float:
    """Return a number of the file, which may be a whole one of any length; UsageError for one that nothing has."""
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise UsageError("this is not a number that a value can have")
    return found


def _example(unit: str) -> str:
    return EXAMPLES.get(unit, "1.5")


def _text(entry: dict[str, Any], key: str, default: str | None = None) -> str:
    value = entry.get(key, default)
    if value is None:
        known = sorted({one.table.name for one in measures().values()})
        raise UsageError(f"it has no {key}; known: {', '.join(known)}")
    if not isinstance(value, str):
        raise UsageError(f"{key}={value!r} is not text; put it in quotes")
    return value
