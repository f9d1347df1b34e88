"""The doctor on persistent memory and CXL: a recorded guest, and one changed file at a time."""

from pathlib import Path

import pytest

from test_persistent import CARD, CXL, ND, Blocks
from tierscope.doctor import examine
from tierscope.doctor.check import checks
from tierscope.host.persistent.mounts import PATH
from tierscope.record.result import Finding
from trees import FORBIDDEN, plant

NAMES = ("pmem_namespaces", "pmem_mounts", "pmem_domain", "pmem_health", "pmem_emulated")
BARE = {"/proc/cpuinfo": "flags : fpu clwb", "/proc/cmdline": "quiet", "/sys/class/dmi/id/sys_vendor": "Dell Inc."}
ONE = {  # a DIMM, its region, its namespace in mode fsdax; on a machine without a hypervisor
    **BARE, f"{ND}/ndbus0/provider": "ACPI.NFIT", f"{ND}/region0/size": "137438953472", f"{ND}/region0/badblocks": "",
    f"{ND}/region0/persistence_domain": "memory_controller", f"{ND}/region0/read_only": "0",
    f"{ND}/nmem0/state": "active", f"{ND}/nmem0/nfit/flags": "", f"{ND}/nmem0/security": "disabled",
    f"{ND}/namespace0.0/mode": "memory", f"{ND}/namespace0.0/holder": "pfn0.0",
    f"{ND}/namespace0.0/size": "137438953472", f"{ND}/pfn0.0/mode": "ram", f"{ND}/pfn0.0/align": "2097152",
    f"{ND}/pfn0.0/block/pmem0/size": "1", PATH: "/dev/pmem0 /mnt/pm ext4 rw,stripe=512,dax=always 0 0",
}  # fmt: skip


def seen(folder: Path, name: str, changes: dict[str, object]) -> Finding:
    return checks[name].examine(Blocks(plant(folder, changes={**ONE, **changes}).root))


def test_a_machine_without_any_is_good(tmp_path: Path) -> None:
    found = {finding.name: finding for finding in examine(plant(tmp_path, "xeon_server"))}
    assert {found[name].verdict for name in (*NAMES, "cxl")} == {"good"}
    assert "no `fsdax:`" in found["pmem_namespaces"].state


def test_one_that_is_set_up_well_is_good(tmp_path: Path) -> None:
    assert {name: seen(tmp_path, name, {}).verdict for name in NAMES} == dict.fromkeys(NAMES, "good")


RECORDED = {
    "pmem_guest": {
        "pmem_namespaces": "note",  # one is raw
        "pmem_mounts": "note",  # XFS has no stripe
        "pmem_domain": "unknown",  # virtio's
        "pmem_health": "good",
        "pmem_emulated": "note",
        "cxl": "good",
    },
    "eadr_guest": {
        "pmem_namespaces": "good",
        "pmem_mounts": "good",
        "pmem_domain": "unknown",  # of DRAM
        "pmem_health": "good",
        "pmem_emulated": "note",
        "cxl": "good",
    },
    "cxl_guest": {**dict.fromkeys((*NAMES, "cxl"), "good"), "pmem_emulated": "note"},
}


@pytest.mark.parametrize("name", RECORDED)
def test_the_guests_that_were_recorded(tmp_path: Path, name: str) -> None:
    system = plant(tmp_path, name)
    assert {check: checks[check].examine(system).verdict for check in (*NAMES, "cxl")} == RECORDED[name]


def test_dram_by_memmap_is_named(tmp_path: Path) -> None:
    finding = checks["pmem_emulated"].examine(plant(tmp_path, "eadr_guest"))
    assert finding.state == "region2 is made of plain DRAM by memmap=48M!128M"


def test_a_raw_namespace_is_named_with_the_command_that_changes_it(tmp_path: Path) -> None:
    finding = checks["pmem_namespaces"].examine(plant(tmp_path, "pmem_guest"))
    assert "namespace0.0 raw (/dev/pmem0)" in finding.state
    assert finding.remedy == "sudo ndctl create-namespace -f -e namespace0.0 -m fsdax --map=mem"


