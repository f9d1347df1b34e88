"""The discovery of persistent memory, DAX devices and CXL, from files of a kernel."""

import os
import re
import stat
import time
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from said import say
from test_doctor_fuzz import Strange
from test_inspect import TOPOLOGY
from tierscope import core
from tierscope.host import cxl, persistent
from tierscope.host.cxl import Cxl, CxlMemory, CxlRegion
from tierscope.host.persistent import tools
from tierscope.host.persistent.facts import DaxDevice, Mount, Namespace, Nvdimm, Persistent, Region
from tierscope.host.persistent.regions import bad_blocks
from tierscope.host.system import System
from tierscope.record.machine import Machine
from tierscope.report.persistent import lines
from tierscope.report.provenance import machine_facts
from tierscope.run import hosts
from tierscope.run.inspect import inspect
from tierscope.units import GiB, MiB
from trees import FORBIDDEN, plant

HANGS_S = 600  # of a program that hangs; a good one may take long on a busy machine
ND, CXL = "/sys/bus/nd/devices", "/sys/bus/cxl/devices"
CARD = {  # a card of 256 GiB, half of it persistent; its volatile half is plain memory
    f"{CXL}/mem0/ram/size": "0x2000000000", f"{CXL}/mem0/pmem/size": "0x2000000000", f"{CXL}/mem0/numa_node": "1",
    f"{CXL}/mem0/firmware_version": "1.2", f"{CXL}/region0/mode": "ram", f"{CXL}/region0/size": "0x2000000000",
    f"{CXL}/region0/interleave_ways": "1", f"{CXL}/region0/interleave_granularity": "256",
    f"{CXL}/region0/commit": "1", f"{CXL}/region0/dax_region0/dax0.0/size": "137438953472",
    "/sys/bus/dax/devices/dax0.0/size": "137438953472", "/sys/bus/dax/devices/dax0.0/driver": "-> ../../drivers/kmem",
    "/sys/bus/dax/devices/dax0.0/numa_node": "-1", "/sys/bus/dax/devices/dax0.0/target_node": "2",
}  # fmt: skip


def found(folder: Path, machine: str = "pmem_guest", **changes: object) -> Persistent:
    seen = persistent.look(plant(folder, machine, changes))
    assert seen is not None
    return seen


def test_a_machine_without_any_has_none(tmp_path: Path) -> None:
    system = plant(tmp_path, "xeon_server")
    assert (persistent.look(system), cxl.look(system)) == (None, None)


def test_regions_are_reported_with_their_bus_and_domain(tmp_path: Path) -> None:
    first, *_, last = found(tmp_path / "adr").regions
    assert first == Region(
        name="region0", provider="ACPI.NFIT", size_bytes=32 * MiB, free_bytes=0, align_bytes=16 * MiB,
        domain="memory_controller", numa_node=0, target_node=0, mappings=1, bad_blocks=0, deep_flush=False,
        read_only=False,
    )  # fmt: skip
    assert (last.provider, last.domain, last.mappings) == ("virtio-pmem", "", 0)
    told = [(each.provider, each.domain) for each in found(tmp_path / "eadr", "eadr_guest").regions]
    assert told == [("ACPI.NFIT", "cpu_cache"), ("ACPI.NFIT", "cpu_cache"), ("e820", "")]


def test_namespaces_are_reported_in_the_words_of_ndctl_with_their_devices(tmp_path: Path) -> None:
    raw, _, direct, xfs, _, virtio = found(tmp_path).namespaces
    assert raw == Namespace(
        name="namespace0.0", region="region0", mode="raw", size_bytes=32 * MiB, sector_bytes=512, block="pmem0"
    )
    assert direct == Namespace(
        name="namespace2.0", region="region2", mode="devdax", size_bytes=64 * MiB, map="mem", align_bytes=2 * MiB,
        character="dax2.0",
    )  # fmt: skip
    assert xfs == Namespace(
        name="namespace3.0", region="region3", mode="fsdax", size_bytes=320 * MiB, sector_bytes=512, map="mem",
        align_bytes=2 * MiB, block="pmem3",
    )  # fmt: skip
    assert (virtio.mode, virtio.block, virtio.align_bytes) == ("fsdax", "pmem5", None)


