"""Importers: another tool's output becomes readings in base units.

One file is one format, and registers it in its last line. An importer reads text and nothing else. It refuses what it
does not know: a line that is cut off, an unknown unit, the decimal commas of another language. It reports what it
leaves out.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tierscope.errors import UsageError, reason
from tierscope.record.reading import Reading
from tierscope.record.result import Warn
from tierscope.reference import Match
from tierscope.registry import Registry

MOST_BYTES = 64 << 20  # of a file: outputs of these tools are some kilobytes; a dump of all bins of fio some megabytes


@dataclass(frozen=True, slots=True)
class Imported:
    """The content of a file."""

    tool: str  # with its version, if the file states it: "fio-3.33"
    readings: tuple[Reading, ...]
    warnings: tuple[Warn, ...] = ()
    method: str = ""  # how the tool measured, as far as its output and its documents state it; "": nobody knows


class Importer(Protocol):
    """One format."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str:
        """A description of the format, and where its units are documented."""

    @property
    def alike(self) -> tuple[Match, ...]:
        """Return what readings mean in our tables, in terms of `compare.alike`; () if no table contains the like."""

    def knows(self, text: str) -> bool:
        """Return whether the text looks like this format, whole or not."""

    def read(self, text: str) -> Imported:
        """Return the readings; UsageError if the text is cut off, or contains what this importer does not know."""


importers: Registry[Importer] = Registry("format", "tierscope.imports")


def read(path: Path, name: str = "", content: bytes | None = None) -> tuple[str, Imported]:
    """Return (format, content of the file). name: of the format; "": found by the look of the text.

    content: of the file, if it was read already, as a pipe can be read once.
    """
    text = _text(path, contents(path) if content is None else content)
    fitting = [name] if name else [each for each in importers if importers[each].knows(text)]
    if len(fitting) != 1:
        what = "could be any of " + ", ".join(fitting) if fitting else "is of no known format"
        raise UsageError(f"{path} {what}; name it with --as, one of {', '.join(importers)}")
    try:
        found = importers[fitting[0]].read(text)
    except UsageError as error:
        raise UsageError(f"{path} as {fitting[0]}: {error}") from error
    if not found.readings:
        raise UsageError(f"{path} as {fitting[0]}: it contains no result; was the program stopped before its end?")
    _refuse_impossible(path, found)
    return fitting[0], found


def _refuse_impossible(path: Path, found: Imported) -> None:
    """Raise UsageError unless times, rates and counts are finite and not negative; a Result cannot contain others."""
    for one in found.readings:
        for name, value in one.values.items():
            if not 0 <= value.value < math.inf:
                what = value.said or f"{value.value:g}"
                raise UsageError(f"{path}: {name} of {one.test!r} is {what}, which is impossible: the file is damaged")
        for name, label in one.labels.items():
            if isinstance(label, int) and not 0 <= label < 1 << 63:
                raise UsageError(f"{path}: {name} of {one.test!r} cannot be {label:.3e}: the file is damaged")


def contents(path: Path) -> bytes:
    """Return the content of a file or a pipe; UsageError if it cannot be read or is too long for these tools."""
    try:
        with path.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except IsADirectoryError as error:
        raise UsageError(f"{path} is a directory; name the file that the tool wrote") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {reason(error)}") from error
    if len(content) > MOST_BYTES:
        raise UsageError(f"{path} is larger than {MOST_BYTES >> 20} MiB, more than any output of these tools")
    return content


def _text(path: Path, content: bytes) -> str:
    """Return the content as UTF-8 without a byte-order mark and with single line feeds."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not text: {error.reason} at byte {error.start}") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")
