"""The old values of settings that were changed, in /run/tierscope/settings.json until they are put back.

The file is written whole before the first setting changes, so a kill at any moment leaves all that is needed. It names
the boot of the kernel (/proc/sys/kernel/random/boot_id): a restart puts every setting back by itself.
Source: Linux, random(4), boot_id; file-hierarchy(7), /run.
"""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from tierscope.errors import MachineError, ResultError, reason
from tierscope.files import write_atomically
from tierscope.host.boot import BOOT_ID, boot_of
from tierscope.host.system import System

FOLDER = "/run/tierscope"


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One file of one setting: the check that wants it, its text before, and the text to write."""

    check: str
    path: str
    old: str
    new: str


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """All changes since this boot that were not put back, in the order of their writing."""

    boot: str
    changes: tuple[Change, ...]


def load(system: System) -> Kept | None:
    """Return what is kept, of this boot or an older one; None for nothing. ResultError for a damaged file."""
    path = _file(system)
    try:
        return msgspec.json.decode(path.read_bytes(), type=Kept)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise MachineError(f"read {path}: {reason(error)}; it contains the old settings; try as root") from error
    except msgspec.DecodeError as error:
        raise ResultError(f"read {path}: {error}; restart the machine, or write the old settings by hand") from error


def of_this_boot(system: System) -> tuple[Change, ...]:
    """Return the changes that a restore would put back: none after a restart."""
    kept = load(system)
    return kept.changes if kept is not None and kept.boot == boot(system) else ()


def keep(system: System, changes: Sequence[Change]) -> None:
    """Add changes before they are made; the oldest value of each file stays. MachineError if that cannot be stored."""
    before = of_this_boot(system)
    known = {change.path for change in before}
    new = tuple(change for change in changes if change.path not in known)
    store(system, before + new)


def store(system: System, changes: tuple[Change, ...]) -> None:
    """Replace what is kept; no changes remove the file."""
    path = _file(system)
    try:
        if changes:
            path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            write_atomically(path, msgspec.json.encode(Kept(boot=boot(system), changes=changes)))
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise MachineError(
            f"keep the old settings in {path}: {reason(error)}; nothing was changed; try as root, with sudo"
        ) from error


def boot(system: System) -> str:
    """Return which start of the kernel this is. MachineError where it does not show it."""
    found = boot_of(system)
    if not found:
        raise MachineError(f"read {BOOT_ID}: {system.why(BOOT_ID)}; without it, a restart would go unnoticed")
    return found


@contextmanager
def alone(system: System) -> Iterator[None]:
    """Wait until no other `doctor --apply` or `--restore` runs, and keep others out.

    Raises MachineError if the folder cannot be used.
    """
    folder = _file(system).parent
    try:
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise MachineError(
            f"keep the old settings in {folder}: {reason(error)}; nothing was changed; try as root, with sudo"
        ) from error
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _file(system: System) -> Path:
    return Path(system.place(f"{FOLDER}/settings.json"))
