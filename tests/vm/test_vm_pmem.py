"""Emulated NVDIMMs with ADR and what is made of them, as targets: mapped with MAP_SYNC, or refused."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import recorded
from border import Fact, Talk, refused
from tierscope.units import MiB
from tierscope.vm import nvdimm
from virtual import VirtualMachine

QEMU = "QEMU TCG: the processor's instructions"
FLUSHES = ("flush_none", "flush_clflush", "flush_clflushopt", "flush_clwb", "flush_nt")


def measured(group: str) -> Fact:
    """Facts of a group that was prepared, measured, and whose check passed."""
    with Talk() as talk:
        (facts,) = talk.prepare(group)
        assert talk.say("measure seconds=0.02")["rows"] > 0
        assert max(talk.say("check")["largest_relative_error"]) <= 1e-15  # a fused multiply-add rounds once
    return facts


@contextmanager
def mounted(machine: VirtualMachine, device: str, options: str) -> Iterator[str]:
    """The ext4 of an NVDIMM, for a while mounted otherwise."""
    again = f"mount -t ext4 -o {nvdimm.SYNC} /dev/{device} /mnt/ext4"
    machine.do(f"umount /mnt/ext4 && mount -t ext4 -o {options} /dev/{device} /mnt/ext4")
    try:
        yield "fsdax:/mnt/ext4/made"
    finally:
        machine.do(f"umount /mnt/ext4 && {again}")


# --- what is served ---


@pytest.mark.parametrize("kind", ["ext4", "xfs"])
def test_a_file_on_a_dax_file_system_is_persistent_memory(
    adr: VirtualMachine, devices: dict[str, str], kind: str
) -> None:
    facts = measured(f"kernel=triad target=fsdax:/mnt/{kind}/made cpus=0,1 footprint=6MiB")
    number = devices[kind].removeprefix("pmem")
    assert facts["persistence"] == "adr"
    assert facts["persistence_how"] == f"/sys/bus/nd/devices/region{number}/persistence_domain: memory_controller"
    assert facts["nodes"] == {"0": 6 * MiB}
    assert (facts["origin"], facts["origin_by"]) == ("emulated", QEMU)


def test_the_kernel_itself_states_that_the_mapping_is_synchronous(adr: VirtualMachine, devices: dict[str, str]) -> None:
    flags = "grep -h -A 30 {} /proc/$(pidof tierscope-core)/smaps | grep VmFlags | head -n 1"
    with Talk() as talk:
        talk.prepare("kernel=read target=fsdax:/mnt/xfs/made cpus=0 footprint=2MiB")
        assert " sf " in adr.do(flags.format("/mnt/xfs/made"))
    with Talk() as talk:
        talk.prepare("kernel=read target=file:/mnt/xfs/made cpus=0 footprint=2MiB")
        assert " sf " not in adr.do(flags.format("/mnt/xfs/made"))


def test_an_aligned_file_has_pages_of_2_mib_and_4_kib_where_asked(adr: VirtualMachine, devices: dict[str, str]) -> None:
    for pages, size, footprint in (
        ("thp", 2 * MiB, 4 * MiB),
        ("4k", 4096, MiB // 8),
    ):  # a small page is a journal entry
        facts = measured(f"kernel=read target=fsdax:/mnt/ext4/made cpus=0 footprint={footprint} pages={pages}")
        assert facts["pages"] == {str(size): footprint}


def test_a_device_without_a_file_system_is_persistent_memory(adr: VirtualMachine, devices: dict[str, str]) -> None:
    facts = measured(f"kernel=triad target=devdax:/dev/{devices['devdax']} cpus=0,1 footprint=6MiB")
    assert (facts["persistence"], facts["pages"], facts["nodes"]) == ("adr", {str(2 * MiB): 6 * MiB}, {"0": 6 * MiB})
    assert (facts["origin"], facts["origin_by"]) == ("emulated", QEMU)


def test_two_groups_on_one_device_do_not_write_over_each_other(adr: VirtualMachine, devices: dict[str, str]) -> None:
    where = f"target=devdax:/dev/{devices['devdax']} footprint=2MiB element=4KiB"
    with Talk() as talk:
        talk.prepare(f"kernel=flush_clwb cpus=0 {where}", f"kernel=flush_nt cpus=1 {where}")
        talk.say("measure seconds=0.02")
        assert talk.say("check")["largest_relative_error"] == [0, 0]


def test_every_way_to_persist_runs_and_leaves_what_was_stored(adr: VirtualMachine, devices: dict[str, str]) -> None:
    for where in ("fsdax:/mnt/ext4/made", f"devdax:/dev/{devices['devdax']}"):
        for kernel in FLUSHES:
            facts = measured(f"kernel={kernel} target={where} cpus=0 footprint=2MiB element=256")
            assert (facts["kernel"], facts["persistence"]) == (kernel, "adr")


def test_an_nvdimm_can_be_memory_of_a_node_in_a_slower_tier(adr: VirtualMachine, devices: dict[str, str]) -> None:
    facts = measured("kernel=triad target=node:1 cpus=0,1 footprint=48MiB pages=4k")
    assert (facts["nodes"], facts["persistence"]) == ({"1": 48 * MiB}, "none")
    slow, fast = (
        int(
            adr.do(f"grep -lx {node} /sys/devices/virtual/memory_tiering/memory_tier*/nodelist").split("tier")[-1][:-10]
        )
        for node in (1, 0)
    )
    assert slow > fast


def test_nothing_is_left_on_a_file_system(adr: VirtualMachine, devices: dict[str, str]) -> None:
    with Talk() as talk:
        talk.prepare("kernel=read target=fsdax:/mnt/xfs/made cpus=0 footprint=2MiB")
    assert adr.do("ls /mnt/ext4 /mnt/xfs").split() == ["/mnt/ext4:", "lost+found", "/mnt/xfs:"]


# --- what is refused ---


def test_the_same_file_system_without_dax_is_refused(adr: VirtualMachine, devices: dict[str, str]) -> None:
    for options in ("dax=never", "dax=inode"):
        with mounted(adr, devices["ext4"], options) as target:
            status, why = refused(f"group kernel=read target={target} cpus=0 footprint=2MiB", "prepare")
        assert status == 3
        assert "cannot be mapped with MAP_SYNC: /mnt/ext4 is ext4" in why
        assert "mount -o dax=always" in why


def test_memory_shared_by_virtio_has_dax_but_does_not_persist_by_flushes(
    adr: VirtualMachine, devices: dict[str, str]
) -> None:
    shared = adr.do("cd /sys/bus/nd/devices/ndbus1 && ls -d region*").strip().replace("region", "pmem")
    nvdimm.formatted(adr, shared, "ext4", "/mnt/shared")
    assert "dax=always" in adr.do("grep /mnt/shared /proc/mounts")
    status, why = refused("group kernel=read target=fsdax:/mnt/shared/made cpus=0 footprint=2MiB", "prepare")
    assert (status, "cannot be mapped with MAP_SYNC" in why) == (3, True)


def test_a_raw_namespace_has_no_dax(adr: VirtualMachine, devices: dict[str, str]) -> None:
    adr.do(f"{nvdimm.MAKE['ext4']} /dev/{devices['raw']}; mkdir -p /mnt/raw")
    assert adr.shell(f"mount -t ext4 -o dax=always /dev/{devices['raw']} /mnt/raw")[0] != 0
    nvdimm.mount(adr, devices["raw"], "ext4", "/mnt/raw", "rw")
    status, why = refused("group kernel=read target=fsdax:/mnt/raw/made cpus=0 footprint=2MiB", "prepare")
    assert (status, "cannot be mapped with MAP_SYNC" in why) == (3, True)
    status, why = refused(f"group kernel=read target=devdax:/dev/{devices['raw']} cpus=0 footprint=2MiB", "prepare")
    assert (status, "is not a DAX device" in why) == (3, True)


@pytest.mark.parametrize(
    ("target", "size", "why"),
    [
        ("fsdax:/mnt/ext4/made", "512MiB", "/mnt/ext4"),
        ("devdax:/dev/{devdax}", "512MiB", "has 62 MiB"),
        ("devdax:/dev/{node}", "2MiB", "shows its state; who uses it: fuser /dev/dax"),
        ("devdax:/dev/dax9.9", "2MiB", "find /dev/dax9.9"),
        ("fsdax:/mnt/ext4", "2MiB", "/mnt/ext4"),
    ],
)
def test_too_much_and_what_is_not_there_is_refused(
    adr: VirtualMachine, devices: dict[str, str], target: str, size: str, why: str
) -> None:
    status, message = refused(f"group kernel=read target={target.format(**devices)} cpus=0 footprint={size}", "prepare")
    assert (status, why in message) == (3, True), message


def test_a_read_only_file_system_is_refused(adr: VirtualMachine, devices: dict[str, str]) -> None:
    with mounted(adr, devices["ext4"], f"{nvdimm.SYNC},ro") as target:
        status, why = refused(f"group kernel=read target={target} cpus=0 footprint=2MiB", "prepare")
    assert (status, "Read-only file system" in why) == (3, True), why


# --- what is recorded ---


def test_the_recorded_tree_is_what_this_kernel_shows(
    adr: VirtualMachine, devices: dict[str, str], root: Path, tmp_path: Path
) -> None:
    shown = recorded.tree(adr.system)
    recorded.same(shown, root / "tests/data/systems/pmem_guest.toml", tmp_path)
    kept = (root / "tests/data/systems/pmem_guest.toml").read_text()
    lines = [line for line in shown["/proc/self/mounts"].splitlines() if line.startswith(("/dev/pmem3", "/dev/pmem4"))]
    assert len(lines) == 2
    assert all(line in kept for line in lines)
