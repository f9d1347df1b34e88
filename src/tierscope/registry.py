"""An open list: entries add themselves in the last line of their file; installed plug-ins are found too."""

import difflib
import importlib
import pkgutil
from collections.abc import Iterator
from importlib.metadata import entry_points
from typing import Generic, Protocol, TypeVar

from tierscope.errors import UnknownNameError

FIRST = 3  # of the known names, before the others in their order
ALIKE, MEANT = 0.4, 0.6  # shares of letters in common: of a name that is listed first, and of one that may be meant


class Named(Protocol):
    """Every entry of a registry has a name."""

    @property
    def name(self) -> str: ...


Entry = TypeVar("Entry", bound=Named)


class Registry(Generic[Entry]):
    """Entries of one kind by name, in the order of their names.

    `package` is the folder whose modules register themselves when they are imported. With a `part`, it is a folder of
    folders, and of each one the modules whose names begin with that word are imported: "table" finds
    `stream/table.py` and `latency/levels.py`. A plug-in names its module under the entry-point group `group`,
    which is "tierscope.suites" and the like.
    """

    def __init__(self, kind: str, package: str, part: str = "", group: str = "") -> None:
        self.kind = kind
        self._package = package
        self._part = part
        self._group = group or package
        self._entries: dict[str, Entry] = {}
        self._loaded = False

    def add(self, entry: Entry) -> None:
        """Register an entry; two of one name are a fault of the programmer."""
        if entry.name in self._entries:
            raise ValueError(f"two {self.kind}s are named {entry.name}")
        self._entries[entry.name] = entry

    def __getitem__(self, name: str) -> Entry:
        self._load()
        if name in self._entries:
            return self._entries[name]
        raise UnknownNameError(unknown(self.kind, name, self._entries))

    def __contains__(self, name: str) -> bool:
        self._load()
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        self._load()
        return iter(sorted(self._entries))

    def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        for name in self._modules():
            importlib.import_module(name)
        for plug_in in entry_points(group=self._group):
            plug_in.load()

    def _modules(self) -> Iterator[str]:
        """Yield the dotted names of the modules that register entries."""
        for name, is_folder in _inside(self._package):
            if not self._part:
                yield name
            elif is_folder:
                parts = (inner for inner, _ in _inside(name))
                yield from (inner for inner in parts if inner.rpartition(".")[2].startswith(self._part))


def _inside(package: str) -> Iterator[tuple[str, bool]]:
    """Yield the dotted name of each module of a package, and whether it is a package itself."""
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        yield f"{package}.{module.name}", module.ispkg


def unknown(kind: str, name: str, known: "Iterator[str] | dict[str, Entry] | list[str]") -> str:
    """Return one line: what was asked, the nearest name, and all that is possible: the nearest first, then by name."""
    names = sorted(known)
    alike = {one: difflib.SequenceMatcher(None, one, name).ratio() for one in names}
    first = sorted((one for one in names if alike[one] >= ALIKE), key=lambda one: -alike[one])[:FIRST]
    hint = f"; did you mean {first[0]}?" if first and alike[first[0]] >= MEANT else ""
    return f"unknown {kind} {name!r}{hint} (known: {', '.join([*first, *(one for one in names if one not in first)])})"