def test_dimms_devices_and_mounts_are_reported(tmp_path: Path) -> None:
    seen = found(tmp_path, **{f"{ND}/nmem1/nfit/flags": "not_armed smart_notify", f"{ND}/nmem1/security": "locked",
                              f"{ND}/nmem1/nfit/dirty_shutdown": "7"})  # fmt: skip
    assert seen.nvdimms[0] == Nvdimm(name="nmem0", state="idle")
    assert seen.nvdimms[1] == Nvdimm(
        name="nmem1", state="idle", security="locked", flags=("not_armed", "smart_notify"), dirty_shutdowns=7
    )
    assert [(each.name, each.mode, each.target_node) for each in seen.dax] == [
        ("dax1.0", "system-ram", 1), ("dax2.0", "devdax", 0),
    ]  # fmt: skip
    assert seen.mounts == (
        Mount(device="pmem4", path="/mnt/ext4", file_system="ext4", dax="always"),
        Mount(device="pmem3", path="/mnt/xfs", file_system="xfs", dax="always"),
    )


def test_an_empty_place_and_an_idle_device_are_not_namespaces(tmp_path: Path) -> None:
    seen = found(tmp_path, **{f"{ND}/namespace0.1/size": "0", "/sys/bus/dax/devices/dax2.1/size": "0"})
    assert len(seen.namespaces) == 6
    assert len(seen.dax) == 2


class Blocks(System):
    """Every file system has blocks of 4 KiB."""

    def block_bytes(self, path: str) -> int | None:
        return 4096


@pytest.mark.parametrize(("line", "mount"), [
    ("/dev/pmem0 /mnt ext4 rw,stripe=512,dax=always 0 0",
     Mount(device="pmem0", path="/mnt", file_system="ext4", dax="always", block_bytes=4096, stripe_bytes=2 * MiB)),
    ("/dev/pmem0p1 /a\\040b xfs rw,dax,sunit=4096,swidth=4096 0 0",
     Mount(device="pmem0p1", path="/a b", file_system="xfs", dax="always", block_bytes=4096, stripe_bytes=2 * MiB)),
    ("/dev/pmem0.1 /x ext4 rw,dax=inode 0 0",
     Mount(device="pmem0.1", path="/x", file_system="ext4", dax="inode", block_bytes=4096)),
    ("/dev/pmem1s /x ext4 rw,stripe=zero 0 0",
     Mount(device="pmem1s", path="/x", file_system="ext4", block_bytes=4096)),
])  # fmt: skip
def test_a_line_of_the_mounts(tmp_path: Path, line: str, mount: Mount) -> None:
    root = plant(tmp_path, changes={"/proc/self/mounts": f"/dev/sda1 / ext4 rw 0 0\n{line}\n/dev/pmem2"}).root
    seen = persistent.look(Blocks(root))
    assert seen is not None
    assert seen.mounts == (mount,)


def test_a_file_system_reports_the_size_of_its_blocks(tmp_path: Path) -> None:
    assert System(tmp_path).block_bytes("/") == os.statvfs(tmp_path).f_bsize
    assert System(tmp_path).block_bytes("/absent") is None


@pytest.mark.parametrize(("text", "count"), [
    ("", 0), ("8 2\n64 1", 3), (None, None), ("8 two", None), ("8 -2", None), ("7", 7),
])  # fmt: skip
def test_bad_blocks_are_counted(text: str | None, count: int | None) -> None:
    assert bad_blocks(text) == count