DAX = "/sys/bus/dax/devices/dax0.0"
# check, changed files, verdict, words of the state, words of the remedy
CASES = [
    ("pmem_namespaces", {f"{ND}/namespace0.0/mode": "safe"}, "note", "namespace0.0 sector", "-m fsdax --map=mem"),
    ("pmem_namespaces", {f"{ND}/namespace0.0/mode": "dax", f"{ND}/namespace0.0/holder": "dax0.0",
                         f"{ND}/dax0.0/dax0.0/size": "1"}, "good", "devdax (/dev/dax0.0)", ""),
    ("pmem_namespaces", {f"{ND}/namespace0.0/mode": FORBIDDEN}, "unknown", "not readable", "ndctl list"),
    ("pmem_namespaces", {f"{ND}/namespace0.0/mode": None}, "unknown", "not readable", "ndctl list"),
    ("pmem_namespaces", {f"{ND}/namespace0.0/size": "0"}, "note", "no namespace in region0",
     "create-namespace -r region0"),
    ("pmem_namespaces", {f"{ND}/namespace0.0/size": "0", f"{ND}/region0/size": FORBIDDEN}, "unknown", "without a size",
     "ndctl list"),
    ("pmem_mounts", {PATH: "/dev/pmem0 /mnt/pm ext4 rw,stripe=512 0 0"}, "note", "without dax",
     "sudo umount /mnt/pm && sudo mount -o dax=always /dev/pmem0 /mnt/pm"),
    ("pmem_mounts", {PATH: "/dev/pmem0 /mnt/p\\040m xfs rw,dax=never,sunit=4096 0 0"}, "note", "dax=never",
     "umount '/mnt/p m'"),
    ("pmem_mounts", {PATH: "/dev/pmem0p1 /mnt/pm ext4 rw,dax=inode,stripe=512 0 0"}, "note", "dax=inode",
     "/dev/pmem0p1"),
    ("pmem_mounts", {PATH: "/dev/pmem0 /mnt/pm ext4 rw,dax=always 0 0"}, "note", "stripe not set",
     "mkfs.ext4 -b 4096 -E stride=512,stripe_width=512 /dev/pmem0"),
    ("pmem_mounts", {PATH: "/dev/pmem0 /mnt/pm xfs rw,dax=always,sunit=8 0 0"}, "note", "stripe 4 KiB",
     "mkfs.xfs -m reflink=0 -d su=2m,sw=1 /dev/pmem0"),
    ("pmem_mounts", {f"{ND}/pfn0.0/align": "4096"}, "note", "aligned to 4 KiB", "--align=2M"),
    ("pmem_mounts", {PATH: "/dev/sda / ext4 rw 0 0"}, "note", "not mounted: pmem0",
     "sudo blkid -p /dev/pmem0 || sudo mkfs.ext4"),
    ("pmem_mounts", {f"{ND}/namespace0.0/mode": "raw", f"{ND}/namespace0.0/holder": "", PATH:
                     "/dev/pmem0 /mnt/pm ext4 rw,stripe=512 0 0"}, "note", "without dax", ""),
    ("pmem_mounts", {PATH: FORBIDDEN}, "unknown", "not readable: ", ""),
    ("pmem_domain", {f"{ND}/region0/persistence_domain": "cpu_cache"}, "note", "region0 eADR", ""),
    ("pmem_domain", {f"{ND}/region0/persistence_domain": "unknown"}, "unknown", "region0 unknown", "ndctl list"),
    ("pmem_domain", {f"{ND}/region0/persistence_domain": FORBIDDEN}, "unknown", "region0 unknown", "ndctl list"),
    ("pmem_domain", {f"{ND}/region0/read_only": "1"}, "note", "read-only", "ndctl list"),
    ("pmem_health", {f"{ND}/nmem0/nfit/flags": "not_armed"}, "bad", "nmem0 not_armed", "sudo ndctl list -DHu"),
    ("pmem_health", {f"{ND}/nmem0/security": "locked"}, "bad", "nmem0 locked", "sudo ndctl"),
    ("pmem_health", {f"{ND}/nmem0/nfit/flags": "smart_notify"}, "note", "asks to be looked at", "sudo ndctl"),
    ("pmem_health", {f"{ND}/nmem0/nfit/dirty_shutdown": "3"}, "note", "nmem0 3 times", "sudo ndctl"),
    ("pmem_health", {f"{ND}/region0/badblocks": "8 2"}, "bad", "2 bad blocks", "clear-errors namespace0.0"),
    ("pmem_health", {f"{ND}/region0/badblocks": FORBIDDEN}, "unknown", "not readable", "sudo ndctl"),
    ("pmem_health", {f"{ND}/nmem0/{name}": None for name in ("state", "nfit/flags", "security")}, "unknown",
     "no DIMM", ""),
    ("pmem_emulated", {"/proc/cmdline": "quiet memmap=4G!12G", f"{ND}/ndbus0/provider": "e820"}, "note",
     "plain DRAM by memmap=4G!12G", ""),
    ("pmem_emulated", {"/proc/cmdline": "quiet memmap=4G!12G"}, "note", "no region was made of it",
     "sudo modprobe -a nd_e820 nd_pmem"),
    ("pmem_emulated", {f"{ND}/ndbus0/provider": "e820"}, "good", "by e820", ""),
    ("pmem_emulated", {"/proc/cpuinfo": "flags : fpu hypervisor"}, "note", "in a guest", ""),
    ("pmem_emulated", {"/sys/firmware/acpi/tables/NFIT": b"NFIT`\2\0\0\1]BOCHS BXPC"}, "note", "QEMU", ""),
    ("pmem_emulated", {f"{ND}/ndbus0/provider": "virtio-pmem"}, "note", "in a guest", ""),
    ("pmem_emulated", {"/proc/cpuinfo": None}, "unknown", "it is unknown", ""),
    ("pmem_emulated", {f"{ND}/ndbus0/provider": FORBIDDEN}, "unknown", "an unknown bus", ""),
    ("cxl", CARD, "good", "mem0 256 GiB, region0 ram", ""),
    ("cxl", {**CARD, f"{DAX}/driver": "-> ../../drivers/device_dax"}, "note", "region0 ram",
     "reconfigure-device -m system-ram dax0.0"),
    ("cxl", {**CARD, f"{CXL}/region0/commit": "0"}, "note", "not committed; no region",
     "sudo cxl create-region -m -t ram -w 1 mem0"),
    ("cxl", {f"{CXL}/mem0/ram/size": "0x0", f"{CXL}/mem0/pmem/size": "0x10000000"}, "note", "no region",
     "create-region -m -t pmem"),
    ("cxl", {f"{CXL}/mem0/ram/size": FORBIDDEN}, "unknown", "sizes are not readable", "cxl list"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "changes", "verdict", "words", "remedy"), CASES,
                         ids=[f"{case[0]}-{case[2]}-{number}" for number, case in enumerate(CASES)])  # fmt: skip
