"""blkid and wipefs examine a copy of the ends of a DAX device; a mapped file replaces the device."""

import os
from pathlib import Path

import pytest

from test_storage_signature import IMAGES, SIZE
from tierscope.errors import MachineError
from tierscope.fio.dax_content import REACH, refuse_content
from tierscope.host.persistent.facts import DaxDevice, Persistent
from tierscope.record.experiment import Target
from tierscope.run import room
from tierscope.units import MiB


@pytest.fixture
def device(tmp_path: Path) -> Path:
    path = tmp_path / "dax0.0"
    path.touch()
    os.truncate(path, SIZE)
    return path


def write(device: Path, *parts: tuple[int, bytes]) -> None:
    with device.open("r+b") as file:
        for at, content in parts:
            os.pwrite(file.fileno(), content, at if at >= 0 else SIZE + at)


def test_a_device_without_a_mark_may_be_overwritten(device: Path) -> None:
    write(device, (0, b"what a run left" * 99), (REACH - 8, b"here"), (SIZE // 2, b"EFI PART"), (-9, b"and there"))
    for align in (4096, 2 * MiB):
        refuse_content(str(device), SIZE, align)
    assert device.stat().st_blocks * 512 < MiB  # nothing was filled by reading


KNOWN = {
    "a pool of PMDK": [(0, b"PMEM")],
    "an ext2, ext3 or ext4 file system": [(1080, b"\x53\xef")],
    "a Btrfs file system": [(65600, b"_BHRfS_M")],
    "a partition table or a FAT file system": [(510, b"\x55\xaa")],
    **IMAGES,
}


@pytest.mark.parametrize("held", KNOWN)
def test_a_device_with_a_known_format_is_refused(device: Path, held: str) -> None:
    write(device, *KNOWN[held])
    with pytest.raises(MachineError) as refused:
        refuse_content(str(device), SIZE, 2 * MiB)
    ours = {"LVM2_member": "LVM", "marks of several formats": "SquashFS", "zfs_member": "ZFS"}
    assert ours.get(held, held) in str(refused.value)
    assert str(refused.value).endswith(f"name another device, or write devdax:{device}:overwrite to lose it")


def test_a_device_that_cannot_be_read_is_refused(device: Path) -> None:
    with pytest.raises(MachineError, match="cannot be asked what it contains: .*; nothing is overwritten"):
        refuse_content(f"{device}.gone", SIZE, 4096)
    os.truncate(device, 4096)  # pages beyond it end a reader with SIGBUS, as broken memory does
    with pytest.raises(MachineError, match="cannot be asked what it contains: "):
        refuse_content(str(device), SIZE, 4096)


@pytest.mark.parametrize(("word", "asked"), [("", True), (":overwrite", False)])
def test_a_run_asks_before_it_begins_unless_the_content_may_be_lost(
    monkeypatch: pytest.MonkeyPatch, word: str, asked: bool
) -> None:
    calls = []
    monkeypatch.setattr(room, "exists", lambda path: path == "/dev/dax1.0")
    monkeypatch.setattr(room, "refuse_content", lambda *words: calls.append(words))
    device = DaxDevice(name="dax1.0", mode="devdax", size_bytes=SIZE)
    target = Target(name="devdax", where=f"/dev/dax1.0{word}")
    known = Persistent(dax=(device,))
    assert room._device(known, target) == SIZE
    assert calls == ([("/dev/dax1.0", SIZE, 2 * MiB)] if asked else [])
