"""Names that tests and benchmarks take from modules of the project, and that these modules do not have.

mypy reads only src/, so a test that takes a name which src/ has lost fails late, when pytest collects it. This check
reads the text alone: `from module import name`, `module.name`, and what `monkeypatch.setattr` replaces.
"""

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

FOLDERS = ("benchmarks", "tests")
GIVEN = frozenset(("__doc__", "__file__", "__name__", "__path__"))  # Python gives these to every module
IGNORED = "# imported: as is"
"""Ends a line that takes a name which a test makes, or which must be absent."""

Nodes = dict[type[ast.AST], list[Any]]
"""The nodes of a file by their type."""


def missing_names(root: Path) -> list[str]:
    """Return one line for each name that is missing: 'tests/unit/test_x.py:7: tierscope.units has no name GIB'.

    Modules outside the project are left alone. A name that a module makes while it runs must be in its text, too, for
    example below `if TYPE_CHECKING`.
    """
    options = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    places = (root / "src", *(root / folder for folder in options["pythonpath"]))
    paths = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*.py"))]
    return [f"{path.relative_to(root)}:{fault}" for path in paths for fault in _faults(path, (*places, path.parent))]


def _faults(path: Path, places: tuple[Path, ...]) -> Iterator[str]:
    text = path.read_text()
    nodes: Nodes = defaultdict(list)
    for node in ast.walk(ast.parse(text)):
        nodes[type(node)].append(node)
    lines = text.splitlines()
    for line, dotted, name in _taken(nodes, places):
        if not _has(dotted, name, places) and not lines[line - 1].endswith(IGNORED):
            yield f"{line}: {dotted} has no name {name}"


def _taken(nodes: Nodes, places: tuple[Path, ...]) -> Iterator[tuple[int, str, str]]:
    """Yield each name that a file takes from a module: the line, the module, the name."""
    for node in nodes[ast.Import]:
        parts = (alias.name.rpartition(".") for alias in node.names)
        yield from ((node.lineno, above, name) for above, _, name in parts if above)
    for node in nodes[ast.ImportFrom]:
        yield from ((node.lineno, node.module, alias.name) for alias in node.names)
    yield from _replaced_by_path(nodes[ast.Call], places)
    modules = _modules(nodes, places)
    for line, name, attribute in (*_attributes(nodes[ast.Attribute]), *_replaced(nodes[ast.Call])):
        if name in modules:
            yield line, modules[name], attribute


def _modules(nodes: Nodes, places: tuple[Path, ...]) -> dict[str, str]:
    """Return the modules of the project by the name that a file uses, if it uses that name for nothing else."""
    modules: dict[str, str] = {}
    others = {node.id for node in nodes[ast.Name] if isinstance(node.ctx, ast.Store)}
    others |= {node.arg for node in nodes[ast.arg]}
    for alias in (alias for node in nodes[ast.Import] for alias in node.names):
        dotted = alias.name if alias.asname else alias.name.partition(".")[0]  # `import a.b` binds a
        modules[alias.asname or dotted] = dotted
    for source, alias in ((node.module, alias) for node in nodes[ast.ImportFrom] for alias in node.names):
        dotted, name = f"{source}.{alias.name}", alias.asname or alias.name
        if _found(dotted, places):
            modules[name] = dotted
        else:
            others.add(name)
    return {name: dotted for name, dotted in modules.items() if name not in others}


def _attributes(nodes: Iterable[ast.Attribute]) -> Iterator[tuple[int, str, str]]:
    """Yield the line and both names of each `module.name`."""
    return ((node.lineno, node.value.id, node.attr) for node in nodes if isinstance(node.value, ast.Name))


def _replaced(nodes: Iterable[ast.Call]) -> Iterator[tuple[int, str, str]]:
    """Yield the same of each `monkeypatch.setattr(module, "name", ...)`; `raising=False` allows an absent name."""
    for node in nodes:
        match node:
            case ast.Call(
                func=ast.Attribute(attr="setattr"), args=[ast.Name(id=module), ast.Constant(value=str(name)), _]
            ) if not node.keywords:
                yield node.lineno, module, name


def _replaced_by_path(nodes: Iterable[ast.Call], places: tuple[Path, ...]) -> Iterator[tuple[int, str, str]]:
    """Yield the module and its name of each `monkeypatch.setattr("module.name", ...)`."""
    for node in nodes:
        match node:
            case ast.Call(func=ast.Attribute(attr="setattr"), args=[ast.Constant(value=str(dotted)), _]):
                parts = dotted.split(".")
                ends = (end for end in range(len(parts) - 1, 0, -1) if _found(".".join(parts[:end]), places))
                yield from ((node.lineno, ".".join(parts[:end]), parts[end]) for end in islice(ends, 1))


@cache
def _has(dotted: str, name: str, places: tuple[Path, ...]) -> bool:
    """Return whether a module has a name; a module outside the project has any."""
    if not _found(dotted.partition(".")[0], places):
        return True
    path = _found(dotted, places)
    return path is not None and (name in _names(path) or _found(f"{dotted}.{name}", places) is not None)


@cache
def _found(dotted: str, places: tuple[Path, ...]) -> Path | None:
    """Return the file or folder of a module of the project, None if none of `places` has it."""
    for place in places:
        base = place.joinpath(*dotted.split("."))
        for path in (base.with_suffix(".py"), base / "__init__.py", base):
            if path.exists():
                return path
    return None


@cache
def _names(path: Path) -> frozenset[str]:
    """Return the names that the text of a module binds outside its functions and classes."""
    return GIVEN if path.is_dir() else GIVEN.union(_bound(ast.parse(path.read_text())))


def _bound(tree: ast.AST) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from (alias.asname or alias.name.split(".")[0] for alias in names)
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.stmt() | ast.Tuple() | ast.List() | ast.Starred() | ast.ExceptHandler() | ast.match_case():
                yield from _bound(node)
