"""The types of `manifest.json` and `result.json`, samples, bins and warnings, for docs/reference/run-directory.md."""

import importlib
import inspect
from collections.abc import Iterator

import msgspec.inspect
import numpy as np
from msgspec.inspect import CollectionType, DictType, Field, Metadata, StructType, Type, UnionType

from tierscope.cli.reference import Part, grid, parts
from tierscope.cli.reference.command_line import wrapped
from tierscope.imports import importers
from tierscope.record.program import BIN, BIN_MEANINGS
from tierscope.record.result import Manifest, Result
from tierscope.record.samples import BLOCK, BLOCK_MEANINGS, FLAGS
from tierscope.record.warn import codes

PAGE = "docs/reference/run-directory.md"


def structs(*roots: type[msgspec.Struct]) -> list[StructType]:
    """Return the types that the roots contain, the roots first, each before its own parts, once."""
    found: dict[type, StructType] = {}
    for root in msgspec.inspect.multi_type_info(roots):
        _collect(root, found)
    return list(found.values())


def _collect(kind: Type, found: dict[type, StructType]) -> None:
    if isinstance(kind, StructType):
        if kind.cls in found:
            return
        found[kind.cls] = kind
    for inner in _inside(kind):
        _collect(inner, found)


def _inside(kind: Type) -> Iterator[Type]:
    match kind:
        case StructType():
            yield from (field.type for field in kind.fields)
        case Metadata():
            yield kind.type
        case UnionType():
            yield from kind.types
        case CollectionType():
            yield kind.item_type
        case DictType():
            yield kind.value_type
        case msgspec.inspect.TupleType():
            yield from kind.item_types


def meaning(field: Field) -> str:
    """Return the description of a field; "" without one."""
    schema = field.type.extra_json_schema if isinstance(field.type, Metadata) else None
    return str((schema or {}).get("description", ""))


def section(kind: StructType) -> str:
    """Return heading, docstring and keys of a type. A tagged one has a key for its tag, too."""
    rows = [(f"`{field.encode_name}`", meaning(field)) for field in kind.fields]
    if kind.tag_field:
        rows.insert(0, (f"`{kind.tag_field}`", f"`{kind.tag}`"))
    text = wrapped(inspect.getdoc(kind.cls) or "")
    return f"## `{kind.cls.__name__}`\n\n{text}\n\n{grid('key | meaning', rows)}"


def _types() -> str:
    return "\n\n".join(section(kind) for kind in structs(Manifest, Result))


def columns(kind: np.dtype[np.void], meanings: dict[str, str]) -> str:
    """Return the table of the columns of a file of blocks or bins."""
    return grid(
        "column | type | meaning", [(f"`{name}`", str(kind[name]), meanings[name]) for name in kind.names or ()]
    )


def _flags() -> str:
    return grid("flag | bit: | meaning", [(name, str(bit), text) for name, (bit, text) in FLAGS.items()])


def meanings_of_codes() -> dict[str, str]:
    """Return code -> what is in doubt, in the order of the codes, of the runner and of all importers."""
    for name in ("tierscope.run.bare", "tierscope.run.doubts", "tierscope.run.start"):
        importlib.import_module(name)  # which states its own codes, as each importer does
    list(importers)
    return dict(sorted(codes.items()))


def _codes() -> str:
    return grid("code | doubt", [(f"`{code}`", text) for code, text in meanings_of_codes().items()])


parts.add(Part("types", PAGE, _types))
parts.add(Part("columns-of-samples", PAGE, lambda: columns(BLOCK, BLOCK_MEANINGS)))
parts.add(Part("flags-of-samples", PAGE, _flags))
parts.add(Part("columns-of-bins", PAGE, lambda: columns(BIN, BIN_MEANINGS)))
parts.add(Part("codes-of-warnings", PAGE, _codes))