def test_one_changed_file(
    tmp_path: Path, name: str, changes: dict[str, object], verdict: str, words: str, remedy: str
) -> None:
    finding = seen(tmp_path, name, changes)
    assert (finding.verdict, words in finding.state, remedy in finding.remedy) == (verdict, True, True), finding
    assert bool(remedy) == bool(finding.remedy)
    assert "\n" not in finding.remedy
    assert bool(finding.effect) == (verdict != "good")


def test_blocks_that_are_not_pages_have_no_dax(tmp_path: Path) -> None:
    class Small(Blocks):
        def block_bytes(self, path: str) -> int | None:
            return 1024

    finding = checks["pmem_mounts"].examine(Small(plant(tmp_path, changes=ONE).root))
    assert finding.verdict == "note"
    assert "blocks of 1 KiB are not pages" in finding.state
    assert "mkfs.ext4 -b 4096" in finding.remedy
    assert "WARNING" in finding.effect


@pytest.mark.parametrize("case", [case for case in CASES if "mkfs" in case[4] or "-f -e" in case[4]])
def test_remedies_that_erase_are_marked(tmp_path: Path, case: tuple[str, dict[str, object], str, str, str]) -> None:
    finding = seen(tmp_path, case[0], case[1])
    assert "WARNING" in finding.effect or finding.remedy.startswith("sudo blkid -p")  # only where nothing is
