"""The key=value words of a suite: each knows its default, how to read a word, and what to say of it."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tierscope import units
from tierscope.errors import UnknownNameError, UsageError
from tierscope.record.experiment import Label
from tierscope.registry import unknown

LONGEST = 1 << 16  # numbers in a list: more than any machine has CPUs


@dataclass(frozen=True)
class Option:
    """`default` is shown in `--help`; None means that the suite finds the value itself ("auto").

    `help` is light Markdown, with links relative to docs/reference/.
    """

    name: str
    default: Label
    help: str
    parse: Callable[[str], Label]
    word: Callable[[Label], str] = str  # the inverse of parse, for `--help`
    is_target: bool = False  # its value is the word of a target, which may name a simulated machine or a path

    def show(self) -> str:
        return self.word(self.default)

    def read(self, word: str) -> Label:
        """UsageError names the option."""
        if self.default is None and word == "auto":
            return None
        try:
            return self.parse(word)
        except UsageError as error:
            raise UsageError(f"{self.name}={word}: {error}") from error


def listed(names: Iterable[str]) -> str:
    """Return '`a`, `b`', for the help of an option."""
    return ", ".join(f"`{name}`" for name in names)


def text(name: str, default: str | None, help: str) -> Option:
    return Option(name, default, help, str)


def target(name: str, default: str | None, help: str) -> Option:
    """Where bytes live: the word of a target, as node:0."""
    return Option(name, default, help, str, is_target=True)


def size(name: str, default: str | None, help: str) -> Option:
    value = None if default is None else units.parse_bytes(default)
    return Option(name, value, help, units.parse_bytes, lambda label: units.word_bytes(int(label or 0)))


def count(name: str, default: int | None, help: str, least: int = 0, most: int = 1 << 31) -> Option:
    """A whole number from `least` to `most`."""

    def parse(word: str) -> int:
        value = _whole(word)
        if not least <= value <= most:
            raise UsageError(f"a number from {least} to {most} is needed")
        return value

    return Option(name, default, help, parse)


def seconds(name: str, default: float | None, help: str) -> Option:
    return Option(name, default, help, units.parse_seconds)


def share(name: str, default: float, help: str) -> Option:
    return Option(name, default, help, _share)


def rate(name: str, help: str) -> Option:
    def parse(word: str) -> float:
        value = units.parse_rate(word)
        if value <= 0:
            raise UsageError("a rate above 0 is needed")
        return value

    return Option(name, None, help, parse)


def read_options(of: str, known: tuple[Option, ...], words: dict[str, str]) -> dict[str, Label]:
    """Values of all known options; UnknownNameError for a word that is none of them."""
    names = [option.name for option in known]
    for word in words:
        if word not in names:
            raise UnknownNameError(unknown(f"option of {of}", word, names))
    return {o.name: o.read(words[o.name]) if o.name in words else o.default for o in known}


def _whole(word: str) -> int:
    if not re.fullmatch("[0-9]{1,18}", word):  # 18 digits fit 64 bits
        raise UsageError("a whole number is needed")
    return int(word)


def _share(word: str) -> float:
    try:
        value = float(word.removesuffix("%")) / (100 if word.endswith("%") else 1)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise UsageError("a share above 0 and below 1 is needed, such as 0.02 or 2%")
    return value


def words_of(value: Label) -> list[str]:
    """'a,b' -> ['a', 'b']; None -> []."""
    return [] if value is None else [word for word in str(value).split(",") if word]


def names_of(kind: str, value: Label, known: Iterable[str]) -> list[str]:
    """'a,b' -> ['a', 'b'], 'all' -> all that are known; UsageError for none, UnknownNameError for another."""
    names, possible = words_of(value), list(known)
    if not names:
        raise UsageError(f"no {kind} is named; known: {', '.join(possible)}")
    for name in names if names != ["all"] else []:
        if name not in possible:
            raise UnknownNameError(unknown(kind, name, possible))
    return possible if names == ["all"] else names


def numbers_of(value: Label, what: str) -> list[int]:
    """'1,2,8-10' -> [1, 2, 8, 9, 10]; UsageError for anything else."""
    numbers: list[int] = []
    for word in words_of(value):
        match = re.fullmatch("([0-9]{1,18})(?:-([0-9]{1,18}))?", word)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if not first <= last < first + LONGEST:
            raise UsageError(f"{what}={value} is no list such as 0-3,8")
        numbers.extend(range(first, last + 1))
    if value is not None and not numbers:
        raise UsageError(f"{what}={value} names no number; try a list such as 0-3,8")
    return numbers
