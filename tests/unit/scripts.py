"""Load programs outside of packages: benchmarks and tools of packaging."""

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType


def module_of(path: Path, name: str) -> ModuleType:
    """Return the program as a module that nobody else finds by its name."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def with_neighbours(path: Path) -> Iterator[ModuleType]:
    """Load the program as if it was started: it finds the other files of its folder."""
    sys.path.insert(0, str(path.parent))
    try:
        yield module_of(path, f"{path.stem}_script")
    finally:
        sys.path.remove(str(path.parent))
