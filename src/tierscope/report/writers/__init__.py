"""Writers: each puts a whole run into files of one format."""

from pathlib import Path
from typing import Protocol

from tierscope.errors import MachineError
from tierscope.record.result import Run
from tierscope.registry import Registry


class Writer(Protocol):
    """One format. Every file is replaced as a whole or not at all, and equal runs give equal files."""

    @property
    def name(self) -> str: ...

    def write(self, run: Run, directory: Path) -> list[Path]:
        """The files written below `directory`, which is made if absent; names carry an origin that is not "real"."""
        ...


def file_name(stem: str, run: Run, ending: str) -> str:
    """'report.html', 'report-simulated.html'."""
    origin = run.result.origin
    return f"{stem}.{ending}" if origin == "real" else f"{stem}-{origin}.{ending}"


def folder_of(directory: Path, name: str) -> Path:
    """Make the folder of a writer; MachineError for a link, which could lead out of a foreign run."""
    folder = directory / name
    if folder.is_symlink():
        raise MachineError(f"cannot write into {folder}: it is a link; remove it, or try --to ANOTHER_PLACE")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


writers: Registry[Writer] = Registry("writer", "tierscope.report.writers")
