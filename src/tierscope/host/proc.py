"""The kernel's text formats that several rooms read; each gives an empty answer for a strange file.

Source: Linux, Documentation/filesystems/proc.rst, Documentation/accounting/psi.rst, proc(5).
"""

import re
from typing import NamedTuple

from tierscope.host.system import System, parse_list, real, whole

CAP_IPC_LOCK, CAP_SYS_ADMIN, CAP_SYS_NICE, CAP_PERFMON = 14, 21, 23, 38  # bits, include/uapi/linux/capability.h
CPUINFO_HEAD_BYTES = 1 << 14  # the entry of the first CPU is under 4 KiB; the rest costs time on large machines


def fields(text: str | None) -> dict[str, str]:
    """Return the keys and values of lines of `key: value`."""
    pairs = (line.partition(":") for line in (text or "").splitlines())
    return {key.strip(): value.strip() for key, colon, value in pairs if colon}


def status(system: System) -> dict[str, str]:
    """Return /proc/self/status: CPUs and nodes that are allowed, capabilities, seccomp."""
    return fields(system.read("/proc/self/status"))


def capable(system: System, *bits: int) -> bool:
    """Return whether this process has one of the capabilities in effect."""
    text = status(system).get("CapEff", "")
    effective = int(text, 16) if re.fullmatch(r"[0-9a-fA-F]{1,16}", text) else 0
    return any(effective >> bit & 1 for bit in bits)


def meminfo(system: System) -> dict[str, int]:
    """Return /proc/meminfo in bytes; lines without a unit (counts of huge pages) are left out."""
    numbers = {key: whole(value.removesuffix(" kB")) for key, value in fields(system.read("/proc/meminfo")).items()
               if value.endswith(" kB")}  # fmt: skip
    return {key: value * 1024 for key, value in numbers.items() if value is not None}


def first_cpu(system: System) -> dict[str, str]:
    """Return what /proc/cpuinfo shows for the first CPU that it lists."""
    text = system.read("/proc/cpuinfo", CPUINFO_HEAD_BYTES)
    return fields(text.split("\n\n")[0] if text else None)


def flags(system: System) -> frozenset[str]:
    """Return CPU features as the kernel calls them; empty where /proc/cpuinfo names none."""
    cpu = first_cpu(system)
    return frozenset((cpu.get("flags") or cpu.get("Features") or "").split())


def online(system: System) -> tuple[int, ...]:
    """Return the CPUs that the kernel uses; () is unknown."""
    return parse_list(system.read("/sys/devices/system/cpu/online")) or ()


def allowed(system: System) -> tuple[int, ...]:
    """Return the CPUs that this process may use; () is unknown."""
    return parse_list(status(system).get("Cpus_allowed_list")) or ()


def memory_nodes(system: System) -> tuple[int, ...]:
    """Return the online NUMA nodes with memory; () is unknown."""
    base = "/sys/devices/system/node"
    return parse_list(system.read(f"{base}/has_memory")) or parse_list(system.read(f"{base}/online")) or ()


def pressure(system: System, resource: str) -> dict[str, float]:
    """Return PSI over the last 10 s as shares 0..1: {"some": 0.02, "full": 0.0}; {} is unknown."""
    text = system.read(f"/proc/pressure/{resource}") or ""
    shares = {kind: real(value) for kind, value in re.findall(r"^(some|full) avg10=(\S+)", text, re.MULTILINE)}
    return {kind: value / 100 for kind, value in shares.items() if value is not None}


class CpuTime(NamedTuple):
    """Time of all CPUs since boot, in clock ticks of the kernel (10 ms on most)."""

    busy: int  # user, nice, system, interrupts, stolen
    stolen: int  # wanted to run, but the hypervisor ran something else
    idle: int

    def since(self, earlier: "CpuTime") -> "CpuTime":
        return CpuTime(*(max(0, now - then) for now, then in zip(self, earlier, strict=True)))


def cpu_time(system: System) -> CpuTime | None:
    """Return what /proc/stat shows of all CPUs together; None where it does not."""
    return parse_cpu_time(system.read("/proc/stat", 1 << 12) or "")


def parse_cpu_time(text: str) -> CpuTime | None:
    """Return the line `cpu` of /proc/stat: user nice system idle iowait irq softirq steal ..."""
    match = re.match(r"cpu((?:\s+[0-9]{1,20})+)", text)
    numbers = [int(word) for word in match[1].split()] if match else []
    if len(numbers) < 8:
        return None
    user, nice, kernel, idle, iowait, irq, softirq, stolen = numbers[:8]
    return CpuTime(user + nice + kernel + irq + softirq + stolen, stolen, idle + iowait)


def virtual(system: System) -> bool | None:
    """Return whether a hypervisor runs below; None if nothing shows it (no CPU flag exists outside x86)."""
    known = flags(system)
    if "hypervisor" in known or system.read("/sys/hypervisor/type") or system.why(DEVICE_TREE) == "readable":
        return True
    if vendor(system).startswith(GUEST_VENDORS):
        return True
    time = cpu_time(system)
    if time and time.stolen:
        return True
    return False if "fpu" in known else None


DEVICE_TREE = "/proc/device-tree/hypervisor/compatible"
GUEST_VENDORS = ("QEMU", "VMware", "innotek", "Xen", "Google", "OpenStack", "Red Hat", "KubeVirt", "Parallels")
"""DMI system vendors of virtual machines only. Amazon and Microsoft also sell bare metal: they prove nothing."""


def vendor(system: System) -> str:
    """Return who made the machine, by DMI; "" is unknown."""
    return system.read("/sys/class/dmi/id/sys_vendor", 256) or ""
