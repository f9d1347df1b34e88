"""The commands that repeat a run, or one table of it, ready to type."""

import shlex
from pathlib import Path

from tierscope.errors import ResultError
from tierscope.plans import suites
from tierscope.record.result import Run, load_manifest

PLACES = ("--out", "--json")
"""Options of `run` whose value is a place for results."""


def whole(run: Run) -> list[tuple[str, str]]:
    """Return (label, command) to repeat all: the argv of the manifest, and `rerun` of its directory if it is ours."""
    if run.result.origin == "imported":
        return [("The command of this run:", typed(run))]
    again = f"tierscope rerun {shlex.quote(run.path.name or '.')}"
    return [("The command of this run:", typed(run)), ("Repeat it from its directory:", again)]


def alone(run: Run, table: str) -> list[tuple[str, str]]:
    """Return (label, command) that repeats `table`; its own suite where that is not the run's own."""
    suite = table.replace("_", "-")
    repeat = [("Repeat it:", typed(run))]
    if suite not in suites or suite == run.result.suite:
        return repeat
    return [("This alone:", f"tierscope run {suite}"), *repeat]


def typed(run: Run) -> str:
    """Return argv as one line of shell; without a manifest, what the result knows of it."""
    try:
        argv = load_manifest(run.path).argv
    except ResultError:
        options = [f"{key}={value}" for key, value in run.result.options.items() if value is not None]
        argv = ("tierscope", "run", run.result.suite, *options)
    program, *rest = argv or ("tierscope",)
    return shlex.join([Path(program).name, *_asked(rest)])


def changed(run: Run, options: dict[str, str]) -> str:
    """Return the command of the run with other values of some options, which it may not have named."""
    forms = tuple(form for key in options for form in (f"{key}=", f"--{key}="))
    kept = shlex.join(word for word in shlex.split(typed(run)) if not word.startswith(forms))
    return f"{kept} {' '.join(f'{key}={value}' for key, value in options.items())}"


def _asked(words: list[str]) -> list[str]:
    """Return the arguments without the directory of the results: it is taken now, and names a place on one machine."""
    kept = []
    skip = False
    for word in words:
        if not skip and word not in PLACES and not word.startswith(tuple(f"{place}=" for place in PLACES)):
            kept.append(word)
        skip = not skip and word in PLACES
    return kept
