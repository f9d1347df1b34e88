"""Captures the Machine: what the core sees of CPUs, caches and nodes, and what the system's files add.

`identity` is the same after a reboot of the same kernel; `state` is of this moment and flat, in base
units: hertz, bytes, seconds, shares 0..1. A value that cannot be read is None, never a guess.
Source: Linux, proc(5), Documentation/ABI/testing/sysfs-class-thermal; DMTF DSP0134 for the memory.
"""

import re
from typing import Any

import msgspec

from tierscope.errors import CoreError
from tierscope.host import blocks, cxl, levers, persistent, smbios
from tierscope.host import peak as theory
from tierscope.host.proc import cpu_time, first_cpu, meminfo, pressure, virtual
from tierscope.host.system import System, parse_list, real, whole
from tierscope.record.machine import Cache, Cpu, Identity, Machine, Node
from tierscope.units import show_bytes

CPU = "/sys/devices/system/cpu"


class Topology(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of `tierscope-core topology`."""

    architecture: str
    model: str
    family: str
    features: tuple[str, ...]
    hypervisor: str
    cpus: tuple[Cpu, ...]
    nodes: tuple[Node, ...]
    caches: tuple[Cache, ...]
    line_bytes: int = 0
    zeroing_bytes: int = 0
    page_bytes: int = 0
    large_page_bytes: int = 0

    def lasting(self) -> dict[str, Any]:
        """Return what belongs to the identity."""
        return {name: value for name, value in msgspec.structs.asdict(self).items() if name not in MEMORY_UNITS}

    def units(self) -> dict[str, int]:
        """Return the bytes of a line and of pages, of those that are stated."""
        return {name: value for name in MEMORY_UNITS if (value := getattr(self, name)) > 0}


MEMORY_UNITS = ("line_bytes", "zeroing_bytes", "page_bytes", "large_page_bytes")


def inspect(topology: dict[str, Any], system: System, peak: float | None) -> Machine:
    """Return the Machine of now. `peak` in bytes/s is the user's word and beats the firmware's.

    CoreError when `topology` lacks a field or has one of a wrong type.
    """
    seen = _decode(topology)
    seen = msgspec.structs.replace(seen, nodes=_with_tiers(system, *(_rated(system, node) for node in seen.nodes)))
    guest = _is_guest(system, seen)
    limit = theory.given(peak) if peak is not None else theory.theoretical(system, virtual=guest)
    identity = Identity(
        **seen.lasting(),
        microcode=first_cpu(system).get("microcode", ""),
        kernel=system.read("/proc/sys/kernel/osrelease", 256) or "",
        memory=_memory(system, seen, guest=guest),
    )
    return Machine(
        hostname=system.read("/proc/sys/kernel/hostname", 256) or "",
        identity=identity,
        state=state(system) | seen.units(),
        peak_bytes_per_s=limit.bytes_per_s,
        peak_source=limit.source,
        persistent=persistent.look(system),
        cxl=cxl.look(system),
    )


def simulated(topology: dict[str, Any], peak: float | None) -> Machine:
    """Return a simulated machine, which has no system and no state of the moment. `peak` as in `inspect`."""
    seen = _decode(topology)
    total = sum(node.memory_bytes for node in seen.nodes)
    identity = Identity(**seen.lasting(), microcode="", kernel="", memory=f"{show_bytes(total)}, simulated")
    return Machine(
        hostname="simulated",
        identity=identity,
        state=dict(seen.units()),
        peak_bytes_per_s=peak,
        peak_source=theory.given(peak).source if peak is not None else "unknown: a simulated machine states none",
    )


def _decode(topology: dict[str, Any]) -> Topology:
    try:
        return msgspec.convert(topology, Topology)
    except msgspec.ValidationError as error:
        raise CoreError(f"`tierscope-core topology` gave an answer that this tierscope does not know: {error}; "
                        "install both from one version") from error  # fmt: skip


def _rated(system: System, node: Node) -> Node:
    """Add what the firmware's HMAT reports of the node for its best initiators; nothing where it is silent.

    Class 1 are CPUs alone, class 0 may be a device that is nearer. Linux gives ns and MB/s (10^6); 0 is not a value.
    Source: Linux, Documentation/admin-guide/mm/numaperf.rst; ACPI 6.5, 5.2.28.
    """
    for access in ("access1", "access0"):
        folder = f"/sys/devices/system/node/node{node.number}/{access}/initiators"
        links = [int(path.rpartition("node")[2]) for path in system.glob(f"{folder}/node[0-9]*")]
        found = {
            f"{way}_{what}": value * unit
            for way in ("read", "write")
            for name, what, unit in (("latency", "latency_s", 1e-9), ("bandwidth", "bandwidth_bytes_per_s", 1e6))
            if (value := system.number(f"{folder}/{way}_{name}") or 0) > 0
        }
        if links and found:
            return msgspec.structs.replace(node, reported=found, initiators=tuple(links))
    return node


def _with_tiers(system: System, *nodes: Node) -> tuple[Node, ...]:
    """Return the nodes with the kernel's memory tier of each, where it has them.

    Source: Linux 6.1, Documentation/ABI/testing/sysfs-kernel-mm-memory-tiers.
    """
    tiers: dict[int, int | None] = {}
    for path in system.glob("/sys/devices/virtual/memory_tiering/memory_tier[0-9]*"):
        members = parse_list(system.read(f"{path}/nodelist", 4096)) or ()
        tiers.update(dict.fromkeys(members, whole(path.rpartition("memory_tier")[2])))
    return tuple(msgspec.structs.replace(node, tier=tiers.get(node.number)) for node in nodes)


def _is_guest(system: System, seen: Topology) -> bool:
    """Return whether a hypervisor, whose SMBIOS is made up, runs below. CPUID names it on x86, files elsewhere."""
    return bool(seen.hypervisor) or (seen.architecture != "x86_64" and virtual(system) is True)


def _memory(system: System, seen: Topology, *, guest: bool) -> str:
    """Return the DIMMs where the firmware reports credible ones, else the system's total."""
    listed = "" if guest else smbios.describe(smbios.dimms(system) or ())
    total = meminfo(system).get("MemTotal") or sum(node.memory_bytes for node in seen.nodes)
    return listed or f"{show_bytes(total)} in {len(seen.nodes)} node{'s' if len(seen.nodes) > 1 else ''}"


def state(system: System) -> dict[str, str | float | int | None]:
    """Return load, clocks, steal, pressure, temperature, and the switches that a result depends on."""
    memory, clocks, loads = meminfo(system), _clocks(system), _loads(system)
    time = cpu_time(system)
    return {
        "load_1min": loads[0],
        "load_5min": loads[1],
        "load_15min": loads[2],
        "clock_hz_min": min(clocks, default=None),
        "clock_hz_max": max(clocks, default=None),
        "steal_share_of_busy": time.stolen / time.busy if time and time.busy else None,
        "governor": system.read(f"{CPU}/cpu0/cpufreq/scaling_governor", 64),
        "thp": system.choice("/sys/kernel/mm/transparent_hugepage/enabled"),
        "available_bytes": memory.get("MemAvailable"),
        **blocks.look(system).state,
        **levers.look(system),
        **{f"pressure_{name}_10s": pressure(system, name).get("some") for name in ("cpu", "memory", "io")},
        "uptime_s": real(next(iter((system.read("/proc/uptime", 64) or "").split()), None)),
        "temperature_celsius_max": _temperature(system),
        "clock_source": system.read("/sys/devices/system/clocksource/clocksource0/current_clocksource", 64),
    }


def _loads(system: System) -> list[float | None]:
    words = (system.read("/proc/loadavg", 128) or "").split()[:3]
    return [real(word) for word in words] + [None] * (3 - len(words))


def _clocks(system: System) -> list[float]:
    """Return the hertz of every CPU from /proc/cpuinfo, one sample for all; cpufreq's file waits for each CPU."""
    lines = re.findall(r"^cpu MHz\s*:\s*(\S+)$", system.read("/proc/cpuinfo") or "", re.MULTILINE)
    return [megahertz * 1e6 for line in lines if (megahertz := real(line))]


def _temperature(system: System) -> float | None:
    """Return the hottest sensor of CPU or board; files contain thousandths of a degree."""
    paths = system.glob("/sys/class/thermal/thermal_zone*/temp") + system.glob("/sys/class/hwmon/hwmon*/temp*_input")
    degrees = [value / 1000 for path in paths if (value := system.number(path)) is not None]
    believable = [value for value in degrees if 0 < value < 150]  # some boards report -128 or 255 for no sensor
    return max(believable, default=None)
