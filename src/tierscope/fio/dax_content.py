"""May a DAX device be overwritten? Only one without content that the system knows, as for block devices.

A character device can be mapped and not read, so `blkid` and `wipefs` cannot open it. They check a sparse file of the
device's size that contains a copy of both ends of the device: every mark that they know is there.
Blind to content without a mark, and to marks further than REACH from both ends (second copies of Btrfs's and ext4's).
Source: util-linux 2.38, libblkid/src/superblocks: the furthest first mark is that of VMFS, 2 MiB from the begin; ZFS
and RAID have theirs within 1 MiB of the end.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

from tierscope.errors import MachineError
from tierscope.fio.device import LONGEST, mark_of
from tierscope.fio.signature import signature
from tierscope.units import MiB

REACH = 4 * MiB  # from each end: twice the furthest mark
LONGEST_S = 60.0
COPY = """
import mmap, os, sys
path, (out, size, align, reach) = sys.argv[1], map(int, sys.argv[2:])
device = os.open(path, os.O_RDONLY)
for first in sorted({0, max(0, size - reach)}):
    begin, end = first // align * align, min(first + reach, size)
    length = min(-(-end // align) * align, size) - begin
    with mmap.mmap(device, length, mmap.MAP_SHARED, mmap.PROT_READ, offset=begin) as held:
        for at in range(first, end, 4096):
            page = held[at - begin : min(at + 4096, end) - begin]
            if page.strip(bytes(1)):
                os.pwrite(out, page, at)
"""
"""In a process of its own, since broken memory ends it with SIGBUS."""


def refuse_content(path: str, size_bytes: int, align_bytes: int) -> None:
    """Raise MachineError if the device contains known content, or cannot be checked for it. The device is only read.

    align_bytes: the alignment of mappings of the device.
    """
    copy = os.memfd_create("both ends")
    try:
        os.truncate(copy, size_bytes)
        _copy_ends(path, copy, size_bytes, align_bytes)
        held = mark_of(os.pread(copy, LONGEST, 0)) or signature(copy)
    finally:
        os.close(copy)
    if held:
        raise MachineError(f"{path} contains {held}, which would be overwritten: nothing was; name another device, or "
                           f"write devdax:{path}:overwrite to lose it")  # fmt: skip


def exists(path: str) -> bool:
    """Return whether there is something to check; the core reports what is wrong with a path that does not exist."""
    return Path(path).exists()


def _copy_ends(path: str, copy: int, size_bytes: int, align_bytes: int) -> None:
    words = [path, *map(str, (copy, size_bytes, align_bytes, REACH))]
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", COPY, *words], stdin=subprocess.DEVNULL, capture_output=True,
            pass_fds=(copy,), timeout=LONGEST_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise _unknown(path, f"reading takes longer than {LONGEST_S:.0f} s") from error
    if done.returncode == -signal.SIGBUS:
        raise _unknown(path, "its memory is broken there (SIGBUS); `ndctl list -M` lists bad blocks")
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or [f"status {done.returncode}"]
        raise _unknown(path, said[-1][:200])


def _unknown(path: str, why: str) -> MachineError:
    return MachineError(f"{path} cannot be asked what it contains: {why}; nothing is overwritten: name another device, "
                        f"or write devdax:{path}:overwrite to lose what it contains")  # fmt: skip
