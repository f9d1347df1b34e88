"""Content of devices: images with the marks of many formats, which are never overwritten, and some without."""

import os
import shutil
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest

from tierscope.errors import MachineError
from tierscope.fio import device, signature
from tierscope.fio.device import Device, open_alone

SIZE = 64 << 20  # sparse; a member of ZFS is never smaller
PLACES = f"{os.environ['PATH']}:/usr/sbin:/sbin"
pytestmark = pytest.mark.skipif(not shutil.which("blkid", path=PLACES), reason="no blkid: util-linux")


def raid(sector: int) -> bytes:
    """The superblock of a version 1 array of Linux, whose checksum is right."""
    block = bytearray(256)
    struct.pack_into("<II", block, 0, 0xA92B4EFC, 1)
    struct.pack_into("<Q", block, 144, sector)
    total = sum(struct.unpack("<64I", block))
    struct.pack_into("<I", block, 216, ((total & 0xFFFFFFFF) + (total >> 32)) & 0xFFFFFFFF)
    return bytes(block)


UBER = struct.pack("<QQQQQ", 0x00BAB10C, 5000, 1, 2, 3).ljust(1024, b"\0")
END = ((SIZE >> 9) - 16) & ~7  # sector of the superblock of version 1.0
IMAGES: dict[str, Sequence[tuple[int, bytes]]] = {
    "zfs_member": [(base + (128 << 10) + 1024 * n, UBER) for base in (0, 256 << 10) for n in range(8)],
    "ceph_bluestore": [(0, b"bluestore block device\n")],
    "iso9660": [(32768, b"\x01CD001\x01"), (34816, b"\xffCD001\x01")],
    "oracleasm": [(32, b"ORCLDISK" + b"X" * 24)],
    "VMFS_volume_member": [(1 << 20, b"\x0d\xd0\x01\xc0" + struct.pack("<I", 5))],
    "erofs": [(1024, b"\xe2\xe1\xf5\xe0" + struct.pack("<IIB", 0, 0, 12))],
    "linux_raid_member": [(END << 9, raid(END))],
    "LVM2_member": [(0, b"LABELONE" + struct.pack("<QII", 0, 0, 32) + b"LVM2 001")],  # its checksum is wrong
    "swap": [((64 << 10) - 10, b"SWAPSPACE2"), (1024, struct.pack("<III", 1, 100, 0))],
    "marks of several formats": [(0, b"hsqs"), *((32768 + 2048 * n, b"\x01CD001\x01") for n in range(2))],
}


def image(folder: Path, parts: Sequence[tuple[int, bytes]]) -> Path:
    path = folder / "disk"
    with path.open("wb") as stream:
        stream.truncate(SIZE)
        for at, content in parts:
            stream.seek(at)
            stream.write(content)
    return path


def opened(path: Path) -> int:
    return open_alone(Device(str(path), "disk", SIZE))


UTIL_LINUX = [name for name in IMAGES if name != "zfs_member"]  # from 2.41 on it wants a whole label
NEWER = {"marks of several formats": "(?:marks of several formats|iso9660, squashfs)"}  # 2.41 names them


@pytest.mark.parametrize("name", UTIL_LINUX)
def test_a_file_of_another_program_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(device, "MARKS", ())  # util-linux alone
    path = image(tmp_path, IMAGES[name])
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(
        MachineError, match=f"contains .*{NEWER.get(name, name)}.*: nothing is overwritten; .*wipefs -a"
    ):
        opened(path)
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("slot", [0, 5, 127])
def test_one_uberblock_of_zfs_is_enough(tmp_path: Path, slot: int, order: Literal["little", "big"]) -> None:
    """A pool has a ring of them, and a new one has filled few; either end of a word may come first."""
    mark = 0x00BAB10C.to_bytes(8, order)
    with pytest.raises(MachineError, match="contains a member of a ZFS pool: nothing is overwritten"):
        opened(image(tmp_path, [((128 + slot) << 10, mark)]))


def test_a_raid_at_the_start_is_known_too(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match="contains linux_raid_member"):
        opened(image(tmp_path, [(0, raid(0))]))


def test_an_empty_device_is_opened(tmp_path: Path) -> None:
    handle = opened(image(tmp_path, []))
    assert os.fstat(handle).st_size == SIZE
    os.close(handle)


def test_a_device_whose_bytes_mean_nothing_is_opened(tmp_path: Path) -> None:
    """As the measurement itself leaves it."""
    os.close(opened(image(tmp_path, [(0, bytes(range(1, 251)) * 400)])))


def test_without_the_programs_nothing_is_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(signature, "FOLDERS", str(tmp_path))
    with pytest.raises(MachineError, match="blkid is not installed.*install -y util-linux"):
        opened(image(tmp_path, []))


@pytest.mark.parametrize(
    ("name", "script", "why"),
    [
        ("blkid", "exit 8", "ambivalent"),
        ("blkid", "echo broken >&2; exit 2", "status 2 and does not report .*broken"),
        ("blkid", "exit 4", "status 4 and does not report"),
        ("wipefs", "exit 1", "status 1 and does not report"),
    ],
)
def test_a_program_that_fails_does_not_count_as_a_yes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, script: str, why: str
) -> None:
    (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{PLACES}")
    with pytest.raises(MachineError, match=why):
        opened(image(tmp_path, []))
