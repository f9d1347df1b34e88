"""Sentences about the rows of a table, whose numbers the audit can check."""

from typing import Protocol, Required, Self, TypedDict, Unpack

import msgspec


class Bounded(Protocol):
    """A number with bounds: the interval of a median, or the ratio of two."""

    @property
    def low(self) -> float: ...

    @property
    def middle(self) -> float: ...

    @property
    def high(self) -> float: ...


class Number(msgspec.Struct, frozen=True, kw_only=True):
    """One number of a sentence with what the audit needs to check it. `low` and `high` bound `value`.

    kind: "share" is a part of 1, "percent" is shown like one and may be above 1, "count" is a number of things,
    "difference" may be negative, "" is none of these. `whole`: what `value` is a part of.
    """

    value: float
    low: float | None = None
    high: float | None = None
    kind: str = ""
    whole: float | None = None

    @classmethod
    def of(cls, found: Bounded, kind: str = "") -> Self:
        """Return the number with its bounds."""
        return cls(value=found.middle, low=found.low, high=found.high, kind=kind)


class Told(TypedDict, total=False):
    """The fields of an `Insight` except its number and the bounds."""

    name: Required[str]
    text: Required[str]
    unit: str
    kind: str
    whole: float | None
    others: tuple[Number, ...]
    conclusive: bool
    brief: str
    detail: bool


class Insight(msgspec.Struct, frozen=True, kw_only=True):
    """One sentence that the rows support; a number where there is one, None where the data give none.

    `low` and `high` bound `value`: a 95 % interval unless the text states otherwise. `kind` and `whole` as in `Number`.
    Every percentage and ratio of the text is one of `numbers`: the audit checks these.
    """

    name: str
    text: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    unit: str = ""
    kind: str = ""
    whole: float | None = None
    others: tuple[Number, ...] = ()  # other numbers of the text
    conclusive: bool = True  # otherwise the text states why, and no headline rests on it
    brief: str = ""  # the same as a headline states it; "": `text`
    detail: bool = False  # a page folds it away, and a terminal leaves it out: it explains, and finds nothing

    @classmethod
    def of(cls, found: Bounded, **told: Unpack[Told]) -> Self:
        """Return a sentence about a number with bounds."""
        return cls(value=found.middle, low=found.low, high=found.high, **told)

    @property
    def headline(self) -> str:
        """Return the text at the top of a page, without a full stop."""
        return self.brief or self.text

    @property
    def numbers(self) -> tuple[Number, ...]:
        """Return all numbers of the text."""
        if self.value is None:
            return self.others
        first = Number(value=self.value, low=self.low, high=self.high, kind=self.kind, whole=self.whole)
        return (first, *self.others)
