"""The parts of the top of a page, as plain data that the page, the terminal and Markdown draw."""

from dataclasses import dataclass
from typing import NamedTuple

from tierscope.normal.band import Band
from tierscope.tables import Row

GOOD, NOTE, BAD = "good", "note", "bad"


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one question. mark: GOOD, NOTE, BAD, or "" where the answer judges nothing."""

    question: str
    short: str
    text: str = ""
    mark: str = ""


class Point(NamedTuple):
    """The row of a table that a key number comes from."""

    table: str
    row: Row


@dataclass(frozen=True, slots=True)
class Key:
    """A key number with its interval, in base units. about: what is to be known with it. point: None has no band."""

    name: str
    value: float
    low: float | None
    high: float | None
    unit: str
    about: str = ""
    kind: str = ""  # as in `tables.Number`
    point: Point | None = None
    band: Band | None = None
    verdict: str = ""  # compared with the band, or with what the system reports; "" states nothing
    mark: str = ""
    rough: bool = False  # wider than asked for: its range is shown, and not the number


@dataclass(frozen=True, slots=True)
class Step:
    """The next step. gain: measured effect in this run, as a part of what it concerns; "" for no command."""

    text: str
    command: str
    gain: float


@dataclass(frozen=True, slots=True)
class Top:
    """`lead` is the headline; `lines` follow in smaller type."""

    lead: str
    lines: tuple[str, ...]
    answers: tuple[Answer, ...]
    keys: tuple[Key, ...]
    steps: tuple[Step, ...]
