"""The types of options: what is added to msgspec's so that a word of the command line is read by its field's type.

The type of an option is a type of Python, its bounds (`msgspec.Meta`) and its `Kind`: how a word becomes a value, how
a value is written, and what is needed. `one_of`, `several`, `one_size` and `several_sizes` make kinds; `int`, `str`,
`Target`, and lists of numbers or names have one without being asked.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from msgspec import Meta

from tierscope import units
from tierscope.errors import UnknownNameError, UsageError
from tierscope.record.experiment import PAGES, Target
from tierscope.record.experiment import Share as _Share
from tierscope.registry import unknown

SMALLEST = 4 * units.KiB  # of memory: a page; less is a unit that was left out
LONGEST = 1 << 16  # numbers in a list: more than any machine has CPUs
ALL: Final = "all"
SHARE_NEEDED = "a share above 0 and below 1 is needed, such as 0.02 or 2%"


@dataclass(frozen=True)
class Help:
    """The help of an option: light Markdown, with links relative to docs/reference/."""

    text: str


def listed(names: Iterable[str]) -> str:
    """Return '`a`, `b`', for the help of an option."""
    return ", ".join(f"`{name}`" for name in names)


def _accept(_value: Any) -> None:
    """Return for any value: its bounds are all that is asked of it."""


@dataclass(frozen=True)
class Before:
    """The value of an option in versions that did not have it, if this is not its default."""

    value: object


@dataclass(frozen=True)
class Kind:
    """How the values of a type are read and written.

    read: word -> value; UsageError with the reason. Its inverse is `write`.
    The function `check` raises UsageError for a value that is wrong although within its bounds.
    The message for a value out of bounds is `needed`; "" stands for the bounds themselves.
    The words that values are made of are `known`, for a shell to complete; () where they are not a list.
    A `measured` value is one number with a unit.
    """

    read: Callable[[str], object] = str
    write: Callable[[Any], str] = str
    check: Callable[[Any], object] = _accept
    needed: str = ""
    known: tuple[str, ...] = ()
    measured: bool = False


def words_of(word: str) -> tuple[str, ...]:
    """Return ('a', 'b') for 'a,b'."""
    return tuple(one for one in word.split(",") if one)


def names_of(kind: str, asked: tuple[str, ...], known: Iterable[str]) -> tuple[str, ...]:
    """Return the names, those of all that are known for 'all'; UsageError for none, UnknownNameError for another."""
    possible = tuple(known)
    if not asked:
        raise UsageError(f"no {kind} is named; known: {', '.join(possible)}")
    if asked == (ALL,):
        return possible
    for name in asked:
        if name not in possible:
            raise UnknownNameError(unknown(kind, name, list(possible)))
    return asked


def numbers_of(word: str) -> tuple[int, ...]:
    """Return (1, 2, 8, 9, 10) for '1,2,8-10'; UsageError for anything else."""
    numbers: list[int] = []
    for one in words_of(word):
        match = re.fullmatch("([0-9]{1,18})(?:-([0-9]{1,18}))?", one)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if not first <= last < first + LONGEST:
            raise UsageError("this is not a list such as 0-3,8")
        numbers.extend(range(first, last + 1))
    if not numbers:
        raise UsageError("this names no number; try a list such as 0-3,8")
    return tuple(numbers)


def word_numbers(numbers: Iterable[int]) -> str:
    """Return '1,2,8-10' for (1, 2, 8, 9, 10)."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(map(str, run)) for run in runs)


def _whole(word: str) -> int:
    if not re.fullmatch("[0-9]{1,18}", word):  # 18 digits fit 64 bits
        raise UsageError("a whole number from 0 is needed")
    return int(word)


def _share(word: str) -> float:
    try:
        return float(word.removesuffix("%")) / (100 if word.endswith("%") else 1)
    except ValueError as error:
        raise UsageError(SHARE_NEEDED) from error


