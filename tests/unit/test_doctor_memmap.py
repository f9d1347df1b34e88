"""The doctor on `memmap=`: each step of emulated persistent memory, and the command for the next one."""

from pathlib import Path

import pytest

from test_persistent import ND, Blocks
from tierscope.doctor.check import checks
from tierscope.host.persistent import memmap
from tierscope.host.persistent.mounts import PATH
from tierscope.record.result import Finding
from trees import FORBIDDEN, plant

IOMEM = """\
00001000-0009ffff : System RAM
00100000-bfffffff : System RAM
100000000-43fffffff : System RAM"""
DEBIAN = {"/etc/os-release": 'PRETTY_NAME="Debian"\nID=debian', "/etc/default/grub.d/kdump.cfg": "X=1"}
UBUNTU = {"/etc/os-release": "ID=ubuntu\nID_LIKE=debian"}
ROCKY = {"/etc/os-release": 'ID="rocky"\nID_LIKE="rhel centos fedora"'}
OTHERS: dict[str, object] = {"/etc/os-release": "ID=arch"}
LINE = {"/proc/cmdline": "quiet memmap=3328M!14080M", "/proc/iomem": IOMEM}
ASIDE = {**LINE, "/proc/iomem": f"{IOMEM}\n370000000-43fffffff : Persistent Memory (legacy)"}
REGION = {**ASIDE, f"{ND}/ndbus0/provider": "e820", f"{ND}/region0/size": "3489660928"}
RAW = {**REGION, f"{ND}/namespace0.0/mode": "raw", f"{ND}/namespace0.0/size": "3489660928"}
SPACE = {
    **RAW, f"{ND}/namespace0.0/mode": "memory", f"{ND}/namespace0.0/block/pmem0/size": "1",
    "/sys/class/block/pmem0/dev": "259:0", "/run/udev/data/b259:0": "I:1234",
}  # fmt: skip
MADE = {**SPACE, "/run/udev/data/b259:0": "I:1234\nE:ID_FS_TYPE=xfs"}
MOUNTED = {**MADE, PATH: "/dev/pmem0 /mnt/emdram xfs rw 0 0"}
DONE = {**MADE, PATH: "/dev/pmem0 /mnt/emdram xfs rw,dax=always 0 0"}


def seen(folder: Path, changes: dict[str, object]) -> Finding:
    files = {"/proc/cpuinfo": "flags : fpu clwb", **ROCKY, **changes}
    return checks["pmem_memmap"].examine(Blocks(plant(folder, changes=files).root))


@pytest.mark.parametrize(
    ("changes", "state", "command"),
    [
        (LINE, "step 1 of 5, kernel command line: memmap=3328M!14080M set nothing aside", "sudo grubby"),
        (ASIDE, "step 2 of 5, region: memmap=3328M!14080M set memory aside", "modprobe -a nd_e820 nd_pmem"),
        (REGION, "step 3 of 5, namespace: memmap=3328M!14080M: none in region0", "create-namespace -r region0 -m"),
        (RAW, "step 3 of 5, namespace: memmap=3328M!14080M: namespace0.0 has mode raw", "-f -e namespace0.0 -m fsdax"),
        (SPACE, "step 4 of 5, file system: memmap=3328M!14080M: /dev/pmem0 contains none", "sudo mkfs.ext4 -b 4096"),
        (MADE, "step 5 of 5, mount: memmap=3328M!14080M: xfs on /dev/pmem0 is not", "sudo mount -o dax=always"),
        (MOUNTED, "step 5 of 5, mount: xfs of /dev/pmem0 on /mnt/emdram, without dax", "umount /mnt/emdram &&"),
    ],
)  # fmt: skip
def test_the_first_step_that_is_not_done_is_named(
    tmp_path: Path, changes: dict[str, object], state: str, command: str
) -> None:
    found = seen(tmp_path, changes)
    assert found.verdict == "note"
    assert found.state.startswith(state)
    assert command in found.remedy
    assert "results on it count as emulated" in found.effect


def test_all_steps_done_are_good_and_name_the_target(tmp_path: Path) -> None:
    found = seen(tmp_path, DONE)
    assert found.verdict == "good"
    assert found.state.endswith("xfs of /dev/pmem0 on /mnt/emdram; try target=fsdax:/mnt/emdram/FILE")
    part = {**DONE, PATH: "/dev/pmem0p1 /mnt/emdram xfs rw,dax=always 0 0"}
    assert seen(tmp_path / "part", part).verdict == "good"


def test_a_machine_that_began_nothing_is_good_and_has_the_first_command(tmp_path: Path) -> None:
    found = seen(tmp_path, {"/proc/cmdline": "quiet", "/proc/iomem": IOMEM, **DEBIAN})
    assert found.verdict == "good"
    assert "step 1 of 5" in found.state
    assert "memmap=3328M!14080M" in found.state
    assert "/etc/default/grub.d/memmap.cfg && sudo update-grub" in found.state
    assert not found.remedy


