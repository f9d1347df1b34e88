"""Values as MessagePack that come back bit for bit: 2 stays an int and 2.0 a float, a tuple stays a tuple.

A decoder that is led by types makes 2.0 of the 2 in a field that is annotated as float. This one is led by the values:

    None, bool, int, float, str    unchanged
    tuple, list                    [0 or 1, items ...]
    object                         [name of its class, fields ...]
    dict                           a map, whose keys are text

Objects are structs and dataclasses of the classes that the caller names. Any other value, such as a number of numpy or
an instance of a subclass, is a TypeError: it would come back as something else.
Source: MessagePack specification, 2013 (int and float are different families).
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import NoneType
from typing import Any

import msgspec

PLAIN = frozenset((NoneType, bool, int, float, str))
TUPLE, LIST = 0, 1

FAULTS = (msgspec.MsgspecError, TypeError, ValueError, LookupError, OverflowError)
"""The error of `packed` for a value without a faithful form, and of `unpacked` for bytes that no `packed` wrote."""


def packed(value: Any, kinds: Sequence[type]) -> bytes:
    """Return a value as MessagePack. kinds: the classes of objects in it."""
    return msgspec.msgpack.encode(_plain(value, {kind: names_of(kind) for kind in kinds}))


def unpacked(content: bytes, kinds: Sequence[type]) -> Any:
    """Return what `packed` was given."""
    return _whole(msgspec.msgpack.decode(content), {kind.__name__: (kind, names_of(kind)) for kind in kinds})


def _plain(value: Any, kinds: Mapping[type, tuple[str, ...]]) -> Any:
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind is tuple or kind is list:
        return [TUPLE if kind is tuple else LIST, *(_plain(one, kinds) for one in value)]
    if kind is dict and all(type(key) is str for key in value):
        return {key: _plain(one, kinds) for key, one in value.items()}
    if kind in kinds:
        return [kind.__name__, *(_plain(getattr(value, name), kinds) for name in kinds[kind])]
    raise TypeError(f"{kind.__name__} has no faithful form")


def _whole(value: Any, kinds: Mapping[str, tuple[type, tuple[str, ...]]]) -> Any:
    if isinstance(value, dict):
        return {key: _whole(one, kinds) for key, one in value.items()}
    if not isinstance(value, list):
        return value
    head, *rest = value
    items = [one if type(one) in PLAIN else _whole(one, kinds) for one in rest]
    if head in (TUPLE, LIST):
        return tuple(items) if head == TUPLE else items
    kind, names = kinds[head]
    return kind(**dict(zip(names, items, strict=True)))


def names_of(kind: type) -> tuple[str, ...]:
    """Return the fields of a class of objects; TypeError for a class that is neither a struct nor a dataclass."""
    if issubclass(kind, msgspec.Struct):
        return kind.__struct_fields__
    if is_dataclass(kind):
        return tuple(one.name for one in fields(kind))
    raise TypeError(f"{kind.__name__} is neither a struct nor a dataclass")