def one_of(kind: str, known: Iterable[str]) -> Kind:
    """Return the kind of a name among those that are known."""
    possible = tuple(known)

    def check(name: str) -> None:
        if name not in possible:
            names_of(kind, words_of(name), possible)
            raise UsageError(f"one {kind} at a time")

    return Kind(check=check, known=possible)


def several(kind: str, known: Iterable[str], whole: str = "") -> Kind:
    """Return the kind of a list of names; 'all' is all that are known.

    whole: another word for all, which is also how they are written; "": they are written one by one.
    """
    possible = tuple(known)

    def read(word: str) -> tuple[str, ...]:
        return possible if whole and word == whole else names_of(kind, words_of(word), possible)

    def write(names: tuple[str, ...]) -> str:
        return whole if whole and names == possible else ",".join(names)

    offered = (whole,) if whole else (ALL,)
    return Kind(read, write, lambda names: names_of(kind, names, possible), known=(*possible, *offered))


def one_size(needed: str) -> Kind:
    """Return the kind of one size; `needed` is the message for a size out of bounds."""
    return Kind(units.parse_bytes, units.word_bytes, needed=needed, measured=True)


def several_sizes(what: str, needed: str) -> Kind:
    """Return the kind of a list of sizes; `needed`: message for a size out of bounds; `what`: name of a size: block
    size.
    """

    def read(word: str) -> tuple[int, ...]:
        if not words_of(word):
            raise UsageError(f"no {what} is named; {needed}")
        return tuple(units.parse_bytes(one) for one in words_of(word))

    return Kind(read, lambda values: ",".join(map(units.word_size, values)), needed=needed)


TEXT, WHOLE = Kind(), Kind(_whole)
SHARE = Kind(_share, needed=SHARE_NEEDED)
SECONDS = Kind(units.parse_seconds, units.word_seconds, measured=True)
NUMBERS = Kind(numbers_of, word_numbers)
PLAIN: dict[object, Kind] = {
    str: TEXT,
    int: WHOLE,
    Target: Kind(Target.parse, lambda target: target.word),
    tuple[int, ...]: NUMBERS,
    tuple[str, ...]: Kind(words_of, ",".join),
}
"""The kinds of types that name none."""

Share = Annotated[_Share, SHARE]
Size = Annotated[
    int,
    Meta(ge=SMALLEST),
    one_size(f"{units.word_bytes(SMALLEST)} or more is needed; a number without a unit is in bytes, so write 64MiB"),
]
"""The size of memory that is mapped, or of a file."""
LineSize = Annotated[int, Meta(ge=units.LINE_BYTES), one_size("a line of 64 bytes or more is needed, such as 256B")]
"""The size of what is within an array: an element, a row, a stride."""
Seconds = Annotated[float, Meta(ge=0), SECONDS]
Time = Annotated[float, Meta(gt=0), replace(SECONDS, needed="a time above 0 is needed")]
Block = Annotated[float, Meta(ge=1e-6, le=0.1), replace(SECONDS, needed="a time from 1us to 100ms is needed")]
"""Length of a block: the core has no shorter one, and a longer one leaves a visit without several blocks."""
Rate = Annotated[
    float, Meta(gt=0), Kind(lambda word: units.parse_value(word, "B/s"), needed="a rate above 0 is needed")
]
Number = Annotated[int, Meta(ge=0, le=1 << 31)]
Sizes = Annotated[tuple[int, ...], Meta(min_length=1), several_sizes("size", "try 4KiB,64MiB")]
Numbers = tuple[int, ...]
Lines = Annotated[
    tuple[Annotated[int, Meta(ge=units.LINE_BYTES, multiple_of=units.LINE_BYTES)], ...], Meta(min_length=1)
]
Names = tuple[str, ...]
Pages = Annotated[str, one_of("page size", PAGES)]
Visits = Annotated[
    int,
    Meta(ge=0, le=9),
    Help(
        "times that each point is visited, spread over the run, within the time that it has; 0: once, and intervals "
        "contain only the scatter within that visit"
    ),
    Before(0),
]
