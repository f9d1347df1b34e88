"""May a block device be overwritten? Only one that nobody uses, without content that the system knows.

These are refused: what is not a block device, what is mounted, swap, used by another device (RAID, LVM, dm), split into
partitions, or read-only. A device with the mark of a file system or of such a user is refused, too, wherever the mark
is: blkid, wipefs and a list of our own find it. To overwrite it anyway, first run `wipefs -a`.
Blind to users on other machines that share the device, and to content without a mark.
Source: Linux, Documentation/ABI/stable/sysfs-block, proc(5); marks: util-linux 2.38, libblkid; OpenZFS, "ZFS On-Disk
Specification", 2006.
"""

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from tierscope.errors import MachineError, UsageError, reason
from tierscope.fio.signature import signature
from tierscope.host.system import System
from tierscope.units import KiB

SECTOR_BYTES = 512  # of `size` in sysfs, whatever the device has
UBERBLOCKS = range(128 * KiB, 256 * KiB, KiB)  # of the first label of ZFS; blkid 2.41 needs a whole label with them
UBERBLOCK = tuple(0x00BAB10C.to_bytes(8, order) for order in ("little", "big"))
MARKS: tuple[tuple[int, bytes, str], ...] = (
    (0, b"PMEM", "a pool of PMDK"),
    (0, b"XFSB", "an XFS file system"),
    (0, b"LUKS\xba\xbe", "an encrypted volume (LUKS)"),
    (0, b"hsqs", "a SquashFS file system"),
    (510, b"\x55\xaa", "a partition table or a FAT file system"),
    (512, b"EFI PART", "a partition table (GPT)"),
    (512, b"LABELONE", "a volume of LVM"),
    (1024, b"\x10\x20\xf5\xf2", "an F2FS file system"),
    (1080, b"\x53\xef", "an ext2, ext3 or ext4 file system"),
    (4086, b"SWAPSPACE2", "swap space"),
    (4096, b"\xfc\x4e\x2b\xa9", "a member of a RAID"),
    (65600, b"_BHRfS_M", "a Btrfs file system"),
    *((at, mark, "a member of a ZFS pool") for at in UBERBLOCKS for mark in UBERBLOCK),
)
"""Offset in bytes, the mark there, and its meaning: a second check, if blkid needs more than the mark alone."""
LONGEST = max(at + len(mark) for at, mark, _ in MARKS)  # bytes that the marks reach


@dataclass(frozen=True, slots=True)
class Device:
    """A block device that may be overwritten."""

    path: str
    name: str  # the kernel's: "nvme0n1"
    size_bytes: int


def check(path: str, system: System) -> Device:
    """Return the device; UsageError if it is not a block device, MachineError that names the user of one in use."""
    name = _name(path, system)
    for why, step in (_mounted(name, system), _swap(name, system), _held(name, system), _split(name, system)):
        if why:
            raise MachineError(f"{path} {why}: nothing is overwritten; {step}")
    if system.number(f"/sys/class/block/{name}/ro") == 1:
        raise MachineError(f"{path} is read-only; name a device that can be written")
    sectors = system.count(f"/sys/class/block/{name}/size") or 0
    if not sectors:
        raise MachineError(f"{path} has no bytes; attach something to it, or name another device")
    return Device(path, name, sectors * SECTOR_BYTES)


def open_alone(device: Device) -> int:
    """Return a descriptor that keeps others from mounting it; MachineError if it is in use or has a mark."""
    try:
        handle = os.open(device.path, os.O_RDWR | os.O_EXCL | os.O_CLOEXEC)
    except OSError as error:
        step = "unmount or detach it" if error.errno == 16 else "try as root, or name another device"
        raise MachineError(f"{device.path} cannot be opened alone: {reason(error)}; {step}") from error
    try:
        _refuse_content(device, handle)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _refuse_content(device: Device, handle: int) -> None:
    """Raise MachineError if the device contains known content, or cannot be checked for it."""
    try:
        held = mark_of(os.pread(handle, LONGEST, 0)) or signature(handle)
    except OSError as error:
        raise MachineError(f"{device.path} cannot be read: {reason(error)}; name another device") from error
    if held:
        wipe = f"if it may be lost, `wipefs -a {device.path}` and repeat"
        raise MachineError(f"{device.path} contains {held}: nothing is overwritten; {wipe}")


def mark_of(content: bytes) -> str:
    """Return what the first bytes of a device identify; "" if they identify nothing."""
    return next((what for at, mark, what in MARKS if content[at : at + len(mark)] == mark), "")


def _name(path: str, system: System) -> str:
    """Return the kernel's name, by major and minor number: the path may be a link such as /dev/disk/by-id/..."""
    number = _number(path)
    for entry in system.glob("/sys/class/block/*/dev"):
        if system.read(entry) == number:
            return entry.split("/")[-2]
    raise MachineError(f"device={path}: the kernel lists no block device {number}; name another one")


def _number(path: str) -> str:
    """Return '8:0'; UsageError if it is not a block device."""
    try:
        found = Path(path).stat()
    except OSError as error:
        raise UsageError(f"device={path}: {reason(error)}; `lsblk -p` lists those of this machine") from error
    if not stat.S_ISBLK(found.st_mode):
        raise UsageError(f"device={path} is not a block device; name a folder with path=, or one that `lsblk -p` lists")
    return f"{os.major(found.st_rdev)}:{os.minor(found.st_rdev)}"


def _mounted(name: str, system: System) -> tuple[str, str]:
    number = system.read(f"/sys/class/block/{name}/dev")
    for line in (system.read("/proc/self/mountinfo") or "").splitlines():
        words = line.split(" ")
        source = line.partition(" - ")[2].split(" ")[1:2]
        if len(words) > 4 and (words[2] == number or source == [f"/dev/{name}"]):
            return f"is mounted at {words[4]}", f"`umount {words[4]}` first, or name a folder on it with path="
    return "", ""


def _swap(name: str, system: System) -> tuple[str, str]:
    used = [line.split() for line in (system.read("/proc/swaps") or "").splitlines()]
    if any(words and words[0] == f"/dev/{name}" for words in used):
        return "is swap space", f"`swapoff /dev/{name}` first"
    return "", ""


def _held(name: str, system: System) -> tuple[str, str]:
    holders = [path.split("/")[-1] for path in system.glob(f"/sys/class/block/{name}/holders/*")]
    if holders:
        return f"is in use by {', '.join(holders)}", "take it out of there first"
    return "", ""


def _split(name: str, system: System) -> tuple[str, str]:
    parts = [path.split("/")[-2] for path in system.glob(f"/sys/class/block/{name}/*/partition")]
    parts = [part for part in parts if re.fullmatch(rf"{re.escape(name)}p?[0-9]+", part)]
    if parts:
        return f"has partitions ({', '.join(parts)})", "name one of them, or another device"
    return "", ""
