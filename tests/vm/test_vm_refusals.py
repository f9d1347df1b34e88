"""Refusals by DAX devices and media that only a kernel with such devices can show: content, rights, bad blocks."""

import json
from pathlib import Path

import pytest

from border import refused, run
from tierscope.errors import MachineError
from tierscope.plans import suites
from tierscope.record.result import load
from tierscope.run.start import begin, execute
from tierscope.units import KiB, MiB
from virtual import VirtualMachine

SECTOR = 512
PLAN = "kernel=read cpus=0 footprint=2MiB"
CONTENT = {
    b"PMEMOBJ\0": (0, "a pool of PMDK"),
    b"XFSB": (0, "an XFS file system"),
    b"\x53\xef": (0x438, "an ext4 file system"),
    b"LUKS\xba\xbe": (0, "an encrypted volume"),
}


# --- a device without a file system ---


def start_of(machine: VirtualMachine, device: str) -> int:
    """Where on its NVDIMM the bytes of a DAX device begin."""
    own = int(machine.read(f"/sys/bus/dax/devices/{device}/resource"), 16)
    bounds = machine.do("cd /sys/bus/nd/devices && for r in region*; do cat $r/resource $r/size; done").split()
    starts = zip((int(word, 16) for word in bounds[::2]), map(int, bounds[1::2]), strict=True)
    return next(own - first for first, size in starts if first <= own < first + size)


@pytest.mark.parametrize("sign", CONTENT)
def test_a_device_with_content_is_refused_unless_it_may_be_lost(
    small: VirtualMachine, spoilt: dict[str, str], media: Path, sign: bytes
) -> None:
    place, owner = CONTENT[sign]
    target = f"devdax:/dev/{spoilt['devdax']}"
    with (media / "devdax").open("r+b", buffering=0) as bytes_of_it:
        bytes_of_it.seek(start_of(small, spoilt["devdax"]))
        bytes_of_it.write(bytes(4 * KiB))
        bytes_of_it.seek(place - 4 * KiB, 1)
        bytes_of_it.write(sign)
        status, why = refused(f"group {PLAN} target={target}", "prepare")
        assert status == 3
        assert f"target {target} seems to contain {owner}, which would be overwritten" in why
        assert f"write {target}:overwrite to lose it" in why
        bytes_of_it.seek(start_of(small, spoilt["devdax"]) + place)
        assert bytes_of_it.read(len(sign)) == sign
        status, facts = run(f"group {PLAN} target={target}:overwrite", "prepare", "check")
        assert (status, facts[-1]["fact"]) == (0, "checked"), facts[-1]
        bytes_of_it.seek(start_of(small, spoilt["devdax"]) + place)
        assert bytes_of_it.read(len(sign)) != sign


def test_a_device_that_may_not_be_opened_is_refused_with_the_line_that_allows_it(
    small: VirtualMachine, spoilt: dict[str, str]
) -> None:
    device = f"/dev/{spoilt['devdax']}"
    small.do("mkdir -p /etc && echo 'somebody:x:1000:1000::/tmp:/bin/sh' >/etc/passwd")
    plan = f"group {PLAN} target=devdax:{device}\\nprepare\\n"
    status, said = small.shell(f"printf '{plan}' | su somebody -c 'tierscope-core run -'")
    last = json.loads(said.splitlines()[-1])
    assert (status, last["fact"], last["kind"]) == (3, "error", "SystemError")
    assert last["message"] == f"open {device} (as root: setfacl -m u:$USER:rw {device}): Permission denied"


def test_a_device_whose_driver_is_gone_is_refused(small: VirtualMachine, spoilt: dict[str, str]) -> None:
    device = spoilt["devdax"]
    small.do(f"cp -a /dev/{device} /tmp/{device}; echo {device} >/sys/bus/dax/drivers/device_dax/unbind")
    try:
        status, why = refused(f"group {PLAN} target=devdax:/tmp/{device}", "prepare")
        assert (status, " shows its state" in why or "is not a DAX device" in why) == (3, True), why
    finally:
        small.do(f"echo {device} >/sys/bus/dax/drivers/device_dax/bind")


# --- bad blocks ---


def spoil(machine: VirtualMachine, device: str, pages_before: int) -> None:
    """One more bad page, some pages before the middle of the device: the driver refuses to map it from now on."""
    middle = int(machine.read(f"/sys/block/{device}/size")) * SECTOR // 2 // (4 * KiB) - pages_before
    machine.do(f"echo {middle * 4 * KiB // SECTOR} {4 * KiB // SECTOR} >/sys/block/{device}/badblocks")


def byte_in(message: str) -> int:
    return int(message.partition(": byte ")[2].split()[0])


def test_a_bad_block_is_a_fault_with_its_place_and_the_session_of_another_file_continues(
    small: VirtualMachine, spoilt: dict[str, str], tmp_path: Path
) -> None:
    target = "fsdax:/mnt/bad/made"
    plan = f"group kernel=read cpus=0 footprint={32 * MiB} target={target}"
    assert run(plan, "prepare")[0] == 0
    found = []
    for pages in (0, 3):
        spoil(small, spoilt["bad"], pages)
        status, facts = run(plan, "prepare")
        assert (status, facts[-1]["fact"], facts[-1]["kind"]) == (3, "error", "Fault")
        assert facts[-1]["message"].startswith(f"target {target}: byte ")
        assert " of its 33554432 cannot be read or written (SIGBUS): " in facts[-1]["message"]
        found.append(byte_in(facts[-1]["message"]))
    assert found[0] - found[1] == 3 * 4 * KiB
    assert small.do("ls /mnt/bad") == "lost+found\n"
    assert run(plan.replace(target, "fsdax:/mnt/ext4/made"), "prepare")[0] == 0

    words = suites["stream"].read({"target": target, "kernels": "memset", "threads": "1", "array": "32MiB"})
    directory, manifest = begin("stream", words, "", ("tierscope", "stream"), tmp_path / "run")
    with pytest.raises(MachineError, match=rf"target {target}: byte {found[1]} of its 33554432"):
        execute(directory, manifest)
    assert not load(directory).result.complete
