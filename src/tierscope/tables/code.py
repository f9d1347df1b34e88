"""The code that judges, as one digest: what was judged by other code is judged again.

A digest and no number, since a number that people raise by hand is forgotten. All files of the program are part of it:
which of them a judgement can use changes with the program.
"""

import hashlib
import inspect
from functools import cache, lru_cache
from pathlib import Path
from types import FunctionType

SUFFIXES = (".py", ".toml", ".csv")  # modules, metrics of processors, published tables


def code() -> str | None:
    """Return the digest of the program and of what makes the rows of every table; None where a maker has no file.

    A table may come from another package, and a program may put another function in the place of `rows`.
    """
    from tierscope.tables import tables

    return _with(tuple((name, tables[name].maker) for name in tables))


@lru_cache(maxsize=4)
def _with(makers: tuple[tuple[str, FunctionType], ...]) -> str | None:
    found = hashlib.sha256(_program().encode())
    for name, rows in makers:
        try:
            file = _of_file(inspect.getfile(rows))
        except (OSError, TypeError):  # typed into an interpreter, or of a compiled module
            return None
        found.update(f" {name} {rows.__qualname__} {rows.__code__.co_firstlineno} {file}".encode())
    return found.hexdigest()


@cache
def _program() -> str:
    package = Path(__file__).resolve().parents[1]
    found = hashlib.sha256()
    for path in sorted(path for path in package.rglob("*.*") if path.suffix in SUFFIXES):
        found.update(path.read_bytes())
    return found.hexdigest()


@cache
def _of_file(name: str) -> str:
    return hashlib.sha256(Path(name).read_bytes()).hexdigest()