def test_a_forbidden_file_is_none(tmp_path: Path) -> None:
    hidden = ("size", "persistence_domain", "badblocks", "deep_flush", "numa_node")
    files = [f"{ND}/region0/{name}" for name in hidden] + [f"{ND}/namespace0.0/mode"]
    seen = found(tmp_path, machine="", **dict.fromkeys(files, FORBIDDEN))
    assert seen == Persistent(
        regions=(Region(name="region0"),), namespaces=(Namespace(name="namespace0.0", region="region0"),)
    )


def test_cxl_devices_and_regions_are_reported(tmp_path: Path) -> None:
    system = plant(tmp_path, changes=CARD)
    assert cxl.look(system) == Cxl(
        memories=(CxlMemory(name="mem0", ram_bytes=128 * GiB, pmem_bytes=128 * GiB, numa_node=1, firmware="1.2"),),
        regions=(CxlRegion(name="region0", mode="ram", size_bytes=128 * GiB, ways=1, granularity_bytes=256,
                           committed=True, dax=("dax0.0",)),),
    )  # fmt: skip
    seen = persistent.look(system)
    assert seen is not None
    assert seen.dax == (DaxDevice(name="dax0.0", mode="system-ram", size_bytes=128 * GiB, target_node=2),)


def test_a_persistent_cxl_device_has_a_region_on_the_bus_of_persistent_memory(tmp_path: Path) -> None:
    system = plant(tmp_path, "cxl_guest")
    seen, card = persistent.look(system), cxl.look(system)
    assert seen is not None
    assert card is not None
    assert [(each.provider, each.size_bytes) for each in seen.regions] == [("CXL", 256 * MiB)]
    assert [(each.pmem_bytes, each.ram_bytes) for each in card.memories] == [(256 * MiB, 0)]
    assert [(each.size_bytes, each.committed) for each in card.regions] == [(256 * MiB, True)]


def test_the_identity_does_not_know_of_it(tmp_path: Path) -> None:
    without = inspect(TOPOLOGY, plant(tmp_path / "a"), peak=None)
    beside = inspect(TOPOLOGY, plant(tmp_path / "b", "pmem_guest", CARD), peak=None)
    assert beside.persistent is not None
    assert beside.cxl is not None
    assert beside.identity.nodes[0].tier == 4
    assert beside.identity.digest() == without.identity.digest()
    assert {"persistent", "cxl"}.isdisjoint(msgspec.to_builtins(without))
    assert msgspec.json.decode(msgspec.json.encode(beside), type=Machine) == beside


def test_words_name_every_part(tmp_path: Path) -> None:
    machine = inspect(TOPOLOGY, plant(tmp_path, "pmem_guest", {f"{ND}/region1/badblocks": "8 2", **CARD}), peak=None)
    told = list(lines(machine))
    assert told[0] == (
        "persistent region0: 32 MiB, by ACPI.NFIT, 1 DIMM, near node 0, as memory node 0, ADR: what left the caches "
        "persists"
    )
    assert told[1].endswith("2 bad blocks")
    assert told[5].endswith("persistence domain unknown")
    assert "namespace0.0: 32 MiB, raw, /dev/pmem0, 512 B sectors" in told
    assert (
        "namespace3.0: 320 MiB, fsdax, /dev/pmem3, page structures in DRAM, 512 B sectors, 2 MiB alignment"
    ) in told  # fmt: skip
    assert "/mnt/xfs: xfs on /dev/pmem3, dax=always" in told
    assert "dax1.0: 382 MiB, system-ram, 2 MiB alignment, near node 0, as memory node 1" in told
    assert told[-2:] == ["CXL mem0: 128 GiB volatile, 128 GiB persistent, near node 1, firmware 1.2",
                         "CXL region0: ram, 128 GiB, over 1 device, dax0.0"]  # fmt: skip
    assert dict(machine_facts(machine))["Persistent memory, CXL"] == "; ".join(told)


