"""A thresholds file: what to measure, and what is asked of its numbers. TOML.

suite = "stream"           # default: check; or the name of a file of groups, relative to this one
[options]                  # of the suite, as on the command line
kernels = "read"
[[threshold]]              # one or more; see `check.threshold`
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tierscope.check.threshold import Threshold, read_threshold
from tierscope.errors import UnknownNameError, UsageError, reason
from tierscope.plans.options import word_of
from tierscope.registry import unknown

SUITE = "check"  # where the file names none
KEYS = ["suite", "options", "threshold"]


@dataclass(frozen=True, slots=True)
class CheckFile:
    """The content of a file. options: key=value words of the suite."""

    path: Path
    suite: str
    options: dict[str, str]
    thresholds: tuple[Threshold, ...]


def read_file(path: Path) -> CheckFile:
    """Return the file; UsageError that names the place, for any mistake in it but those of suite and options."""
    try:
        return read_text(path.read_text(encoding="utf-8"), path)
    except (OSError, UnicodeDecodeError) as error:
        why = reason(error) if isinstance(error, OSError) else error
        raise UsageError(
            f"thresholds file {path} cannot be read: {why}; make one with `tierscope check --write RUN --margin 10%`"
        ) from error


def read_text(text: str, path: Path) -> CheckFile:
    """Return the content of this text of a file."""
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a decode error, a number of 5000 digits, a thousand brackets
        raise UsageError(f"{path} is not TOML: {error}") from error
    for key in document:
        if key not in KEYS:
            raise UnknownNameError(f"{path}: {unknown('key', key, KEYS)}")
    suite, options = document.get("suite", SUITE), document.get("options", {})
    if not isinstance(suite, str):
        raise UsageError(f'{path}: suite={suite!r} is not text; try suite = "{SUITE}"')
    if not isinstance(options, dict):
        raise UsageError(f"{path}: options={options!r} is not a table; try [options] and key = value below it")
    return CheckFile(path, suite, _words(path, options), _thresholds(path, document.get("threshold")))


def _words(path: Path, options: dict[str, Any]) -> dict[str, str]:
    try:
        return {key: word_of(value) for key, value in options.items()}
    except UsageError as error:
        raise UsageError(f"{path}, options: {error}") from error


def _thresholds(path: Path, entries: Any) -> tuple[Threshold, ...]:
    if not isinstance(entries, list) or not entries:
        raise UsageError(f"{path} has no [[threshold]]; see docs/how-to/check.md")
    found = []
    for number, entry in enumerate(entries, 1):
        try:
            if not isinstance(entry, dict):
                raise UsageError("it is not a table")
            found.append(read_threshold(entry, number))
        except UsageError as error:
            raise type(error)(f"{path}, threshold {number}: {error}") from error
    return tuple(found)
