"""The owner of a run folder: one process, by a lock on the folder from before the first byte until it ends.

The state of a folder at each moment, also after a kill.

- nothing in it, or temporary files alone: free; the kill came before the manifest, and nothing was measured
- the manifest of an import without a result: free; the import is done again
- a manifest, with or without a result: a run, and `resume` continues it
- anything else: somebody else's

Source: Linux, flock(2): a lock belongs to the open file and ends with its last descriptor.
"""

import errno
import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tierscope.errors import ResultError, UsageError
from tierscope.files import TEMPORARY, sweep
from tierscope.imports.store import KEPT, SUITE
from tierscope.record.result import load_manifest

HANDLES: dict[tuple[int, int], int] = {}
"""The locks of the folders that this process owns, by device and inode."""
WRITTEN = ("manifest.json", "result.json")
FOLDERS = ("samples", "tables", "figures", KEPT)
OLDER = re.compile(r"\.(manifest|result|report[a-z-]*)\.[a-z]+\.[0-9]+|\.[0-9]+(-bins)?\.parquet\.part")
"""Temporary files of earlier versions, which wrote them under this lock."""


def own(directory: Path) -> bool:
    """Take the lock and remove what killed writers left; False where we have it. UsageError where another process has
    it.
    """
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    if _key(os.fstat(handle)) in HANDLES:
        os.close(handle)
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(handle), directory.stat()):
            raise FileNotFoundError(errno.ENOENT, "another tierscope removed it meanwhile", str(directory))
    except BlockingIOError as error:
        os.close(handle)
        raise UsageError(
            f"{directory} is being written by another tierscope; wait for it, or name another directory"
        ) from error
    except BaseException:
        os.close(handle)
        raise
    HANDLES[_key(os.fstat(handle))] = handle
    _clean(directory)
    return True


def release(directory: Path) -> None:
    """Release the lock, where this process has it."""
    with suppress(OSError):
        _let_go(_key(directory.stat()))


@contextmanager
def owned(directory: Path) -> Iterator[None]:
    """Claim the folder within the block, and free it for others afterwards."""
    own(directory)
    try:
        yield
    finally:
        release(directory)


def is_free(directory: Path) -> bool:
    """Return whether a folder that we own is empty; the half of an import is removed."""
    if _is_half_import(directory):
        _remove(directory)
    return not any(directory.iterdir())


def is_begun(directory: Path) -> bool:
    """Return whether a folder contains temporary files alone: a run that was stopped before its manifest."""
    try:
        return all(TEMPORARY.fullmatch(path.name) or OLDER.fullmatch(path.name) for path in directory.iterdir())
    except OSError:
        return False


def abandon(directory: Path) -> None:
    """Remove a run that we own, and its folder where nobody else has files in it; and release the lock."""
    key = _key(directory.stat())
    _remove(directory)
    with suppress(OSError):  # it has files of others, or is a mount point
        directory.rmdir()
    _let_go(key)


def sweep_begun(parent: Path, name: re.Pattern[str]) -> None:
    """Remove folders of such names that killed processes left before anything was measured."""
    with suppress(OSError):
        for path in list(parent.iterdir()):
            if name.fullmatch(path.name) and (is_begun(path) or _is_half_import(path)):
                with suppress(OSError, UsageError):  # somebody works there
                    if own(path):
                        if is_free(path):
                            abandon(path)
                        release(path)


def _key(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _let_go(key: tuple[int, int]) -> None:
    if (handle := HANDLES.pop(key, None)) is not None:
        os.close(handle)


def _clean(directory: Path) -> None:
    """Remove leftovers of dead writers. Ours is the lock, so older names, which have none, are dead too."""
    for folder in (directory, *(directory / name for name in FOLDERS)):
        sweep(folder)
        with suppress(OSError):
            for path in [path for path in folder.iterdir() if OLDER.fullmatch(path.name)]:
                path.unlink()


def _is_half_import(directory: Path) -> bool:
    if (directory / "result.json").exists():
        return False
    try:
        return load_manifest(directory).suite == SUITE
    except ResultError:
        return False


def _remove(directory: Path) -> None:
    """Yield what we wrote; the manifest last, since it identifies the owner of the rest."""
    _clean(directory)
    for name in ("samples", KEPT):
        shutil.rmtree(directory / name, ignore_errors=True)
    for name in reversed(WRITTEN):
        (directory / name).unlink(missing_ok=True)
