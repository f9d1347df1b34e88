"""The facts of a host, as covariates: name -> text. A fact that the host does not show is absent, never a guess.

No serial number, address or user of the host is kept; its identity is a digest that it made itself.
Source: DMTF, System Management BIOS Reference Specification, DSP0134 3.7.0, 2023, 7.18 (part number at 0x1A).
"""

import hashlib
import re
from collections import Counter

from tierscope.fleet.payload.bundle import Bundle
from tierscope.host import smbios
from tierscope.host.system import System
from tierscope.printable import printable
from tierscope.record.machine import Machine

LONGEST = 400
IDENTITY = ("identity/etc/machine-id", "identity/sys/class/dmi/id/product_uuid")
PART_NUMBER = 0x1A
DMI = "/sys/class/dmi/id"


def machine_of(bundle: Bundle, host: str) -> tuple[str, str]:
    """Return the digest of the machine, and what it was made of; the host's name where it shows nothing."""
    for name in IDENTITY:
        if re.fullmatch(r"[0-9a-f]{64}", text := bundle.text(name)):
            return text[:16], name.rpartition("/")[2]
    return hashlib.sha256(host.encode()).hexdigest()[:16], "host name"


def facts_of(machine: Machine, system: System) -> dict[str, str]:
    """Return what is known of a host; the limit of a `HostReport` on lengths is kept."""
    identity = machine.identity
    state = {name: machine.state.get(name) for name in ("thp", "governor", "load_1min")}
    found: dict[str, object] = {
        "sku": " ".join(filter(None, (_dmi(system, "sys_vendor"), _dmi(system, "product_name"), identity.model))),
        "family": identity.family,
        "microcode": identity.microcode,
        "bios": " ".join(filter(None, (_dmi(system, "bios_version"), _dmi(system, "bios_date")))),
        "board": _dmi(system, "board_name"),
        "kernel": identity.kernel,
        "hypervisor": identity.hypervisor,
        "hostname": machine.hostname,
        "cpus": len(machine.cpus()),
        "nodes": len(identity.nodes),
        **_counts(machine),
        "dimms": identity.memory,
        "dimm_part": parts(system),
        "peak_source": machine.peak_source,
        "corrected_errors": _errors(system),
        **state,
    }
    return {name: printable(str(value))[:LONGEST] for name, value in found.items() if value not in ("", None)}


def _counts(machine: Machine) -> dict[str, object]:
    """Return packages, cores of a package and CPUs of a core; what differs within a host is absent."""
    cores = {(cpu.package, cpu.core): 0 for cpu in machine.identity.cpus}
    for cpu in machine.identity.cpus:
        cores[cpu.package, cpu.core] += 1
    packages = Counter(package for package, _ in cores)
    counts = {"package_cores": set(packages.values()), "core_cpus": set(cores.values())}
    same: dict[str, object] = {name: found.pop() for name, found in counts.items() if len(found) == 1}
    return {"packages": len(packages) or "", **same}


def parts(system: System) -> str:
    """Return '16 x M321R8GA0BB0'; "" where the firmware's table cannot be read."""
    table = system.bytes(smbios.PATH) or b""
    devices = [one for one in smbios.structures(table) if one.kind == smbios.DEVICE and one.number(0x0C, 2)]
    names = Counter(one.text(PART_NUMBER) or "unnamed" for one in devices)
    return ", ".join(f"{count} x {name}" for name, count in sorted(names.items()))


def _dmi(system: System, name: str) -> str:
    return system.read(f"{DMI}/{name}", 256) or ""


def _errors(system: System) -> str:
    """Return the corrected errors of memory since boot; "" without EDAC."""
    counts = [system.number(path) for path in system.glob("/sys/devices/system/edac/mc/mc[0-9]*/ce_count")]
    known = [one for one in counts if one is not None]
    return str(sum(known)) if known else ""
