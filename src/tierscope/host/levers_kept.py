"""Files of levers: what they had before a run, stored on disk before the first write, and put back.

Only files of `levers.WRITABLE` are written. The old text is written again as it was read.
"""

import fnmatch
import os
from collections.abc import Iterable
from pathlib import Path

from tierscope.errors import MachineError, reason
from tierscope.host.boot import boot_of
from tierscope.host.kept import KeptFile, OfStart
from tierscope.host.levers import WRITABLE, reads, same
from tierscope.host.system import System

STORED = "var/lib/tierscope/levers.json"
"""Below the root of the system: what the files had before a run changed them."""


class Kept(OfStart, frozen=True, kw_only=True):
    """The file STORED. files: path -> its text."""

    files: dict[str, str]


class KeptFiles:
    """The files below `root`. system: that reads them, if they are those of another machine."""

    def __init__(self, root: Path, system: System | None = None) -> None:
        self.root = root
        self.system = system or System(root)
        self.file = KeptFile(
            self.system, STORED, Kept, content="the settings of levers", changes="settings", option="this lever"
        )

    def kept(self) -> Kept | None:
        """Return what a run of this start stored and nobody has put back; MachineError for a file that is damaged."""
        return self.file.of_this_start()

    def keep(self, patterns: Iterable[str]) -> Kept:
        """Store what all files of these patterns have; MachineError where another run has stored its own."""
        paths = dict.fromkeys(path for pattern in patterns for path in self._paths(pattern))
        texts = {path: reads(self.system, path) for path in paths}
        if absent := next((path for path, text in texts.items() if text is None), None):
            raise MachineError(f"{absent} cannot be read, so that it could not be put back; name other levers=")
        kept = Kept(boot=boot_of(self.system), files={path: text for path, text in texts.items() if text is not None})
        self.file.write(kept)
        return kept

    def write(self, pattern: str, text: str) -> None:
        """Write a text to all files of a pattern, and read each back; MachineError where it is not what was written."""
        for path in self._paths(pattern):
            self._write(path, text)

    def put_back(self) -> None:
        """Write what the files had, and keep the stored file."""
        if (kept := self.kept()) is None:
            return
        for path, text in kept.files.items():
            if self.system.why(path) != "absent" and not same(reads(self.system, path), text):
                self._write(path, text)

    def restore(self) -> int:
        """Put back what was stored, and remove the file; return the number of files, 0 where nothing was written."""
        if self.file.forget_earlier() or (kept := self.kept()) is None:
            return 0
        self.put_back()
        self.file.remove()
        return len(kept.files)

    def _paths(self, pattern: str) -> list[str]:
        if pattern not in WRITABLE:
            raise MachineError(f"{pattern} is not a file of a lever; nothing was written")
        found = self.system.glob(pattern) if "*" in pattern else [pattern]
        if not found:
            raise MachineError(f"there is no {pattern} any more; name other levers=")
        return found

    def _write(self, path: str, text: str) -> None:
        if not any(fnmatch.fnmatchcase(path, pattern) for pattern in WRITABLE):
            raise MachineError(f"{path} is not a file of a lever; nothing was written")
        try:
            handle = os.open(self.system.place(path), os.O_WRONLY | os.O_CLOEXEC | os.O_TRUNC)
            try:
                os.write(handle, f"{text}\n".encode())
            finally:
                os.close(handle)
        except OSError as error:
            raise MachineError(f"write {text} to {path}: {reason(error)}; name other levers=") from error
        if not same(now := reads(self.system, path), text):
            raise MachineError(f"{path} is {now!r} after {text!r} was written; the kernel does not take it")
