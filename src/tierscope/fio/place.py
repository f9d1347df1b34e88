"""Where the bytes of a run are: a file without a name, or a block device that nobody else has.

The file is created without a name (O_TMPFILE), or loses it immediately if the file system does not support that. fio
gets it as an open descriptor. So nothing is left behind however this process ends: the kernel frees the bytes with the
last descriptor. Blocks are reserved before anything is written, so a full disk is reported immediately.
Source: Linux, open(2) (O_TMPFILE, O_DIRECT), proc(5) (/proc/PID/fd).
"""

import mmap
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tierscope.errors import MachineError, reason
from tierscope.files import nameless
from tierscope.fio.device import check, open_alone
from tierscope.host.system import System
from tierscope.units import show_bytes

IN_MEMORY = ("tmpfs", "ramfs", "devtmpfs", "hugetlbfs")
"""File systems without storage below: some accept direct I/O and do nothing about it."""


@dataclass(frozen=True, slots=True)
class Place:
    """An open file or device of `size_bytes`; `close` ends it."""

    handle: int
    size_bytes: int
    file_system: str  # "" of a block device
    source: str  # "/dev/vda"

    @property
    def path(self) -> str:
        """Return the path by which a child that inherits the descriptor opens it again."""
        return f"/proc/self/fd/{self.handle}"

    def close(self) -> None:
        with suppress(OSError):
            os.close(self.handle)

    def refuses_direct(self, block_bytes: int) -> str:
        """Return why direct I/O of such blocks is not possible here; "" where it is."""
        if self.file_system in IN_MEMORY:
            return f"{self.file_system} keeps its files in memory"
        try:
            handle = os.open(self.path, os.O_RDWR | os.O_DIRECT | os.O_CLOEXEC)
        except OSError as error:
            return f"open with O_DIRECT: {reason(error)}"
        try:
            with mmap.mmap(-1, max(block_bytes, mmap.PAGESIZE)) as buffer:
                os.preadv(handle, [memoryview(buffer)[:block_bytes]], 0)
        except OSError as error:
            return f"direct read of {show_bytes(block_bytes)}: {reason(error)}"
        finally:
            os.close(handle)
        return ""


def on_device(path: str, size_bytes: int, system: System) -> Place:
    """Return a block device; raise MachineError where it is in use or too small."""
    device = check(path, system)
    if size_bytes > device.size_bytes:
        size = show_bytes(device.size_bytes)
        raise MachineError(f"{path} has {size}, fewer than {show_bytes(size_bytes)}; name a smaller size=")
    return Place(open_alone(device), size_bytes, "", f"/dev/{device.name}")


def in_folder(folder: str, size_bytes: int, system: System) -> Place:
    """Return a file without a name; MachineError if the folder cannot store it."""
    try:
        handle = nameless(Path(folder))
    except OSError as error:
        raise MachineError(f"no file can be made in {folder}: {reason(error)}; name another with path=") from error
    try:
        os.posix_fallocate(handle, 0, size_bytes)
    except OSError as error:
        os.close(handle)
        step = "free some space, or name a smaller size= or another path="
        raise MachineError(f"{folder} has no space for {show_bytes(size_bytes)}: {reason(error)}; {step}") from error
    return Place(handle, size_bytes, *file_system_of(folder, system))


def file_system_of(folder: str, system: System) -> tuple[str, str]:
    """Return (name of the file system, its device) of the mount that contains a folder; the longest path wins."""
    best = ("", "unknown", "unknown")
    real = os.path.realpath(folder)
    for line in (system.read("/proc/self/mountinfo") or "").splitlines():
        before, _, after = line.partition(" - ")
        words, rest = before.split(" "), after.split(" ")
        if len(words) > 4 and len(rest) > 1:
            point = words[4].encode().decode("unicode_escape") if "\\" in words[4] else words[4]
            inside = point in ("/", real) or real.startswith(f"{point}/")
            if inside and len(point) >= len(best[0]):
                best = (point, rest[0], rest[1])
    return best[1], best[2]
