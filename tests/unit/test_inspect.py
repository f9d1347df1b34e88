"""The captured Machine: the report of the core, the additions of the files, and the unknown rest."""

import copy
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dmi import Module, table
from tierscope.errors import CoreError
from tierscope.host.smbios import PATH
from tierscope.record.machine import Machine
from tierscope.run.inspect import inspect, state
from tierscope.units import GiB, MiB
from trees import plant

TOPOLOGY: dict[str, Any] = {
    "architecture": "x86_64",
    "model": "Intel(R) Xeon(R) Gold 6346 CPU @ 3.10GHz",
    "family": "GenuineIntel:6:106:6",
    "features": ["avx2", "avx512f"],
    "hypervisor": "",
    "cpus": [{"number": n, "core": n % 4, "package": n % 4 // 2, "node": n % 4 // 2, "allowed": True}
             for n in range(8)],
    "nodes": [{"number": n, "cpus": [2 * n, 2 * n + 1, 2 * n + 4, 2 * n + 5], "memory_bytes": 128 * GiB,
               "free_bytes": 120 * GiB, "distances": [10, 20], "huge_pages": {"2097152": 512}} for n in range(2)],
    "caches": [{"level": 3, "kind": "Unified", "size_bytes": 36 * MiB, "ways": 12, "line_bytes": 64,
                "cpus": [0, 1, 4, 5]}],
}  # fmt: skip
SIX = [Module(locator=f"P1-DIMM{letter}1", bank=f"P0_Node0_Channel{number}_Dimm0")
       for number, letter in enumerate("ABCDEF")]  # fmt: skip


def changed(**fields: Any) -> dict[str, Any]:
    return {**copy.deepcopy(TOPOLOGY), **fields}


def test_a_server_is_captured(tmp_path: Path) -> None:
    machine = inspect(TOPOLOGY, plant(tmp_path, "xeon_server", {PATH: table(SIX)}), peak=None)
    assert (machine.hostname, machine.identity.kernel) == ("server", "6.1.0-18-amd64")
    assert machine.identity.microcode == "0xd0003b9"
    assert machine.identity.memory == "6 x 32 GiB DDR4-2933"
    assert machine.identity.nodes[1].huge_pages == {"2097152": 512}
    assert (machine.peak_bytes_per_s, machine.peak_source) == (6 * 2933e6 * 8, "SMBIOS: 6 x DDR4-2933")
    assert machine.cpus() == (0, 1, 2, 3, 4, 5, 6, 7)
    assert machine.last_level_cache_bytes() == 36 * MiB


def test_the_state_is_in_base_units(tmp_path: Path) -> None:
    found = state(plant(tmp_path, "xeon_server"))
    assert found == {
        "load_1min": 0.12, "load_5min": 0.08, "load_15min": 0.05,
        "clock_hz_min": pytest.approx(800.125e6), "clock_hz_max": 3.6e9,
        "steal_share_of_busy": 0.0, "governor": "performance", "thp": "always",
        "available_bytes": 255000000 * 1024, "uptime_s": 86400.0, "temperature_celsius_max": 52.5,
        "memory_total_bytes": 270185586688, "memory_blocks_online": None,
        "clock_source": "tsc",
        "pressure_cpu_10s": 0.0, "pressure_memory_10s": 0.0, "pressure_io_10s": pytest.approx(0.125),
    }  # fmt: skip


def test_a_file_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    assert set(state(plant(tmp_path)).values()) == {None}


@pytest.mark.parametrize(("text", "hottest"), [("255000", 52.5), ("-128000", 52.5), ("61000", 61.0), ("?", 52.5)])
def test_a_sensor_that_is_not_there_is_not_the_hottest(tmp_path: Path, text: str, hottest: float) -> None:
    system = plant(tmp_path, "xeon_server", {"/sys/class/thermal/thermal_zone1/temp": text})
    assert state(system)["temperature_celsius_max"] == hottest


def test_the_users_peak_beats_the_firmwares(tmp_path: Path) -> None:
    machine = inspect(TOPOLOGY, plant(tmp_path, "xeon_server", {PATH: table(SIX)}), peak=204.8e9)
    assert (machine.peak_bytes_per_s, machine.peak_source) == (204.8e9, "given: peak=204.8GB/s")


def test_a_guest_has_no_dimms_and_no_peak(tmp_path: Path) -> None:
    system = plant(tmp_path, "firecracker_guest", {PATH: table(SIX)})
    machine = inspect(changed(hypervisor="KVMKVMKVM"), system, peak=None)
    assert machine.identity.memory == "23.5 GiB in 2 nodes"  # the system's total, of /proc/meminfo
    assert machine.peak_bytes_per_s is None
    assert machine.peak_source.startswith("unknown: ")


def test_an_unreadable_table_leaves_the_total(tmp_path: Path) -> None:
    machine = inspect(TOPOLOGY, plant(tmp_path), peak=None)
    assert (machine.identity.memory, machine.identity.microcode, machine.hostname) == ("256 GiB in 2 nodes", "", "")


def test_a_captured_machine_survives_json(tmp_path: Path) -> None:
    machine = inspect(TOPOLOGY, plant(tmp_path, "xeon_server"), peak=None)
    assert msgspec.json.decode(msgspec.json.encode(machine), type=Machine) == machine


def test_the_identity_does_not_know_the_moment(tmp_path: Path) -> None:
    busy = {"/proc/loadavg": "9 9 9 1/1 1", "/proc/stat": "cpu 9 9 9 9 9 9 9 9", "/proc/uptime": "1 1"}
    before = inspect(TOPOLOGY, plant(tmp_path / "a", "xeon_server"), peak=None)
    after = inspect(TOPOLOGY, plant(tmp_path / "b", "xeon_server", busy), peak=None)
    assert before.state != after.state
    assert before.identity.digest() == after.identity.digest()


def test_additions_of_a_newer_core_are_not_a_fault(tmp_path: Path) -> None:
    assert inspect(changed(colour="blue"), plant(tmp_path), peak=None).identity.model == TOPOLOGY["model"]


@pytest.mark.parametrize(("fields", "words"), [
    ({"cpus": "all"}, "$.cpus"), ({"model": 7}, "$.model"), ({"hypervisor": None}, "$.hypervisor"),
    ({"nodes": [{"number": 0}]}, "$.nodes[0]"), ({"caches": [[]]}, "$.caches[0]"),
])  # fmt: skip
def test_a_core_that_answers_otherwise_is_named(tmp_path: Path, fields: dict[str, Any], words: str) -> None:
    with pytest.raises(CoreError, match="tierscope-core topology") as fault:
        inspect(changed(**fields), plant(tmp_path), peak=None)
    assert words in str(fault.value)


def test_a_missing_field_is_named(tmp_path: Path) -> None:
    with pytest.raises(CoreError, match="features"):
        inspect({key: value for key, value in TOPOLOGY.items() if key != "features"}, plant(tmp_path), peak=None)


def test_an_arm_server_has_its_dimms_from_smbios_and_a_guest_of_one_has_not(tmp_path: Path) -> None:
    arm = changed(architecture="aarch64", model="Neoverse-N1", hypervisor="", line_bytes=64, zeroing_bytes=64,
                  page_bytes=65536, large_page_bytes=512 << 20)  # fmt: skip
    bare = {PATH: table(SIX), "/proc/cpuinfo": "CPU implementer : 0x41", "/proc/stat": "cpu 1 0 0 1 0 0 0 0"}
    server = inspect(arm, plant(tmp_path / "server", "xeon_server", bare), peak=None)
    assert "DDR4" in server.identity.memory
    assert server.peak_bytes_per_s
    assert (server.base_page_bytes(), server.large_page_bytes()) == (65536, 512 << 20)
    assert server.state["zeroing_bytes"] == 64
    guest = {**bare, "/sys/class/dmi/id/sys_vendor": "QEMU"}
    machine = inspect(arm, plant(tmp_path / "guest", "xeon_server", guest), peak=None)
    assert machine.peak_bytes_per_s is None
    assert "DDR4" not in machine.identity.memory
