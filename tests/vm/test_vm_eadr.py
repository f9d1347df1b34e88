"""NVDIMMs of a platform that saves its caches, DRAM that only passes for such, and what a killed machine leaves.

QEMU loses no store when it is killed: what is shown here is that file systems and namespaces come back, nothing about
flushes.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import recorded
from border import Talk
from tierscope.vm import nvdimm
from tierscope.vm.machines import eadr as eadr_machine
from virtual import VirtualMachine

COMMITTED = "a line that was written and synced before the end"


@pytest.fixture(scope="module")
def devices(eadr: VirtualMachine) -> dict[str, str]:
    return nvdimm.prepared(eadr, eadr_machine.DIMMS)


def prepared(target: str) -> tuple[str, str, str]:
    with Talk() as talk:
        (facts,) = talk.prepare(f"kernel=flush_clwb target={target} cpus=0 footprint=2MiB element=256")
        assert talk.say("measure seconds=0.01")["rows"] > 0
        assert max(talk.say("check")["largest_relative_error"]) <= 1e-15  # a fused multiply-add rounds once
    return facts["persistence"], facts["persistence_how"].split("/")[-1], facts["origin_by"]


def test_the_domain_is_that_of_the_platform(eadr: VirtualMachine, devices: dict[str, str]) -> None:
    for target in ("fsdax:/mnt/ext4/made", f"devdax:/dev/{devices['devdax']}"):
        domain, how, _ = prepared(target)
        assert (domain, how) == ("eadr", "persistence_domain: cpu_cache")


def test_dram_set_aside_at_boot_passes_for_persistent_but_is_known(
    eadr: VirtualMachine, devices: dict[str, str]
) -> None:
    nvdimm.formatted(eadr, eadr_machine.legacy_device(eadr), "ext4", "/mnt/dram")
    domain, how, by = prepared("fsdax:/mnt/dram/made")
    assert (domain, "unknown" in how or "needed at least" in how) == ("adr", True)
    assert "memmap=" in by


def test_the_recorded_tree_is_what_this_kernel_shows(
    eadr: VirtualMachine, devices: dict[str, str], root: Path, tmp_path: Path
) -> None:
    recorded.same(recorded.tree(eadr.system), root / "tests/data/systems/eadr_guest.toml", tmp_path)


@pytest.fixture(scope="module")
def after_the_end(eadr: VirtualMachine, devices: dict[str, str], dimms: Path) -> Iterator[VirtualMachine]:
    """The machine booted again from what a machine left that was killed while it wrote. The last test's."""
    eadr.do(f"echo '{COMMITTED}' >/mnt/ext4/committed && sync")
    eadr.do("(while :; do dd if=/dev/zero of=/mnt/ext4/busy bs=64k count=64; sync; done) >/dev/null 2>&1 &")
    with Talk() as talk:
        talk.prepare("kernel=flush_none target=fsdax:/mnt/ext4/made cpus=0 footprint=2MiB element=256")
        time.sleep(0.5)
        eadr.close()
    with VirtualMachine(eadr_machine.shape(dimms), eadr.packed) as machine:
        yield machine


def test_after_a_kill_mid_write_the_file_system_is_there_with_what_was_synced(
    after_the_end: VirtualMachine, devices: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert devices["ext4"] in after_the_end.do("ls /dev")
    assert devices["devdax"] in after_the_end.do("ls /dev")
    nvdimm.mount(after_the_end, devices["ext4"], "ext4", "/mnt/ext4", nvdimm.SYNC)
    assert "recovery complete" in after_the_end.do("dmesg | grep EXT4-fs")
    assert after_the_end.read("/mnt/ext4/committed") == COMMITTED
    assert "made" not in after_the_end.do("ls /mnt/ext4").split()
    monkeypatch.setenv("TIERSCOPE_CORE", str(after_the_end.core))
    assert prepared("fsdax:/mnt/ext4/made")[0] == "eadr"