def test_without_any_the_page_is_silent(tmp_path: Path) -> None:
    machine = inspect(TOPOLOGY, plant(tmp_path), peak=None)
    assert list(lines(machine)) == []
    assert "Persistent memory, CXL" not in dict(machine_facts(machine))


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.data())
def test_no_file_makes_the_machine_fail(data: st.DataObject) -> None:
    system = Strange(data)
    for seen in (persistent.look(system), cxl.look(system)):
        assert seen is None or msgspec.json.decode(msgspec.json.encode(seen), type=type(seen)) == seen


# --- topology ---


def test_topology_shows_it_with_the_facts_of_firmware_and_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    system = plant(tmp_path / "root", "pmem_guest")
    monkeypatch.setattr(core, "topology", lambda: TOPOLOGY)
    monkeypatch.setattr(hosts, "System", lambda: system)
    tool(tmp_path, "ndctl", 'echo \'{"dev":"nmem0","health":{"health_state":"ok"}}\'', monkeypatch)
    status, out, _ = say(capfd, "topology")
    assert status == 0
    assert re.search(r", memory tier 4; reported from node 0: read \d+ ns, read [\d.]+ GB/s", out)
    assert "namespace0.0: 32 MiB, raw, /dev/pmem0, 512 B sectors\n" in out
    assert "ndctl: nmem0: health state ok\n" in out
    kept = msgspec.json.decode(say(capfd, "topology", "--json")[1], type=Machine)
    assert kept.persistent == persistent.look(system)


def test_topology_states_that_nothing_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(core, "topology", lambda: TOPOLOGY)
    monkeypatch.setattr(hosts, "System", lambda: plant(tmp_path))
    assert say(capfd, "topology")[1].endswith("persistent memory and CXL: none is shown\n")


# --- tools ---


def tool(folder: Path, name: str, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def only(lines: tuple[str, ...], name: str) -> list[str]:
    return [line for line in lines if line.startswith(f"{name}: ")]


def test_tools_that_are_absent_show_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert tools.health() == ()


@pytest.mark.parametrize(("answer", "told"), [
    ('[{"dev":"nmem0","health":{"health_state":"ok","life_used_percentage":3}},{"dev":"nmem1"}]',
     ["ndctl: nmem0: health state ok, life used percentage 3"]),
    ('{"dev":"nmem0","health":{"shutdown_state":"dirty"}}', ["ndctl: nmem0: shutdown state dirty"]),
    ("", []), ("[7]", []),
])  # fmt: skip
def test_ndctl_reports_health(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, told: list[str]) -> None:
    tool(tmp_path, "ndctl", f"cat <<'END'\n{answer}\nEND" if answer else "true", monkeypatch)
    assert only(tools.health(), "ndctl") == told


def test_ipmctl_reports_health(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = "<DimmList><Dimm><DimmID>0x0001</DimmID><HealthState>Healthy</HealthState></Dimm></DimmList>"
    tool(tmp_path, "ipmctl", f"echo '{answer}'", monkeypatch)
    assert only(tools.health(), "ipmctl") == ["ipmctl: 0x0001: HealthState Healthy"]


@pytest.mark.parametrize(("script", "longest_s", "words"), [
    ("exit 3", HANGS_S, "ended with status 3"), ("echo '{{'", HANGS_S, "not readable: "),
    (f"sleep {HANGS_S} & sleep {HANGS_S}", 0.3, "no answer within 0.3 s"),
    ("head -c 100000 /dev/zero | tr '\\0' '['", HANGS_S, "not readable: "),
])  # fmt: skip
def test_a_tool_that_fails_or_hangs_is_not_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, longest_s: float, words: str
) -> None:
    tool(tmp_path, "ndctl", script, monkeypatch)
    begun = time.monotonic()
    (line,) = only(tools.health(longest_s), "ndctl")
    assert words in line
    assert "not readable: " in line
    assert time.monotonic() - begun < HANGS_S
