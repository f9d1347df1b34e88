"""Files that are written whole: a kill or a full disk at any moment leaves the old one or the new one.

A file of ours is written under a temporary name in the same folder, flushed and renamed; then its folder is flushed.
The writer keeps a lock on its temporary file, and the lock ends with the process. A temporary file without a lock was
left behind by a kill, and the next write in that folder removes it.
Source: Linux, open(2) (O_EXCL), rename(2), fsync(2) ("an explicit fsync() on a file descriptor for the directory is
also needed"), flock(2).
"""

import errno
import fcntl
import os
import re
import secrets
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from tierscope import stops
from tierscope.errors import reason

TEMPORARY = re.compile(r"\.tierscope-[0-9a-f]{16}\.part")
NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EACCES)  # of a folder: file systems without it, one that is not readable


def write_atomically(path: Path, content: bytes) -> None:
    """Replace a file whose name we chose as a whole or not at all. OSError names `path`.

    A link is replaced, not followed. A pipe or a device in its place is refused: it belongs to somebody else.
    """
    try:
        if not replaceable(path):
            raise OSError(errno.EEXIST, "a pipe, a device or a socket has this name")
        with stops.held():
            sweep(path.parent)
            _replace(path, content)
    except OSError as error:
        raise OSError(error.errno, reason(error), str(path)) from error


def cache_folder() -> Path | None:
    """Return our folder for what can be made again, of this user; None where there is no home.

    Source: freedesktop.org, XDG Base Directory Specification 0.8, 2021 ($XDG_CACHE_HOME).
    """
    folder = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        return (folder if folder.is_absolute() else Path.home() / ".cache") / "tierscope"
    except RuntimeError:
        return None


def write_to(path: Path, content: bytes) -> None:
    """Write where the user requests. OSError names `path`.

    A regular file is replaced as a whole. A pipe, a character device or the target of a link is written into.
    """
    if replaceable(path) and not path.is_symlink():
        write_atomically(path, content)
        return
    try:
        _write_into(path, content)
    except OSError as error:
        raise OSError(error.errno, reason(error), str(path)) from error


def replaceable(path: Path) -> bool:
    """Return whether nothing, a regular file or a link has this name."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return True
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISDIR(mode)  # a directory is refused by the rename


def sweep(folder: Path) -> None:
    """Remove the temporary files that killed processes left in a folder; those of live ones stay."""
    with suppress(OSError), os.scandir(folder) as entries:
        for name in [entry.name for entry in entries if TEMPORARY.fullmatch(entry.name)]:
            with suppress(OSError):  # a live writer has the lock, another sweep was faster, or it is not ours
                _remove_unlocked(folder / name)


def nameless(folder: Path) -> int:
    """Return an open file without a name, which is gone with its last descriptor, however the process ends.

    It uses O_TMPFILE, or a name that is removed immediately if the file system does not support that.
    """
    try:
        return os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT) or not folder.is_dir():
            raise
    handle, path = tempfile.mkstemp(prefix=".tierscope-", dir=folder)
    Path(path).unlink()
    return handle


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power failure from here on."""
    handle = -1
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        os.fsync(handle)
    except OSError as error:
        if error.errno not in NO_SYNC:
            raise
    finally:
        if handle >= 0:
            os.close(handle)


def _replace(path: Path, content: bytes) -> None:
    temporary, handle = _temporary(path.parent)
    try:
        try:
            _write_all(handle, content)
            os.fsync(handle)
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
    finally:
        os.close(handle)
    sync_folder(path.parent)


def _temporary(folder: Path) -> tuple[Path, int]:
    """Return a new file, locked by its writer."""
    while True:
        path = folder / f".tierscope-{secrets.token_hex(8)}.part"
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        with suppress(OSError):  # a file system without locks: nobody can sweep it there either
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            return path, handle
        os.close(handle)  # a sweep came between the two


def _remove_unlocked(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        path.unlink()
    finally:
        os.close(handle)


def _write_into(path: Path, content: bytes) -> None:
    with suppress(FileNotFoundError):  # a link that leads to no file yet
        there = path.stat()
        if stat.S_ISBLK(there.st_mode):
            raise OSError(errno.EPERM, "a block device would lose what it contains")
        for stream, number in ((sys.stdout, 1), (sys.stderr, 2)):
            if _is_open_as(number, there):  # /dev/stdout: a second open would truncate what it must append to
                if stream is not None:
                    stream.flush()
                _write_all(number, content)
                return
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOCTTY | os.O_CLOEXEC, 0o666)
    try:
        _write_all(handle, content)
    finally:
        os.close(handle)


def _is_open_as(number: int, there: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.fstat(number), there)
    except OSError:  # closed
        return False


def _write_all(handle: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        written = os.write(handle, left)
        if not written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        left = left[written:]


def is_there(path: Path | str) -> bool:
    """Return whether something has this name; False also for a name that cannot exist, or may not be asked about."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # too long, a loop of links; a zero byte
        return False
