"""Typed rows: a row of a table is a Struct, its fields have units, and an interval is one field.

Columns follow from the fields, so a table states each of them once:

    class StreamRow(JudgedRow, frozen=True, kw_only=True):
        threads: Annotated[Count, Col("threads", help="one on each CPU")]
        bandwidth: Annotated[Bandwidth, Col("bandwidth", help="median, program bytes")]

The second one becomes three columns, `bandwidth_bytes_per_s`, `bandwidth_low` and `bandwidth_high`. Outside of its
suite a row is `flat`: one value for each column, as exports, compare and the audit read it.
"""

import functools
import math
import types
import typing
from typing import Annotated, Any, TypeVar

import msgspec
import numpy as np

from tierscope.errors import ResultError
from tierscope.record.experiment import Label, whole
from tierscope.stats.median import Interval
from tierscope.tables.column import Column, Shown

Flat = dict[str, Label]
"""A row as everything outside of its suite reads it: one value for each column."""


def whole_of(row: Flat, key: str) -> int:
    """Return a whole number that each row of its table has; ResultError for a row without it."""
    number = whole(row[key])
    if number is None:
        raise ResultError(f"{key}: expected a whole number, got {row[key]!r}")
    return number


class Unit(msgspec.Struct, frozen=True):
    """The type of a number. ending: what the name of an interval's column has behind that of the field, as "_s"."""

    word: str  # "B/s", "B", "s", "1/s", "1" (a ratio or a count)
    ending: str = ""
    least: float = -math.inf  # a number below is an error, not a result
    most: float = math.inf
    shown: Shown = Shown.BY_UNIT


class Col(msgspec.Struct, frozen=True):
    """A field as shown to people: its title without the unit, and its meaning as in `Column`."""

    title: str
    help: str = ""
    tier: bool = False
    private: bool = False


Seconds = Annotated[float, Unit("s")]
BytesPerS = Annotated[float, Unit("B/s")]
PerS = Annotated[float, Unit("1/s")]
Ratio = Annotated[float, Unit("1")]
Share = Annotated[float, Unit("1", least=0, most=1, shown=Shown.PERCENT)]
PeakShare = Annotated[float, Unit("1", shown=Shown.PERCENT)]
"""A share of a limit that a wrong measurement may exceed."""
Size = Annotated[int, Unit("B", least=0)]
AskedSize = Annotated[int, Unit("B", least=0, shown=Shown.AS_ASKED)]
Count = Annotated[int, Unit("1", least=0)]

LongSeconds = Annotated[float, Unit("s", shown=Shown.LONG)]
LongTime = Annotated[Interval, Unit("s", "", shown=Shown.LONG)]
"""The time of a whole task."""

Time = Annotated[Interval, Unit("s", "_s")]
Bandwidth = Annotated[Interval, Unit("B/s", "_bytes_per_s")]
Rate = Annotated[Interval, Unit("1/s", "_per_s")]
Quotient = Annotated[Interval, Unit("1")]
"""An interval of a ratio; the four units of intervals."""


