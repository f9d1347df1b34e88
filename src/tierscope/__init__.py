"""Tierscope measures, models and predicts every tier of a machine's memory.

From Python, with the names of the command line: `tierscope.run`, `tierscope.load`, `tierscope.compare`. See `api`.
"""

from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from tierscope.api import Comparison as Comparison
    from tierscope.api import Run as Run
    from tierscope.api import Table as Table
    from tierscope.api import compare as compare
    from tierscope.api import load as load
    from tierscope.api import run as run

LAZY = ("Comparison", "Run", "Table", "load")
"""Names of `api`, loaded when they are asked for: `import tierscope` stays fast."""
COMMANDS = ("run", "compare")
"""Folders of modules that are called like functions: see `Command`."""


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in COMMANDS:
        return import_module(f"{__name__}.{name}")
    if name in LAZY:
        return getattr(import_module(f"{__name__}.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class Command(ModuleType):
    """A folder of modules that is called as the function of the same name in `api`: `tierscope.run("quick")`.

    A submodule takes the place of a function of its name once it is imported, so the folder itself is the function.
    """

    def __call__(self, *words: Any, **options: Any) -> Any:
        from tierscope import api

        return getattr(api, self.__name__.rpartition(".")[2])(*words, **options)
