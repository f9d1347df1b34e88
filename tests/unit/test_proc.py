"""The kernel's text formats, as the recorded machines show them."""

from pathlib import Path

import pytest

from tierscope.host import proc
from trees import plant


def test_the_guest_is_read_as_recorded(tmp_path: Path) -> None:
    system = plant(tmp_path, "firecracker_guest")
    assert proc.meminfo(system)["MemTotal"] == 24684084 * 1024
    assert "HugePages_Total" not in proc.meminfo(system)
    assert {"hypervisor", "constant_tsc", "movdir64b"} <= proc.flags(system)
    assert proc.first_cpu(system)["processor"] == "0"
    assert (proc.online(system), proc.allowed(system), proc.memory_nodes(system)) == ((0, 1), (0, 1), (0,))
    assert proc.pressure(system, "cpu") == {"some": pytest.approx(0.0043), "full": 0.0}
    assert proc.cpu_time(system) == (8003 + 1516 + 83 + 8, 8, 150526 + 432)
    assert proc.capable(system, proc.CAP_PERFMON)
    assert proc.virtual(system) is True


def test_an_empty_machine_gives_empty_answers(tmp_path: Path) -> None:
    system = plant(tmp_path)
    assert (proc.meminfo(system), proc.flags(system), proc.pressure(system, "cpu")) == ({}, frozenset(), {})
    assert (proc.online(system), proc.allowed(system), proc.memory_nodes(system)) == ((), (), ())
    assert (proc.cpu_time(system), proc.virtual(system), proc.vendor(system)) == (None, None, "")
    assert not proc.capable(system, 0, 63)


@pytest.mark.parametrize(("changes", "answer"), [
    ({}, None),
    ({"/proc/cpuinfo": "flags : fpu tsc"}, False),
    ({"/proc/cpuinfo": "flags : fpu tsc hypervisor"}, True),
    ({"/sys/hypervisor/type": "xen"}, True),
    ({"/proc/device-tree/hypervisor/compatible": "linux,kvm"}, True),
    ({"/sys/class/dmi/id/sys_vendor": "QEMU"}, True),
    ({"/sys/class/dmi/id/sys_vendor": "Amazon EC2"}, None),  # also the maker of bare metal
    ({"/proc/stat": "cpu  5 0 5 5 0 0 0 3 0 0"}, True),  # only a hypervisor steals
    ({"/proc/stat": "cpu  5 0 5 5 0 0 0 0 0 0"}, None),
])  # fmt: skip
def test_a_hypervisor_is_named_or_not_known(tmp_path: Path, changes: dict[str, object], answer: bool | None) -> None:
    assert proc.virtual(plant(tmp_path, changes=changes)) is answer


def test_capabilities_are_bits_of_the_effective_set(tmp_path: Path) -> None:
    system = plant(
        tmp_path, changes={"/proc/self/status": "CapEff:\t0000000000800000"}
    )  # docker run --cap-add SYS_NICE
    assert proc.capable(system, proc.CAP_SYS_NICE)
    assert not proc.capable(system, proc.CAP_SYS_ADMIN, proc.CAP_IPC_LOCK)


@pytest.mark.parametrize("text", ["", "cpu", "cpu 1 2 3 4 5 6 7", "cpu0 1 2 3 4 5 6 7 8", "cpu one 2 3 4 5 6 7 8"])
def test_a_kernel_without_steal_time_is_not_read_wrongly(tmp_path: Path, text: str) -> None:
    assert proc.cpu_time(plant(tmp_path, changes={"/proc/stat": text})) is None


def test_time_between_two_looks_never_runs_backwards() -> None:
    later, earlier = proc.CpuTime(15, 3, 90), proc.CpuTime(10, 5, 80)
    assert later.since(earlier) == (5, 0, 10)
