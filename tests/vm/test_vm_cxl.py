"""Emulated CXL memory that persists: a region, a namespace on it, and a DAX file system as a target."""

from pathlib import Path

import pytest

import recorded
from border import Talk
from tierscope.units import MiB
from tierscope.vm.machines import cxl as cxl_machine
from virtual import VirtualMachine


@pytest.fixture(scope="module")
def device(cxl: VirtualMachine) -> str:
    """The namespace's block device, with a file system at /mnt/cxl."""
    return cxl_machine.region(cxl)


def test_a_region_of_cxl_is_persistent_memory(cxl: VirtualMachine, device: str) -> None:
    with Talk() as talk:
        (facts,) = talk.prepare("kernel=triad target=fsdax:/mnt/cxl/made cpus=0,1 footprint=96KiB")
        talk.say("measure seconds=0.01")
        assert max(talk.say("check")["largest_relative_error"]) <= 1e-15  # a fused multiply-add rounds once
    assert (facts["persistence"], facts["origin"]) == ("adr", "emulated")
    assert facts["persistence_how"] == "/sys/bus/nd/devices/region0/persistence_domain: memory_controller"


def test_its_bytes_are_where_the_device_keeps_them(cxl: VirtualMachine, device: str, dimms: Path) -> None:
    words = b"what was stored must be found in the medium"
    cxl.do(f"echo '{words.decode()}' >/mnt/cxl/kept && sync")
    media = (dimms / "media").read_bytes()
    assert (len(media), words in media) == (256 * MiB, True)


def test_the_recorded_tree_is_what_this_kernel_shows(
    cxl: VirtualMachine, device: str, root: Path, tmp_path: Path
) -> None:
    recorded.same(recorded.tree(cxl.system), root / "tests/data/systems/cxl_guest.toml", tmp_path)