class Field(msgspec.Struct, frozen=True):
    """The properties of one field that `fields` finds."""

    name: str
    type: type  # str, bool, int, float, tuple or Interval
    optional: bool
    unit: Unit
    col: Col

    @property
    def columns(self) -> tuple[Column, ...]:
        name = f"{self.name}{self.unit.ending}"
        col, unit = self.col, self.unit
        first = Column(name, col.title, unit.word, tier=col.tier, private=col.private, shown=unit.shown, help=col.help)
        if self.type is not Interval:
            return (first,)
        bounds = (Column(f"{self.name}_{end}", end, unit.word, shown=unit.shown) for end in ("low", "high"))
        return (first, *bounds)

    def values(self, value: Any) -> tuple[Label, ...]:
        """Return one value for each column; None for what is absent or not a finite number, which JSON does
        not know.
        """
        if self.type is Interval:
            return (None,) * 3 if value is None else tuple(map(_finite, (value.middle, value.low, value.high)))
        return ("; ".join(value) if self.type is tuple else value,)


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a table; ResultError for a number that the field's unit cannot have, and for an absent one.

    A number that is not finite, and an interval with such a middle, is absent: None.
    """

    def __post_init__(self) -> None:
        for field in fields(type(self)):
            held = getattr(self, field.name)
            value = _finite(held)
            if value is not held:
                msgspec.structs.force_setattr(self, field.name, value)
            _check(type(self), field, value)


class JudgedRow(Row, frozen=True, kw_only=True):
    """A row whose blocks were judged. These columns follow all others."""

    conclusive: Annotated[
        bool, Col("conclusive", help="true: within the requested precision, on enough clean moments of a steady series")
    ]
    reasons: Annotated[
        tuple[str, ...],
        Col(
            "why not",
            help='why the row is not conclusive; several reasons are joined by "; "; "" if it is conclusive',
        ),
    ]
    blocks: Annotated[Count, Col("blocks", help="blocks in the samples, including marked ones")]
    left_out_share: Annotated[
        Share, Col("left out", help="share of the moments that are left out because a thread was disturbed")
    ]
    origin: Annotated[str, Col("origin", help="`real`, `emulated` or `simulated`")]
    visits: Annotated[
        Count | None,
        Col(
            "visits",
            help="visits, spread over the run, that the interval is made of; null: the point was visited once, and the "
            "interval contains only the scatter within that visit",
        ),
    ] = None
    between_share: Annotated[
        Share | None,
        Col(
            "between visits",
            help="share of the squared interval that is between visits; null: it contains nothing of what changes "
            "between visits",
        ),
    ] = None
    slow_share: Annotated[
        Share | None,
        Col(
            "between runs",
            help="share of the squared interval that is between runs, as earlier runs of this machine showed it, or as "
            "assumed where there were few; the rest is within visits. null: as for `between_share`",
        ),
    ] = None
    mapping_share: Annotated[
        Share | None,
        Col(
            "between mappings",
            help="the part of `between_share` that changes from one mapping of the memory to the next; null: nobody "
            "looked, as for large pages, the first cache and runs with a limit",
        ),
    ] = None
    degrees: Annotated[
        Ratio | None,
        Col(
            "degrees of freedom",
            help="of Student's t, with which the interval is made; comparisons of many points need them. null: the "
            "interval is of many blocks, and normal",
        ),
    ] = None

    @property
    def verdict(self) -> str:
        """Return 'conclusive' or 'inconclusive'."""
        return "conclusive" if self.conclusive else "inconclusive"


@functools.cache
def fields(row: type[Row]) -> tuple[Field, ...]:
    """Return the fields of a row in the order of its columns; TypeError for one without a `Col`."""
    hints = typing.get_type_hints(row, include_extras=True)
    closing = JudgedRow.__struct_fields__ if issubclass(row, JudgedRow) else ()
    names = [name for name in row.__struct_fields__ if name not in closing]
    return tuple(_field(row, name, hints[name]) for name in (*names, *closing))


@functools.cache
def columns_of(row: type[Row]) -> tuple[Column, ...]:
    """Return every key that a flat row has, in the order in which it is shown."""
    return tuple(column for field in fields(row) for column in field.columns)


def flat(row: Row) -> Flat:
    """Return one value for each column."""
    kind: type[Row] = type(row)
    values = (value for field in fields(kind) for value in field.values(getattr(row, field.name)))
    return dict(zip((column.name for column in columns_of(kind)), values, strict=True))


R = TypeVar("R", bound=Row)


def unflat(row: type[R], values: Flat) -> R:
    """Return the row that `flat` made these values of; ResultError for an impossible or a missing one."""
    found: dict[str, Any] = {}
    for field in fields(row):
        held = [values.get(column.name) for column in field.columns]
        if field.type is Interval:
            found[field.name] = _interval(held, values.get("blocks"))
        elif field.type is tuple:
            found[field.name] = tuple(part for part in str(held[0] or "").split("; ") if part)
        else:
            found[field.name] = held[0]
    return row(**found)


def _interval(held: list[Label], blocks: Label) -> Interval | None:
    if any(value is None for value in held):
        return None
    middle, low, high = (float(value) for value in held if value is not None)
    return Interval(low, middle, high, blocks if isinstance(blocks, int) else 0)


def _field(row: type[Row], name: str, hint: Any) -> Field:
    base, said = _bare(hint)
    optional = isinstance(base, types.UnionType) or typing.get_origin(base) is typing.Union
    if optional:
        (inner,) = (one for one in typing.get_args(base) if one is not type(None))
        base, more = _bare(inner)
        said += more
    col = next((one for one in said if isinstance(one, Col)), None)
    if col is None:
        raise TypeError(f"{row.__name__}.{name} has no Col")
    unit = next((one for one in said if isinstance(one, Unit)), Unit(""))
    return Field(name, typing.get_origin(base) or base, optional, unit, col)


def _bare(hint: Any) -> tuple[Any, list[Any]]:
    """Return the type of an annotation, and all that it is annotated with."""
    if typing.get_origin(hint) is not Annotated:
        return hint, []
    base, *said = typing.get_args(hint)
    return base, said


def _check(row: type[Row], field: Field, value: Any) -> None:
    if value is None:
        if not field.optional:
            raise ResultError(f"{row.__name__}: {field.name} is missing")
        return
    numbers = (value.low, value.middle, value.high) if isinstance(value, Interval) else (value,)
    for number in numbers if field.unit.word else ():
        if number < field.unit.least or number > field.unit.most:
            span = f"from {field.unit.least:g} to {field.unit.most:g}"
            raise ResultError(f"{row.__name__}: {field.name}={number!r} is not {span}")


def _finite(value: Any) -> Any:
    """Return a number of numpy as Python's own, and None for what is not finite; other values unchanged."""
    number = value.middle if isinstance(value, Interval) else value
    if isinstance(number, float) and not math.isfinite(number):  # numpy's doubles are floats, too
        return None
    if isinstance(value, Interval):
        held = (value.low, value.middle, value.high, value.count)
        return Interval(*(_own(one) for one in held)) if any(isinstance(one, np.generic) for one in held) else value
    return _own(value)


def _own(value: Any) -> Any:
    """Return a number of numpy as Python's own; other values unchanged."""
    return value.item() if isinstance(value, np.generic) else value
