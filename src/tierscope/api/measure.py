"""`tierscope run` from Python."""

import os
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from tierscope import stops
from tierscope.api.loaded import Run, load
from tierscope.errors import MachineError, TierscopeError, UsageError, reason, refusal
from tierscope.plans import SuiteOptions, suites
from tierscope.plans.options import AUTO, read_options
from tierscope.run.commands import typed
from tierscope.run.observer import Observer
from tierscope.run.start import OWN_GROUPS, begin, drop_if_empty, execute

Value = str | float | Iterable[str | float] | None
"""Of an option: the word of the command line, a number in base units, several of them, or None for auto."""


def run(
    suite: str, *, out: str | os.PathLike[str] | None = None, allow_commands: bool = False,
    observer: Observer | None = None, **options: Value,
) -> Run:  # fmt: skip
    """Measure a suite, or the groups of a file whose name ends in `.toml`; return the run, which stays on disk.

    options: those of `tierscope run SUITE --help`, such as `kernels=["triad"], threads=[1, 2]`; the option `from` is
    `from_` here. out: directory of the run, new or empty; None: `runs/TIME-SUITE-HOST`. allow_commands: start commands
    that the file names. observer: is called as the run goes on.

    Takes as long as the same command. UsageError for wrong names and values, MachineError for what this machine cannot
    do. An interruption leaves a run that `tierscope resume` continues.
    """
    words = {key.removesuffix("_"): word_of(value) for key, value in options.items()}
    name, chosen, text = _asked(suite, words)
    argv = ("tierscope", "run", suite, *(f"{key}={word}" for key, word in words.items()))

    def agree(commands: Iterable[str]) -> None:
        if text and not allow_commands and (found := list(commands)):
            raise UsageError(f"{suite} starts {', '.join(found)}; read the file, then give allow_commands=True")

    directory, manifest = begin(name, chosen, text, argv, None if out is None else Path(out), agree if text else typed)
    try:
        with stops.heard():
            with stops.held():  # a native module that is interrupted while it loads aborts the process
                import_module("duckdb")
            execute(directory, manifest, observer)
    except (TierscopeError, OSError) as error:
        told = error if isinstance(error, TierscopeError) else MachineError(refusal(error))
        if drop_if_empty(directory):
            raise told from error
        raise type(told)(f"{told}; what was measured is kept in {directory}; tierscope resume continues it") from error
    return load(directory)


def _asked(suite: str, words: dict[str, str]) -> tuple[str, SuiteOptions, str]:
    """Return the name of the suite, its options, and the text of a file of groups."""
    if not suite.endswith(".toml"):
        return suite, suites[suite].read(words), ""
    try:
        return OWN_GROUPS, read_options("a plan", SuiteOptions, words), Path(suite).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"plan {suite} cannot be read: {reason(error) if isinstance(error, OSError) else error}"
        ) from error


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
    raise UsageError(f"{value!r} is no value of an option; give a word, a number or a list of them")
