"""`tierscope run` from Python."""

import os
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from tierscope import stops
from tierscope.api.loaded import Run, load
from tierscope.errors import MachineError, TierscopeError, UsageError, refusal
from tierscope.plans.options import Value, word_of
from tierscope.run.asked import asked
from tierscope.run.commands import typed
from tierscope.run.hosts import connected
from tierscope.run.observer import Observer
from tierscope.run.start import begin, drop_if_empty, execute


def run(
    suite: str, *, out: str | os.PathLike[str] | None = None, allow_commands: bool = False,
    observer: Observer | None = None, host: str | None = None, **options: Value,
) -> Run:  # fmt: skip
    """Measure a suite, or the groups of a file whose name ends in `.toml`; return the run, which stays on disk.

    options: those of `tierscope run SUITE --help`, such as `kernels=["triad"], threads=[1, 2]`. The option `from` is
    `from_` here. out: directory of the run, new or empty; None: `runs/TIME-SUITE-HOST`. allow_commands: start commands
    that the file names. observer: is called during the run. host: `ssh:NAME` of another machine; None: this one.

    Takes as long as the same command. UsageError for wrong names and values, MachineError for what this machine cannot
    do. An interruption leaves a run that `tierscope resume` continues.
    """
    words = {key.removesuffix("_"): word_of(value) for key, value in options.items()}
    name, chosen, text = asked(suite, words)
    argv = ("tierscope", "run", suite, *(f"{key}={word}" for key, word in words.items()))
    argv += ("--host", host) if host else ()

    def agree(commands: Iterable[str]) -> None:
        if text and not allow_commands and (found := list(commands)):
            raise UsageError(f"{suite} starts {', '.join(found)}; read the file, then give allow_commands=True")

    place = None if out is None else Path(out)
    with connected(host) as there:
        directory, manifest = begin(name, chosen, text, argv, place, agree if text else typed, there)
        try:
            with stops.heard():
                with stops.held():  # a native module that is interrupted while it loads aborts the process
                    import_module("duckdb")
                execute(directory, manifest, observer, there)
        except (TierscopeError, OSError) as error:
            told = error if isinstance(error, TierscopeError) else MachineError(refusal(error))
            if drop_if_empty(directory):
                raise told from error
            kept = f"what was measured is kept in {directory}; tierscope resume continues it"
            raise type(told)(f"{told}; {kept}") from error
    return load(directory)
