"""Suites from the host on the core inside, and what their runs left."""

from pathlib import Path
from typing import Any

from tierscope.cli.words import read_words
from tierscope.plans import suites
from tierscope.record.result import Run, load
from tierscope.report.formats.json import document
from tierscope.run.start import begin, execute

Rows = list[dict[str, Any]]


def done(out: Path, suite: str, *words: str) -> Run:
    """The whole run, loaded from its directory."""
    directory, manifest = begin(suite, suites[suite].read(read_words(words)), "", ("tierscope", suite), out / suite)
    assert execute(directory, manifest).complete
    run = load(directory)
    assert run.result.origin == "emulated"
    return run


def rows_of(run: Run, table: str) -> Rows:
    return [row for row in document(run)["rows"] if row["table"] == table]
