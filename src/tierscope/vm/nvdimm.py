"""NVDIMMs of virtual machines, whose bytes are files here, and the steps that make them usable inside.

The content of an NVDIMM outlives its machine, as it does on a real one. But QEMU has no caches whose content could be
lost, so nothing here can show that a program forgot to flush.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tierscope.vm.qemu import VirtualMachine

MODULES = ("nfit", "nd_pmem", "dax_pmem", "device_dax", "kmem")
TOOLS = ("ndctl", "daxctl", "mkfs.ext4", "mkfs.xfs")
MAKE = {"ext4": "mkfs.ext4 -q -b 4096 -E stride=512,stripe_width=512", "xfs": "mkfs.xfs -q -f -m reflink=0"}
SYNC = "dax=always"


@dataclass(frozen=True, slots=True)
class Dimm:
    """An NVDIMM without labels, therefore one region: sizes are multiples of 16 MiB, and differ within a machine."""

    mib: int
    node: int = 0


def words_of(folder: Path, dimms: Mapping[str, Dimm], domain: str) -> tuple[str, ...]:
    """Return arguments for QEMU. `domain`: mem-ctrl is ADR, cpu is eADR. Creates absent files in `folder`."""
    words = ["-machine", f"nvdimm=on,nvdimm-persistence={domain}", "-m", "slots=8,maxmem=8G"]
    for name, dimm in dimms.items():
        file = f"mem-path={folder / name},share=on,size={dimm.mib}M,align=2M"
        words += ["-object", f"memory-backend-file,id={name},{file}"]
        words += ["-device", f"nvdimm,memdev={name},id=nvdimm-{name},node={dimm.node}"]
    return tuple(words)


def region(machine: VirtualMachine, dimm: Dimm) -> int:
    """Return the number of its region; the order of regions is not that of QEMU's words."""
    found = machine.do(f"grep -lx {dimm.mib << 20} /sys/bus/nd/devices/region*/size")
    return int(found.removeprefix("/sys/bus/nd/devices/region").removesuffix("/size\n"))


def namespace(machine: VirtualMachine, where: str, mode: str) -> str:
    """Return the device of a namespace made on the whole of a region: pmem0, dax0.0. `where`: ndctl's words."""
    made = machine.do(f"ndctl create-namespace {where} -m {mode} --map=mem")
    told: dict[str, Any] = json.loads(made)
    return str(told["blockdev"] if mode == "fsdax" else told["daxregion"]["devices"][0]["chardev"])


def mount(machine: VirtualMachine, device: str, kind: str, place: str, options: str) -> None:
    machine.do(f"mkdir -p {place} && mount -t {kind} -o {options} /dev/{device} {place}")


def formatted(machine: VirtualMachine, device: str, kind: str, place: str, options: str = SYNC) -> None:
    """Make a new file system, and mount it."""
    machine.do(f"{MAKE[kind]} /dev/{device}")
    mount(machine, device, kind, place, options)


def prepared(machine: VirtualMachine, dimms: Mapping[str, Dimm]) -> dict[str, str]:
    """Set each NVDIMM to the kind in its name; device by name. File systems are mounted at /mnt/NAME."""
    devices = {}
    for name, dimm in dimms.items():
        number = region(machine, dimm)
        whole = f"-f -e namespace{number}.0"  # without labels, it is there already, raw
        devices[name] = "pmem" + str(number)
        if name in MAKE:
            devices[name] = namespace(machine, whole, "fsdax")
            formatted(machine, devices[name], name, f"/mnt/{name}")
        elif name != "raw":
            devices[name] = namespace(machine, whole, "devdax")
        if name == "node":
            machine.do(f"daxctl reconfigure-device -m system-ram {devices[name]}")
    return devices


def targets_of(devices: Mapping[str, str]) -> tuple[str, ...]:
    """Return the targets that `prepared` made."""
    files = tuple(f"fsdax:/mnt/{name}/FILE" for name in devices if name in MAKE)
    devdax = tuple(f"devdax:/dev/{device}:overwrite" for name, device in devices.items() if name == "devdax")
    return (*files, *devdax, *(("node:1",) if "node" in devices else ()))
