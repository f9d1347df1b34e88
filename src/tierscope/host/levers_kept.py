"""Files of levers: what they had before a run, stored on disk before the first write, and put back.

Only files of `levers.WRITABLE` are written. Their text is written back as it was read. Values from
before the last boot are not written: the kernel has set its own since.
"""

import fnmatch
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from tierscope.errors import MachineError, reason
from tierscope.host.boot import boot_of
from tierscope.host.levers import WRITABLE, reads, same
from tierscope.host.system import System
from tierscope.record.experiment import Setting

STORED = "var/lib/tierscope/levers.json"
"""Below the root of the system: what the files had before a run changed them."""
RESTORE = "sudo tierscope doctor --restore"


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """The file STORED. files: path -> its text. boot: of the system that it was read in."""

    boot: str
    files: dict[str, str]


class KeptFiles:
    """The files below `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.system = System(root)
        self.stored = root / STORED

    def kept(self) -> Kept | None:
        """Return what a run stored and nobody has put back; MachineError for a file that is damaged."""
        try:
            return msgspec.json.decode(self.stored.read_bytes(), type=Kept)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.DecodeError) as error:
            why = reason(error) if isinstance(error, OSError) else error
            raise MachineError(f"{self.stored} cannot be read: {why}; it has the settings of levers") from error

    def keep(self, settings: Iterable[Setting]) -> Kept:
        """Store what all files of these settings have; MachineError where another run has stored its own."""
        paths = dict.fromkeys(path for setting in settings for path in self._paths(setting.path))
        texts = {path: reads(self.system, path) for path in paths}
        if absent := next((path for path, text in texts.items() if text is None), None):
            raise MachineError(f"{absent} cannot be read, so that it could not be put back; name other levers=")
        kept = Kept(boot=boot_of(self.system), files={path: text for path, text in texts.items() if text is not None})
        try:
            self.stored.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.stored, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            try:
                os.write(handle, msgspec.json.encode(kept))
                os.fsync(handle)
            finally:
                os.close(handle)
        except FileExistsError as error:
            raise MachineError(f"another run has changed settings, see {self.stored}; {RESTORE}") from error
        except OSError as error:
            raise MachineError(f"{self.stored} cannot be written: {reason(error)}; this lever needs root") from error
        return kept

    def write(self, setting: Setting) -> None:
        """Write a setting to all its files, and read each back; MachineError where it is not what was written."""
        for path in self._paths(setting.path):
            self._write(path, setting.text)

    def put_back(self) -> None:
        """Write what the files had, and keep the stored file."""
        if (kept := self.kept()) is None:
            return
        for path, text in kept.files.items():
            if self.system.why(path) != "absent" and not same(reads(self.system, path), text):
                self._write(path, text)

    def restore(self) -> int:
        """Put back what was stored, and remove the file; return the number of files, 0 where nothing was stored."""
        kept = self.kept()
        if kept is None:
            return 0
        earlier = "" not in (now := boot_of(self.system), kept.boot) and kept.boot != now
        if not earlier:
            self.put_back()
        self.stored.unlink(missing_ok=True)
        return 0 if earlier else len(kept.files)

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
