"""The meaning of a published table's columns for the audit, as head lines of its file state it.

`# KEY: ...`, where KEY is

    quantity: COLUMN = NAME [x FACTOR] [| KEY=WORD]    it is the quantity NAME; a statement for each set of words
    bounds: COLUMN = LOW HIGH                          both columns bound the numbers of the first
    known: NAME = VALUE [| where COLUMN=WORD]          a quantity in base units that is given with the table
    table: NAME = VALUE                                likewise, of the table as a whole
    word: KEY = WORD [| where COLUMN=WORD]             a word of the statements; {COLUMN} is that of the column
    part: NAME = NAME NAME ...                         a whole is the sum of its parts, by the names of quantities
    same: COLUMN = TABLE.COLUMN | KEY={COLUMN}         the numbers stand in another table too
    error: COLUMN = PERCENT | COLUMN                   a mean error as stated: of what, against what was measured
    share: COLUMN=WORD = 0.7                           which share of the operations of such rows are reads
"""

from collections.abc import Callable
from dataclasses import dataclass, field

Words = dict[str, str]
KEYS = ("quantity", "bounds", "known", "table", "word", "part", "same", "error", "share")


@dataclass(frozen=True, slots=True)
class Told:
    """A column that is a quantity."""

    column: str
    name: str
    factor: float = 1.0  # in addition to the unit's
    words: Words = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Known:
    """A quantity, or a word, of the rows whose columns have the words of `where`."""

    name: str
    value: str
    where: Words = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Same:
    """Where the numbers of a column appear a second time."""

    column: str
    table: str
    other: str
    keys: Words


@dataclass(frozen=True, slots=True)
class Facts:
    """All of one table, in the order of its lines."""

    quantity: tuple[Told, ...] = ()
    bounds: tuple[tuple[str, str, str], ...] = ()  # column, its low, its high
    known: tuple[Known, ...] = ()
    table: tuple[Known, ...] = ()
    word: tuple[Known, ...] = ()
    part: tuple[tuple[str, tuple[str, ...]], ...] = ()
    same: tuple[Same, ...] = ()
    error: tuple[tuple[str, str, str], ...] = ()  # prediction, per cent as printed, what was measured
    share: tuple[tuple[str, str, float], ...] = ()


def read(name: str, head: dict[str, list[str]], columns: set[str]) -> Facts:
    """Return the facts in the lines of one table; a ValueError names the table and what is wrong."""
    found: dict[str, tuple[object, ...]] = {}
    for key, (parse, form) in PARSE.items():
        try:
            found[key] = tuple(parse(words, columns) for words in head[key])
        except (ValueError, KeyError, IndexError) as error:
            told = f"{name}: {key} {head[key]!r}; {form} is needed, columns: {', '.join(sorted(columns))} ({error})"
            raise ValueError(told) from error
    return Facts(**found)  # type: ignore[arg-type]


def _column(word: str, columns: set[str]) -> str:
    if word.strip() not in columns:
        raise ValueError(f"no column {word.strip()!r}")
    return word.strip()


def _pair(words: str) -> tuple[str, str]:
    """Return both sides of 'a = b'."""
    left, equals, right = words.partition(" = ")
    if not equals or not left.strip() or not right.strip():
        raise ValueError(f"no pair: {words!r}")
    return left.strip(), right.strip()


def _where(parts: list[str], columns: set[str]) -> Words:
    """Return the selected values: ['where test=mixed'] -> {'test': 'mixed'}."""
    found = dict(part.strip().removeprefix("where ").split("=", 1) for part in parts)
    return {_column(column, columns): word for column, word in found.items()}


def _quantity(words: str, columns: set[str]) -> Told:
    first, *rest = words.split("|")
    column, target = _pair(first)
    name, _, factor = (word.strip() for word in target.partition(" x "))
    return Told(_column(column, columns), name, float(factor or 1), dict(p.strip().split("=", 1) for p in rest))


def _bounds(words: str, columns: set[str]) -> tuple[str, str, str]:
    column, ends = _pair(words)
    low, high = ends.split()
    return _column(column, columns), _column(low, columns), _column(high, columns)


def _known(words: str, columns: set[str]) -> Known:
    first, *rest = words.split("|")
    name, value = _pair(first)
    float(value)
    return Known(name, value, _where(rest, columns))


def _word(words: str, columns: set[str]) -> Known:
    first, *rest = words.split("|")
    name, value = _pair(first)
    if value.startswith("{"):
        _column(value[1:-1], columns)
    return Known(name, value, _where(rest, columns))


def _part(words: str, columns: set[str]) -> tuple[str, tuple[str, ...]]:
    del columns
    whole, parts = _pair(words)
    return whole, tuple(parts.split())


def _same(words: str, columns: set[str]) -> Same:
    first, *rest = words.split("|")
    column, target = _pair(first)
    table, other = target.split(".")
    keys = dict(part.strip().split("=", 1) for part in rest)
    return Same(_column(column, columns), table, other, keys)


def _error(words: str, columns: set[str]) -> tuple[str, str, str]:
    first, measured = words.split("|")
    column, percent = _pair(first)
    float(percent)
    return _column(column, columns), percent, _column(measured, columns)


def _share(words: str, columns: set[str]) -> tuple[str, str, float]:
    """Return the three parts of 'test=mixed = 0.7'."""
    where, share = _pair(words)
    column, word = where.split("=", 1)
    return _column(column, columns), word, float(share)


PARSE: dict[str, tuple[Callable[[str, set[str]], object], str]] = {
    "quantity": (_quantity, "COLUMN = NAME x FACTOR | KEY=WORD"),
    "bounds": (_bounds, "COLUMN = LOW HIGH"),
    "known": (_known, "NAME = VALUE | where COLUMN=WORD"),
    "table": (_known, "NAME = VALUE"),
    "word": (_word, "KEY = WORD | where COLUMN=WORD"),
    "part": (_part, "WHOLE = PART PART"),
    "same": (_same, "COLUMN = TABLE.COLUMN | KEY={COLUMN}"),
    "error": (_error, "COLUMN = PERCENT | COLUMN"),
    "share": (_share, "COLUMN=WORD = SHARE"),
}
