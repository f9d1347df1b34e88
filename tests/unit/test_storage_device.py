"""Block devices that may be overwritten: on made trees of sysfs, whose device is one that every system has."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tierscope.errors import MachineError, TierscopeError, UsageError
from tierscope.fio import device as rules
from tierscope.fio.device import LONGEST, MARKS, check, mark_of
from tierscope.host.system import System

MOUNT = "36 1 7:9 / /mnt/data rw,relatime shared:1 - ext4 /dev/sdx rw\n"
OTHERS = "22 1 0:21 / /proc rw - proc proc rw\n" + MOUNT.replace("7:9", "8:1").replace("/dev/sdx", "/dev/sdy")


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    """One disk of 1 GiB, sdx, numbered 7:9, which nobody uses."""
    block = tmp_path / "sys/class/block/sdx"
    (block / "holders").mkdir(parents=True)
    (block / "dev").write_text("7:9\n")
    (block / "size").write_text("2097152\n")
    (block / "ro").write_text("0\n")
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/mountinfo").write_text(OTHERS)
    (tmp_path / "proc/swaps").write_text("Filename Type Size Used Priority\n/dev/sdz partition 1 0 -2\n")
    monkeypatch.setattr(rules, "_number", lambda path: "7:9")
    return System(tmp_path)


def write(system: System, path: str, text: str) -> None:
    place = system.root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def test_a_disk_that_nobody_uses_may_be_overwritten(system: System) -> None:
    found = check("/dev/disk/by-id/made", system)
    assert (found.name, found.size_bytes) == ("sdx", 1 << 30)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda s: write(s, "proc/self/mountinfo", MOUNT), "is mounted at /mnt/data"),
        (lambda s: write(s, "proc/self/mountinfo", MOUNT.replace("7:9", "0:47")), "is mounted at /mnt/data"),
        (lambda s: write(s, "proc/swaps", "Filename\n/dev/sdx partition 1 0 -2\n"), "is swap space"),
        (lambda s: write(s, "sys/class/block/sdx/holders/dm-0/dev", "253:0"), "is in use by dm-0"),
        (lambda s: write(s, "sys/class/block/sdx/sdx1/partition", "1"), "has partitions (sdx1)"),
        (lambda s: write(s, "sys/class/block/sdx/ro", "1"), "is read-only"),
        (lambda s: write(s, "sys/class/block/sdx/size", "0"), "has no bytes"),
        (lambda s: write(s, "sys/class/block/sdx/dev", "7:8"), "the kernel lists no block device 7:9"),
    ],
    ids=["mounted", "mounted by name", "swap", "held", "partitions", "read-only", "empty", "unknown"],
)
def test_one_that_is_in_use_is_refused(system: System, change: Callable[[System], None], why: str) -> None:
    change(system)
    with pytest.raises(MachineError) as caught:
        check("/dev/sdx", system)
    assert why in str(caught.value)
    assert "; " in str(caught.value)  # and what to do about it


def test_a_disk_whose_partition_is_mounted_is_refused_as_partitioned(system: System) -> None:
    write(system, "sys/class/block/sdx/sdx1/partition", "1")
    write(system, "proc/self/mountinfo", MOUNT.replace("7:9", "7:10").replace("/dev/sdx", "/dev/sdx1"))
    with pytest.raises(MachineError, match="has partitions"):
        check("/dev/sdx", system)


@pytest.mark.parametrize("path", ["/dev/null", "/etc/passwd", "/dev/absent"])
def test_a_path_that_is_not_a_block_device_is_refused(path: str) -> None:
    with pytest.raises(UsageError) as caught:
        check(path, System())
    assert "lsblk" in str(caught.value)


@pytest.mark.parametrize(("at", "mark", "what"), MARKS)
def test_every_mark_is_found(at: int, mark: bytes, what: str) -> None:
    content = bytearray(LONGEST)
    assert mark_of(bytes(content)) == ""
    content[at : at + len(mark)] = mark
    assert mark_of(bytes(content)) == what


def test_a_device_that_has_a_mark_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "disk"
    path.write_bytes(b"XFSB" + bytes(1 << 20))
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(TierscopeError, match="contains an XFS file system"):
        rules.open_alone(rules.Device(str(path), "disk", 1 << 20))
    assert len(os.listdir("/proc/self/fd")) == before