@pytest.mark.parametrize(
    ("release", "command"),
    [
        (DEBIAN, "| sudo tee /etc/default/grub.d/memmap.cfg && sudo update-grub"),
        (UBUNTU, "| sudo tee -a /etc/default/grub && sudo update-grub"),
        (ROCKY, "sudo grubby --update-kernel=ALL --args='memmap=3328M!14080M'"),
        (OTHERS, "add memmap=3328M!14080M to the kernel's parameters as the manual of your boot loader describes"),
        ({"/etc/os-release": None}, "add memmap=3328M!14080M to the kernel's parameters"),
        ({"/etc/os-release": None, "/usr/lib/os-release": "ID=fedora"}, "sudo grubby"),
    ],
)
def test_the_command_is_of_this_distribution_and_a_good_finding_asks_for_no_reboot(
    tmp_path: Path, release: dict[str, object], command: str
) -> None:
    offered = seen(tmp_path / "offered", {"/proc/cmdline": "quiet", "/proc/iomem": IOMEM, **release})
    assert offered.verdict == "good"
    assert command in offered.state
    assert "reboot" not in offered.state
    begun = seen(tmp_path / "begun", {**LINE, **release})
    assert command in begun.remedy + begun.state
    assert begun.remedy.endswith("&& sudo reboot") == ("sudo" in command)
    assert ("grubby" in begun.remedy + begun.state) == ("grubby" in command)


def test_only_kernels_of_x86_know_the_word(tmp_path: Path) -> None:
    found = seen(tmp_path, {"/proc/cmdline": "quiet", "/proc/cpuinfo": "Features : fp asimd"})
    assert (found.verdict, found.remedy) == ("good", "")
    assert "x86 alone" in found.state


def test_the_doctor_detects_a_line_that_waits_for_the_next_boot(tmp_path: Path) -> None:
    waits = 'GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX memmap=4G!12G"'
    found = seen(tmp_path, {**DEBIAN, "/proc/cmdline": "quiet", "/etc/default/grub.d/memmap.cfg": waits})
    assert "memmap=4G!12G is in GRUB's settings, not in this boot" in found.state
    assert found.remedy == "sudo update-grub && sudo reboot"
    fedora = seen(tmp_path / "fedora", {"/proc/cmdline": "quiet", "/etc/default/grub": waits})
    assert fedora.remedy == "sudo grubby --update-kernel=ALL --args='memmap=4G!12G' && sudo reboot"
    escaped = {"/proc/cmdline": "quiet", "/etc/default/grub": 'GRUB_CMDLINE_LINUX="memmap=4G\\!12G"'}
    assert seen(tmp_path / "escaped", escaped).state == found.state
    commented = seen(tmp_path / "no", {"/proc/cmdline": "quiet", "/etc/default/grub": f"# {waits}"})
    assert commented.verdict == "good"


def test_without_a_view_of_the_addresses_nothing_is_guessed(tmp_path: Path) -> None:
    hidden = "\n".join("00000000-00000000 : System RAM" for _ in range(3))
    found = seen(tmp_path, {"/proc/cmdline": "quiet", "/proc/iomem": hidden})
    assert found.state.endswith("step 1 of 5 needs the addresses of the memory: sudo grep 'System RAM' /proc/iomem")
    unread = seen(tmp_path / "unread", {**LINE, "/proc/iomem": FORBIDDEN})
    assert unread.verdict == "unknown"
    fresh = seen(tmp_path / "fresh", {**SPACE, "/run/udev/data/b259:0": None})
    assert "what /dev/pmem0 contains is not visible" in fresh.state
    assert fresh.remedy.startswith("sudo blkid -p /dev/pmem0 || sudo mkfs.ext4")


def test_the_recorded_guest_with_memmap_has_done_all_steps(tmp_path: Path) -> None:
    found = checks["pmem_memmap"].examine(Blocks(plant(tmp_path, "eadr_guest").root))
    assert found.verdict == "good"
    assert "memmap=48M!128M, ext4 of /dev/pmem2 on /mnt/dram" in found.state


def test_what_is_set_aside_is_the_end_of_the_largest_range_and_whole_sections(tmp_path: Path) -> None:
    assert memmap.proposed(plant(tmp_path, changes={"/proc/iomem": IOMEM})) == "memmap=3328M!14080M"
    small = plant(tmp_path / "small", changes={"/proc/iomem": "00100000-3fffffff : System RAM"})
    assert memmap.proposed(small) == ""
    even = plant(tmp_path / "even", changes={"/proc/iomem": "100000000-4ffffffff : System RAM"})
    assert memmap.proposed(even) == "memmap=4G!16G"
