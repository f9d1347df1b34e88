"""A file that has what a run will change of the machine, stored before the first write, so that anybody can restore it.

Only one run at a time has the file: an existing one is never replaced. It is on disk, with its name, before the caller
continues.
"""

import os
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from tierscope.errors import MachineError, reason

RESTORE = "sudo tierscope doctor --restore"

K = TypeVar("K", bound=msgspec.Struct)


class KeptFile(Generic[K]):
    """The file `path`, with a `kind` in it. content, changes, option: words for errors, such as 'prefetch='."""

    def __init__(self, path: Path, kind: type[K], *, content: str, changes: str, option: str) -> None:
        self.path = path
        self._kind, self._content, self._changes, self._option = kind, content, changes, option

    def read(self) -> K | None:
        """Return what a run stored and nobody has put back yet; MachineError for a file that is damaged."""
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=self._kind)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.DecodeError) as error:
            why = reason(error) if isinstance(error, OSError) else error
            raise MachineError(f"{self.path} cannot be read: {why}; it has {self._content}") from error

    def write(self, kept: K) -> None:
        """Store it; MachineError where another run has stored its own."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            try:
                os.write(handle, msgspec.json.encode(kept))
                os.fsync(handle)
            finally:
                os.close(handle)
            _sync(self.path.parent)
        except FileExistsError as error:
            raise MachineError(f"another run has changed {self._changes}, see {self.path}; {RESTORE}") from error
        except OSError as error:
            raise MachineError(f"{self.path} cannot be written: {reason(error)}; {self._option} needs root") from error

    def remove(self) -> None:
        """Remove the file, if it is still there."""
        self.path.unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
