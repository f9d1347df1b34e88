"""The name by which this program was called, in what the terminal shows.

Texts in the code, in stored runs and in documents write `tierscope COMMAND`. A clone has `./tierscope` alone, and its
script passes that name on. Text for the terminal (lines, help, errors) passes through `as_called`. Files keep the
text unchanged: a page is read on other machines, and equal runs give equal pages.
"""

import os
import pkgutil
import re
import shlex
from functools import cache
from pathlib import Path

NAME = "tierscope"
VARIABLE = "TIERSCOPE_CALLED"
COMMANDS = Path(__file__).parent / "cli" / "commands"


def called() -> str:
    """Return the name as one word of a shell: that of the script in a clone, else `tierscope`."""
    word = os.environ.get(VARIABLE, "")
    return shlex.quote(word) if word and word.isprintable() else NAME


def as_called(text: str) -> str:
    """Return `text` with the name in each command that it contains. A second pass changes nothing."""
    name = called()
    return text if name == NAME else _commands().sub(lambda _: name, text)


def places(text: str) -> list[tuple[int, int]]:
    """Return (first, end) of each `tierscope` in `text` that another name replaces."""
    return [] if called() == NAME else [match.span() for match in _commands().finditer(text)]


@cache
def _commands() -> re.Pattern[str]:
    """Return what finds our name before one of our commands or options; a path that ends in it is another file."""
    modules = {module.name.partition("_")[0] for module in pkgutil.iter_modules([str(COMMANDS)])}
    words = "|".join(sorted(map(re.escape, modules)))
    return re.compile(rf"(?<![\w./'-]){NAME}(?= (?:(?:{words})\b|--[a-z]))")
