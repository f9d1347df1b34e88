"""A file that has what a run will change of the machine, stored before the first write, so that anybody can restore it.

Only one run at a time has the file: an existing one is never replaced, unless it is of an earlier start of the machine.
A start has reset the machine, so what was stored before it is forgotten and never written. The file has its whole
content as soon as it has its name, and both are on disk before the caller continues. On a file system without hard
links, it is empty for a moment, and a kill then leaves it damaged, before the run has changed anything.
Blind to kexec, which starts a kernel without the firmware, and to two runs that forget one file at the same moment on a
file system without locks.
Source: Linux, link(2), flock(2), fsync(2).
"""

import errno
import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from tierscope.errors import MachineError, reason
from tierscope.host.boot import is_earlier
from tierscope.host.system import System

WITHOUT_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS)  # of link(2), where the file system has no hard links
RESTORE = "sudo tierscope doctor --restore"


class OfStart(msgspec.Struct, frozen=True, kw_only=True):
    """The content of such a file. boot: the start of the machine in which it was read, "" where it is not shown."""

    boot: str


K = TypeVar("K", bound=OfStart)


class KeptFile(Generic[K]):
    """The file `stored` below the root of a system, with a `kind` in it. Only files of this machine are written.

    content, changes, option: words for errors, such as 'the state of the prefetchers', 'the prefetchers', 'prefetch='.
    """

    def __init__(self, system: System, stored: str, kind: type[K], *, content: str, changes: str, option: str) -> None:
        self.stored = f"/{stored}"
        self.path = system.root / stored
        self._system = system
        self._kind, self._content, self._changes, self._option = kind, content, changes, option

    def read(self) -> K | None:
        """Return what a run stored and nobody has put back yet; MachineError for a file that is damaged."""
        content = self._system.bytes(self.stored)
        if content is None and self._system.why(self.stored) == "absent":
            return None
        try:
            return msgspec.json.decode(content or b"", type=self._kind)
        except msgspec.DecodeError as error:
            why = error if content is not None else self._system.why(self.stored).removeprefix("not readable: ")
            raise MachineError(f"{self.path} cannot be read: {why}; it has {self._content}") from error

    def is_earlier(self, kept: K) -> bool:
        """Return whether the machine was started again since this was stored; False where a start is not known."""
        return is_earlier(self._system, kept.boot)

    def of_this_start(self) -> K | None:
        """Return what is to be put back: what was stored, unless it is of an earlier start; MachineError if damaged."""
        kept = self.read()
        return None if kept is None or self.is_earlier(kept) else kept

    def refuse_left(self) -> None:
        """Raise MachineError where a run that was killed left the file in this start, or another run has it now."""
        if self.of_this_start() is not None:
            raise MachineError(f"a run has changed {self._changes} and has not put them back; if it ended: {RESTORE}")

    def write(self, kept: K) -> None:
        """Store it; MachineError where another run has stored its own in this start."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with _alone(self.path.parent) as locked:
                if locked:
                    self._remove_parts()
                self._forget_earlier()
                self._create(msgspec.json.encode(kept))
        except FileExistsError as error:
            raise MachineError(f"another run has changed {self._changes}, see {self.path}; {RESTORE}") from error
        except OSError as error:
            raise MachineError(f"{self.path} cannot be written: {reason(error)}; {self._option} needs root") from error

    def forget_earlier(self) -> bool:
        """Remove the file if it is of an earlier start, and return whether it was.

        Raises MachineError if it is damaged, or if this is not permitted.
        """
        try:
            self.path.stat()
            with _alone(self.path.parent):
                return self._forget_earlier()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise MachineError(f"{self.path} cannot be read: {reason(error)}; try as root, with sudo") from error

    def remove(self) -> None:
        """Remove the file, if it is still there; MachineError if that is not permitted."""
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise MachineError(f"{self.path} cannot be removed: {reason(error)}; try as root, with sudo") from error

    def _forget_earlier(self) -> bool:
        kept = self.read()
        if kept is None or not self.is_earlier(kept):
            return False
        self.remove()
        return True

    def _create(self, content: bytes) -> None:
        """Give the file its name once it has its content; FileExistsError where the name is taken."""
        part = self.path.with_name(f".{self.path.name}-{secrets.token_hex(8)}")
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        try:
            os.write(handle, content)
            os.fsync(handle)
            self._name(part)
        finally:
            os.close(handle)
            part.unlink(missing_ok=True)
        _sync(self.path.parent)

    def _name(self, part: Path) -> None:
        """Give the file its name; FileExistsError where it is taken. Without hard links, an empty file takes it."""
        try:
            os.link(part, self.path)
        except OSError as error:
            if error.errno not in WITHOUT_LINKS:
                raise
            os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644))
            try:
                part.replace(self.path)
            except OSError:
                self.path.unlink()
                raise

    def _remove_parts(self) -> None:
        """Remove what runs left that were killed before the file had its name. Call it only with the folder's lock."""
        for part in self.path.parent.iterdir():
            if part.name.startswith(f".{self.path.name}-"):
                part.unlink()


@contextmanager
def _alone(folder: Path) -> Iterator[bool]:
    """Keep other runs out of a folder, and yield whether that is so: not on a file system without locks."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        locked = False
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
            locked = True
        yield locked
    finally:
        os.close(handle)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
