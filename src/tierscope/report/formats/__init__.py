"""Formats that runs can be written as: one file here is one format, and adds itself in its last line.

Base units throughout, unless a format states otherwise.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tierscope.errors import MachineError, UnknownNameError
from tierscope.files import write_atomically
from tierscope.record.result import Run
from tierscope.registry import Registry, unknown


@dataclass(frozen=True, slots=True)
class File:
    """One file of a report."""

    name: str  # below the directory of the report: "figures/scaling.svg"
    content: bytes


@dataclass(frozen=True, slots=True)
class Report:
    """One run as one file or several, by `tierscope report --format`. Equal runs give equal files."""

    help: str  # light Markdown, one sentence
    files: Callable[[Run], Iterator[File]]


@dataclass(frozen=True, slots=True)
class Export:
    """One run or several as one file for other programs, by `tierscope export --to`. Equal runs give equal bytes."""

    help: str  # light Markdown, one sentence
    render: Callable[[Sequence[Run]], bytes]  # raises UsageError if the runs contain nothing for this format
    text: bool = True  # it may be printed; otherwise it needs a file
    needs: str = ""  # the one table that it reads; "": any run that has a number
    blocks: bool = False  # whether it reads blocks, which runs of other tools do not have


@dataclass(frozen=True, slots=True)
class Format:
    """A format for reports, for exports, or for both."""

    name: str
    report: Report | None = None
    export: Export | None = None


class Formats(Registry[Format]):
    """The formats, and those of one use."""

    def reports(self) -> dict[str, Report]:
        """Return the formats of reports, by name."""
        return {name: found for name in self if (found := self[name].report)}

    def exports(self) -> dict[str, Export]:
        """Return the formats of exports, by name."""
        return {name: found for name in self if (found := self[name].export)}

    def report(self, name: str) -> Report:
        """Return a format of reports; UnknownNameError for any other."""
        if found := self.reports().get(name):
            return found
        other = f"; try tierscope export RUN --to {name}" if name in self else ""
        raise UnknownNameError(unknown("report format", name, list(self.reports())) + other)

    def export(self, name: str) -> Export:
        """Return a format of exports; UnknownNameError for any other."""
        if found := self.exports().get(name):
            return found
        other = f"; try tierscope report RUN --format {name}" if name in self else ""
        raise UnknownNameError(unknown("export format", name, list(self.exports())) + other)


formats = Formats("format", "tierscope.report.formats")


def write(name: str, run: Run, directory: Path) -> list[Path]:
    """Write a run as a report; return the paths of the files.

    Each file is replaced as a whole or not at all. Its name carries an origin that is not "real":
    report-simulated.html. `directory` is made if it is absent. MachineError if a folder in it is a link.
    """
    paths = []
    for file in formats.report(name).files(run):
        path = directory / _marked(file.name, run.result.origin)
        _make(path.parent, directory)
        write_atomically(path, file.content)
        paths.append(path)
    return paths


def _marked(name: str, origin: str) -> PurePosixPath:
    path = PurePosixPath(name)
    return path if origin == "real" else path.with_stem(f"{path.stem}-{origin}")


def _make(folder: Path, directory: Path) -> None:
    """Make the folder of a file; a link inside the directory could lead out of a foreign run."""
    if folder != directory and folder.is_symlink():
        raise MachineError(f"cannot write into {folder}: it is a link; remove it, or try --to ANOTHER_PLACE")
    folder.mkdir(parents=True, exist_ok=True)
