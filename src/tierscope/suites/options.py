"""The key=value words of a suite: each knows its default, how to read a word, and what to say of it."""

from collections.abc import Callable
from dataclasses import dataclass

from tierscope import units
from tierscope.errors import UnknownNameError, UsageError
from tierscope.experiment import Label
from tierscope.registry import unknown


@dataclass(frozen=True)
class Option:
    """`default` is shown in `--help`; None means that the suite finds the value itself ("auto")."""

    name: str
    default: Label
    help: str
    parse: Callable[[str], Label]
    word: Callable[[Label], str] = str  # the inverse of parse, for `--help`

    def show(self) -> str:
        return self.word(self.default)

    def read(self, word: str) -> Label:
        """UsageError names the option."""
        if self.default is None and word == "auto":
            return None
        try:
            return self.parse(word)
        except (UsageError, ValueError) as error:
            raise UsageError(f"{self.name}={word}: {error}") from error


def text(name: str, default: str | None, help: str) -> Option:
    return Option(name, default, help, str)


def size(name: str, default: str | None, help: str) -> Option:
    value = None if default is None else units.parse_bytes(default)
    return Option(name, value, help, units.parse_bytes, lambda label: units.word_bytes(int(label or 0)))


def count(name: str, default: int | None, help: str) -> Option:
    return Option(name, default, help, _whole)


def seconds(name: str, default: float | None, help: str) -> Option:
    return Option(name, default, help, units.parse_seconds)


def share(name: str, default: float, help: str) -> Option:
    return Option(name, default, help, _share)


def rate(name: str, help: str) -> Option:
    return Option(name, None, help, units.parse_rate)


def read_options(of: str, known: tuple[Option, ...], words: dict[str, str]) -> dict[str, Label]:
    """Values of all known options; UnknownNameError for a word that is none of them."""
    names = [option.name for option in known]
    for word in words:
        if word not in names:
            raise UnknownNameError(unknown(f"option of {of}", word, names))
    return {o.name: o.read(words[o.name]) if o.name in words else o.default for o in known}


def _whole(word: str) -> int:
    if not word.isdigit():
        raise UsageError("a whole number is needed")
    return int(word)


def _share(word: str) -> float:
    value = float(word.removesuffix("%")) / (100 if word.endswith("%") else 1)
    if not 0 < value < 1:
        raise UsageError("a share above 0 and below 1 is needed, such as 0.02 or 2%")
    return value


def words_of(value: Label) -> list[str]:
    """'a,b' -> ['a', 'b']; None -> []."""
    return [] if value is None else [word for word in str(value).split(",") if word]


def numbers_of(value: Label, what: str) -> list[int]:
    """'1,2,8-10' -> [1, 2, 8, 9, 10]; UsageError for anything else."""
    numbers: list[int] = []
    for word in words_of(value):
        first, _, last = word.partition("-")
        if not first.isdigit() or (last and not last.isdigit()) or (last and int(last) < int(first)):
            raise UsageError(f"{what}={value} is no list such as 0-3,8")
        numbers.extend(range(int(first), int(last or first) + 1))
    return numbers
