"""Options of a suite in the form of flags: `--threads=1,2` and `--threads 1,2` mean `threads=1,2`.

A flag of the command itself goes first. Suites are loaded only where a word is none of these flags.
"""

import difflib
from collections.abc import Collection
from typing import TYPE_CHECKING

from tierscope.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from tierscope.plans.options import Option

Flags = dict[str, bool]
"""The flags of the command: name with its hyphens -> whether a value follows."""


def options_of(suite: str) -> "tuple[Option, ...]":
    """Return the options of a suite, or of a file of groups; UnknownNameError for another name."""
    from tierscope.plans import SuiteOptions, suites
    from tierscope.plans.options import all_options

    return all_options(SuiteOptions if suite.endswith(".toml") else suites[suite].options)


def find_suite(words: list[str], flags: Flags) -> str:
    """Return the first word that is neither a flag nor the value of one; "" where there is none."""
    rest = iter(words)
    for word in rest:
        if word == "--":
            return next(rest, "")
        if not word.startswith("-") or word == "-":
            return word
        if flags.get(word, word.startswith("--") and "=" not in word and word not in flags):
            next(rest, "")
    return ""


def as_words(words: list[str], flags: Flags) -> list[str]:
    """Return the words with options of the suite as key=value, behind the others; UsageError for one without its value.

    A flag of the command with a slip is left to click, which names the flag that was meant. Any other
    becomes key=value too: the suite then names its own options.
    """
    suite = find_suite(words, flags)
    if not suite:
        return words
    known = _known(suite)
    found: list[str] = []
    asked: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.removeprefix("--").partition("=")
        if word == "--":
            return [*found, word, *rest, *asked]
        if not word.startswith("--") or f"--{name}" in flags or _slip(name, known, flags):
            found.append(word)
            if not equals and flags.get(word) and rest:
                found.append(rest.pop(0))
        elif equals:
            asked.append(f"{name}={value}")
        elif rest and not rest[0].startswith("--"):
            asked.append(f"{name}={rest.pop(0)}")
        elif name in known:
            raise UsageError(f"--{name} needs a value; its default is --{name}={known[name].show()}")
        else:
            found.append(word)
    return [*found, *asked]


def _known(suite: str) -> "dict[str, Option]":
    """Return the options by name; none of an unknown suite, which is refused later."""
    try:
        return {one.name: one for one in options_of(suite)}
    except UnknownNameError:
        return {}


def _slip(name: str, known: Collection[str], flags: Flags) -> bool:
    """Return whether a name is not the suite's, and nearer to a flag of the command than to an option of the suite."""
    if name in known:
        return False
    own = [flag.removeprefix("--") for flag in flags]
    near = difflib.get_close_matches(name, [*own, *known], n=1)
    return bool(near) and near[0] in own
