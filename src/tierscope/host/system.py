"""The text files in which the system reports: `/proc` and `/sys` of this machine, or a recorded tree in a test.

Every path is taken below `root` and cannot leave it. Nothing here raises because of a file: what is absent, forbidden
or nonsense is None, and `why` distinguishes absent from forbidden.
"""

import glob
import os
import re
import stat
import time
from collections.abc import Callable
from pathlib import Path

LARGEST_BYTES = 8 << 20  # /proc/cpuinfo of 4096 CPUs is about 6 MiB; no file read here is larger
LARGEST_CPU = 1 << 16  # 8x the most CPUs that Linux can be built for on x86 (NR_CPUS 8192)


class System:
    """The files below `root`. `wait` sleeps for some seconds; a test passes its own."""

    def __init__(self, root: Path | str = "/", wait: Callable[[float], None] = time.sleep) -> None:
        self.root = Path(root)
        self.wait = wait

    def place(self, path: str) -> str:
        """Return where a path of the system is here; it cannot leave `root`."""
        return str(self.root) + os.path.normpath("/" + path.lstrip("/"))

    def _bytes(self, path: str, limit: int) -> bytes:
        with open(self.place(path), "rb", buffering=0) as stream:
            parts = []
            while limit > 0 and (part := stream.read(min(limit, 1 << 16))):
                parts.append(part)
                limit -= len(part)
            return b"".join(parts)

    def bytes(self, path: str) -> bytes | None:
        """Return the first LARGEST_BYTES of a file, or None."""
        try:
            return self._bytes(path, LARGEST_BYTES)
        except (OSError, ValueError):  # ValueError: a name with a zero byte
            return None

    def read(self, path: str, limit: int = LARGEST_BYTES) -> str | None:
        """Return the text without outer white space; None when absent or forbidden. `limit` in bytes saves time."""
        try:
            return self._bytes(path, limit).decode(errors="replace").strip("\0 \t\r\n")
        except (OSError, ValueError):
            return None

    def why(self, path: str) -> str:
        """Return why `read` gave None: "absent", "not readable: Permission denied"; "readable" if it did not."""
        try:
            self._bytes(path, 1)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return "absent"
        except OSError as error:
            return f"not readable: {error.strerror}"
        return "readable"

    def number(self, path: str) -> int | None:
        """Return the whole number in a file; None for anything else."""
        return whole(self.read(path, 64))

    def count(self, path: str) -> int | None:
        """Return the number in a file, 0 to 2^63 - 1, decimal or 0x and hexadecimal; None for anything else."""
        text = self.read(path, 64) or ""
        number = int(text, 16) if re.fullmatch(r"0x[0-9a-fA-F]{1,16}", text) else whole(text)
        return number if number is not None and 0 <= number < 1 << 63 else None

    def link(self, path: str) -> str:
        """Return the last part of the path that a symbolic link names, such as a driver; "" if there is no link."""
        try:
            return Path(self.place(path)).readlink().name
        except (OSError, ValueError):
            return ""

    def block_bytes(self, path: str) -> int | None:
        """Return the block size of the file system that contains `path`; None if the system does not report it."""
        try:
            return os.statvfs(self.place(path)).f_bsize
        except (OSError, ValueError):
            return None

    def is_folder(self, path: str) -> bool:
        """Return whether a path is a folder; it is also True if the system does not permit the check."""
        try:
            return Path(self.place(path)).is_dir()
        except ValueError:
            return False
        except OSError:
            return True

    def file_bytes(self, path: str) -> int | None:
        """Return the size of a regular file; None for anything else."""
        try:
            found = Path(self.place(path)).stat()
        except (OSError, ValueError):
            return None
        return found.st_size if stat.S_ISREG(found.st_mode) else None

    def room_bytes(self, folder: str) -> int | None:
        """Return the free bytes of the file system that contains `folder`; None if it does not count them."""
        try:
            found = os.statvfs(self.place(folder))
        except (OSError, ValueError):
            return None
        return found.f_bavail * found.f_frsize if found.f_blocks else None

    def page_bytes(self) -> int | None:
        """Return the size of a page of the kernel; None where it does not show it."""
        found = re.search(
            r"^KernelPageSize:\s+([0-9]{1,6}) kB$", self.read("/proc/self/smaps", 4096) or "", re.MULTILINE
        )
        return int(found[1]) << 10 if found else None

    def choice(self, path: str) -> str | None:
        """Return the value in brackets of `always [madvise] never`; the whole text where nothing is in brackets."""
        text = self.read(path, 4096)
        match = re.search(r"\[([^]]*)]", text or "")
        return match.group(1) if match else text

    def glob(self, pattern: str) -> list[str]:
        """Return paths below root that match, numbers in them in order: cpu2 before cpu10."""
        found = glob.glob(pattern.lstrip("/"), root_dir=self.root)
        return sorted(("/" + path for path in found), key=natural)


def natural(path: str) -> list[tuple[int, str]]:
    """Return the key by which paths with numbers are sorted."""
    return [(int(part), "") if part.isascii() and part.isdigit() else (-1, part) for part in re.split(r"(\d+)", path)]


def whole(text: str | None) -> int | None:
    """Return 42 for '42'; None if it is not a whole number of at most 20 digits (2^64 has 20)."""
    return int(text) if text is not None and re.fullmatch(r"[+-]?[0-9]{1,20}", text) else None


def real(text: str | None) -> float | None:
    """Return 0.42 for '0.42'; None if it is not a plain decimal number."""
    return float(text) if text is not None and re.fullmatch(r"[+-]?[0-9]{1,20}(\.[0-9]{1,20})?", text) else None


def parse_list(text: str | None) -> tuple[int, ...] | None:
    """Return the kernel's list of CPUs or nodes: '0-3,8' -> (0, 1, 2, 3, 8); '' -> (); None for anything else.

    Source: Linux, Documentation/admin-guide/cputopology.rst and kernel-parameters.rst, "CPU lists".
    """
    if text is None:
        return None
    numbers: set[int] = set()
    for part in text.split(",") if text else []:
        match = re.fullmatch(r"\s*([0-9]{1,6})(?:-([0-9]{1,6}))?\s*", part)
        if match is None:
            return None
        first, last = int(match[1]), int(match[2] or match[1])
        if not first <= last <= LARGEST_CPU:
            return None
        numbers.update(range(first, last + 1))
    return tuple(sorted(numbers))


def show_list(numbers: tuple[int, ...]) -> str:
    """Return the inverse of `parse_list`: (0, 1, 2, 3, 8) -> '0-3,8'; () -> 'none'."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][-1] == number - 1:
            runs[-1] = [runs[-1][0], number]
        else:
            runs.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs) or "none"
