"""The options of a suite, one struct: each field has a type that reads its word, a default, and a help.

    class StreamOptions(SuiteOptions, frozen=True, kw_only=True):
        target: Annotated[Target, Help("where the bytes live")] = Target()
        array: Annotated[Size | None, Help("bytes of each array; auto: as large as needed")] = None

A default of None is written "auto": the suite finds the value itself. Every value is checked when the struct is made,
whether it was typed, comes from a manifest, or is set by another suite.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import Meta

from tierscope.errors import OutOfRangeError, ResultError, UnknownNameError, UsageError
from tierscope.plans.kinds import PLAIN, Before, Help, Kind, Rate
from tierscope.record.experiment import Label, Target
from tierscope.registry import unknown
from tierscope.units import spaced

AUTO = "auto"

Value = str | float | Iterable[str | float] | None
"""The value of an option: the word of the command line, a number in base units, several of them, or None for auto."""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """Values that are read from key=value words; OutOfRangeError or UsageError names a key whose value is wrong."""

    def __post_init__(self) -> None:
        for option in _declared(type(self)):
            option.check(getattr(self, option.field))

    def labels(self) -> dict[str, Label]:
        """Return the values as in a manifest: numbers, or words as typed by the user; None is auto."""
        return {option.name: option.label(getattr(self, option.field)) for option in all_options(type(self))}


class SuiteOptions(Options, frozen=True, kw_only=True):
    """Options that every suite has."""

    peak: Annotated[
        Rate | None,
        Help(
            "theoretical bandwidth of all channels, such as `peak=307.2GB/s`; else from SMBIOS where it is "
            "readable and believable, else unknown"
        ),
    ] = None
    counters: Annotated[
        str,
        Help(
            "[performance events](../how-to/counters.md) in the timed blocks: `default`, `perf`, `simulated`,"
            " `every` (each that this machine counts), `memory` (of the memory controllers), or a list such as "
            "`{cycles,instructions},page-faults`"
        ),
    ] = "off"

    def named_targets(self) -> tuple[Target, ...]:
        """Return the targets that are named, without those that the suite finds itself."""
        values = (getattr(self, field) for field in self.__struct_fields__)
        return tuple(value for value in values if isinstance(value, Target))


@dataclass(frozen=True)
class Option:
    """One option, as its field declares it."""

    name: str
    field: str
    type: Any
    kind: Kind
    default: Any
    help: str
    before: Any = None  # in versions that did not know it; None: the default

    def show(self) -> str:
        """Return the default as typed by the user."""
        return AUTO if self.default is None else self.kind.write(self.default)

    def shown(self) -> str:
        """Return the default for people: '1.5 s', '1 GiB'."""
        return spaced(self.show()) if self.kind.measured else self.show()

    def label(self, value: Any) -> Label:
        """Return a value of this option as a manifest has it."""
        return value if value is None or isinstance(value, str | int | float) else self.kind.write(value)

    def read(self, word: str) -> Any:
        """Return the value that a word means; UsageError names the option."""
        if self.default is None and word == AUTO:
            return None
        value = read_word(self.name, self.kind, word)
        self.check(value, word)
        return value

    def restore(self, label: Label) -> Any:
        """Return the value that a manifest has as `label`; a number may be one itself, or the word of a list."""
        if isinstance(label, str):
            return self.read(label)
        try:
            return msgspec.convert(label, self.type)
        except msgspec.ValidationError:
            return self.read(str(label))

    def check(self, value: Any, word: str | None = None) -> None:
        """Raise OutOfRangeError for what the type does not allow, UsageError for what the kind does not know."""
        asked = f"{self.name}={value if word is None else word}"
        try:
            msgspec.convert(value, self.type)
            if value is not None:
                self.kind.check(value)
        except msgspec.ValidationError as error:
            raise OutOfRangeError(f"{asked}: {self.kind.needed or _bounds(self.type) or error}") from error
        except UsageError as error:
            raise type(error)(f"{asked}: {error}") from error


def read_word(name: str, kind: Kind, word: str) -> Any:
    """Return the value that a word means; an error begins with 'name=word: '."""
    try:
        return kind.read(word)
    except UsageError as error:
        raise type(error)(f"{name}={word}: {error}") from error


def word_of(value: Value) -> str:
    """Return a value as the command line has it: 'triad,read', '1,2', 'auto'; UsageError for what has no such word."""
    if value is None:
        return AUTO
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, Iterable):
        return ",".join(map(word_of, value))
    raise UsageError(f"{value!r} is not a value of an option; give text, a number or a list of them")


Known = TypeVar("Known", bound=Options)


def all_options(struct: type[Options]) -> tuple[Option, ...]:
    """Return the options of a struct in the order of its fields, those that every suite has last."""
    own = own_options(struct)
    return (*own, *(option for option in _declared(struct) if option not in own))


def own_options(struct: type[Options]) -> tuple[Option, ...]:
    """Return the same without those that every suite has, unless their default or help is another one here."""
    shared = {option.field: option for option in _declared(SuiteOptions)}
    return tuple(option for option in _declared(struct) if not _same(option, shared.get(option.field)))


def _same(one: Option, other: Option | None) -> bool:
    return other is not None and (one.show(), one.help) == (other.show(), other.help)


@cache
def _declared(struct: type[Options]) -> tuple[Option, ...]:
    return tuple(_option(field) for field in msgspec.structs.fields(struct))


def read_options(of: str, known: type[Known], words: dict[str, str]) -> Known:
    """Return words over the defaults; UnknownNameError for a key that is none of them."""
    options = {option.name: option for option in all_options(known)}
    for name in words:
        if name not in options:
            raise UnknownNameError(unknown(f"option of {of}", name, list(options)))
    return known(**{options[name].field: options[name].read(word) for name, word in words.items()})


def restored(known: type[Known], kept: dict[str, Label]) -> Known:
    """Return options of a manifest; ResultError for a bad value.

    Options that its version did not have get the value that applied then, by default the present one.
    """
    options = [option for option in all_options(known) if kept.get(option.name) is not None]
    before = {o.field: o.before for o in all_options(known) if o.name not in kept and o.before is not None}
    try:
        return known(**before, **{option.field: option.restore(kept[option.name]) for option in options})
    except UsageError as error:
        raise ResultError(f"the manifest's options are damaged: {error}; begin a new run") from error


def _option(field: msgspec.structs.FieldInfo) -> Option:
    marks = tuple(_marks(field.type))
    own = next((mark for mark in marks if isinstance(mark, Kind)), None)
    kind = own or PLAIN[_bare(field.type)]  # KeyError: the author's type needs a Kind
    help_text = next((mark.text for mark in marks if isinstance(mark, Help)), "")
    before = next((mark.value for mark in marks if isinstance(mark, Before)), None)
    return Option(field.encode_name, field.name, field.type, kind, field.default, help_text, before)


def _marks(hint: Any) -> Iterator[object]:
    """Yield what is in `Annotated` of a type, or of the type that is an alternative to None, the outermost first."""
    if get_origin(hint) is Annotated:
        yield from reversed(hint.__metadata__)
        yield from _marks(hint.__origin__)
    elif get_origin(hint) in (Union, UnionType):
        for one in get_args(hint):
            yield from _marks(one)


def _bare(hint: Any) -> Any:
    """Return the type without `Annotated` and without None."""
    if get_origin(hint) is Annotated:
        return _bare(hint.__origin__)
    if get_origin(hint) in (Union, UnionType):
        return _bare(next(one for one in get_args(hint) if one is not type(None)))
    return hint


def _bounds(hint: Any) -> str:
    """Return 'a number from 1 to 32 is needed'; "" for what has no such bounds."""
    bounds = next((mark for mark in _marks(hint) if isinstance(mark, Meta)), Meta())
    if bounds.ge is None:
        return ""
    return f"a number from {bounds.ge}{'' if bounds.le is None else f' to {bounds.le}'} is needed"
