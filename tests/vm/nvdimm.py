"""Persistent memory of virtual machines: NVDIMMs whose bytes are files here, and what makes them usable inside.

What an NVDIMM holds outlives its machine, as it does on a real one. But QEMU has no caches whose content could be lost,
so nothing here can show that a program forgot to flush.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from virtual import Node, Shape, VirtualMachine

MODULES = ("nfit", "nd_pmem", "dax_pmem", "device_dax", "kmem")
TOOLS = ("ndctl", "daxctl", "mkfs.ext4", "mkfs.xfs")
MAKE = {"ext4": "mkfs.ext4 -q -b 4096 -E stride=512,stripe_width=512", "xfs": "mkfs.xfs -q -f -m reflink=0"}
SYNC = "dax=always"


@dataclass(frozen=True, slots=True)
class Dimm:
    """An NVDIMM without labels, hence one region: sizes are multiples of 16 MiB, and differ within a machine."""

    mib: int
    node: int = 0


ADR = {"node": Dimm(384, node=1), "ext4": Dimm(192), "xfs": Dimm(320), "devdax": Dimm(64), "raw": Dimm(32)}
"""XFS wants 300 MiB. A node's memory comes in blocks of 128 MiB, and the namespace's own 2 MiB spoil the first."""
EADR = {"ext4": Dimm(96), "devdax": Dimm(64)}
SMALL = {"ext4": Dimm(96), "devdax": Dimm(64), "bad": Dimm(48)}
"""One is for a medium with bad blocks."""


def words_of(folder: Path, dimms: Mapping[str, Dimm], domain: str) -> tuple[str, ...]:
    """Words for QEMU. `domain`: mem-ctrl is ADR, cpu is eADR. Files in `folder` are made where they are absent."""
    words = ["-machine", f"nvdimm=on,nvdimm-persistence={domain}", "-m", "slots=8,maxmem=8G"]
    for name, dimm in dimms.items():
        file = f"mem-path={folder / name},share=on,size={dimm.mib}M,align=2M"
        words += ["-object", f"memory-backend-file,id={name},{file}"]
        words += ["-device", f"nvdimm,memdev={name},id=nvdimm-{name},node={dimm.node}"]
    return tuple(words)


def adr(folder: Path) -> Shape:
    """NVDIMMs with ADR, one of them for a node that has no memory yet, and a virtio-pmem."""
    return Shape(
        nodes=(
            Node(memory_mib=512, cpus="0-1", latency_ns=(90,), bandwidth_mb=(102400,)),
            Node(memory_mib=0, nearest=0, latency_ns=(350,), bandwidth_mb=(10240,)),
        ),
        modules=(*MODULES, "xfs", "virtio_pmem"),
        tools=TOOLS,
        words=(
            *words_of(folder, ADR, "mem-ctrl"),
            *("-object", f"memory-backend-file,id=shared,share=on,mem-path={folder / 'shared'},size=48M"),
            *("-device", "virtio-pmem-pci,memdev=shared"),
        ),
    )


def small(folder: Path) -> Shape:
    """NVDIMMs with ADR for what spoils a device, and the core that serves pools."""
    nodes = (Node(memory_mib=512, cpus="0-1"),)
    words = words_of(folder, SMALL, "mem-ctrl")
    return Shape(nodes=nodes, modules=MODULES, tools=TOOLS, pools=True, words=words)


def eadr(folder: Path) -> Shape:
    """NVDIMMs whose platform also saves the caches, and 48 MiB of DRAM that the kernel is told to take for such."""
    return Shape(
        nodes=(Node(memory_mib=512, cpus="0-1"),),
        modules=(*MODULES, "nd_e820"),
        tools=TOOLS,
        words=words_of(folder, EADR, "cpu"),
        boot=("memmap=48M!128M",),
    )


def cxl(folder: Path) -> Shape:
    """A CXL memory device, persistent. Two root ports: QEMU 7.2 loses every store where the bridge has one alone."""
    window = "cxl=on,cxl-fmw.0.targets.0=bridge,cxl-fmw.0.size=4G"
    devices = (
        "pxb-cxl,bus_nr=12,bus=pcie.0,id=bridge", "cxl-rp,port=0,bus=bridge,id=port0,chassis=0,slot=2",
        "cxl-rp,port=1,bus=bridge,id=port1,chassis=0,slot=3", "cxl-type3,bus=port0,memdev=media,lsa=labels,id=cxl0",
    )  # fmt: skip
    return Shape(
        nodes=(Node(memory_mib=512, cpus="0-1"),),
        modules=(*MODULES, "cxl_acpi", "cxl_pci", "cxl_mem", "cxl_pmem"),
        tools=(*TOOLS, "cxl"),
        words=(
            *("-machine", f"q35,{window}", "-m", "slots=4,maxmem=8G"),
            *("-object", f"memory-backend-file,id=media,share=on,mem-path={folder / 'media'},size=256M"),
            *("-object", f"memory-backend-file,id=labels,share=on,mem-path={folder / 'labels'},size=256K"),
            *(word for device in devices for word in ("-device", device)),
        ),
    )


def region(machine: VirtualMachine, dimm: Dimm) -> int:
    """Number of its region; the order of regions is not that of QEMU's words."""
    found = machine.do(f"grep -lx {dimm.mib << 20} /sys/bus/nd/devices/region*/size")
    return int(found.removeprefix("/sys/bus/nd/devices/region").removesuffix("/size\n"))


def namespace(machine: VirtualMachine, where: str, mode: str) -> str:
    """The device of a namespace made on the whole of a region: pmem0, dax0.0. `where`: ndctl's words."""
    made = machine.do(f"ndctl create-namespace {where} -m {mode} --map=mem")
    told: dict[str, Any] = json.loads(made)
    return str(told["blockdev"] if mode == "fsdax" else told["daxregion"]["devices"][0]["chardev"])


def mount(machine: VirtualMachine, device: str, kind: str, place: str, options: str) -> None:
    machine.do(f"mkdir -p {place} && mount -t {kind} -o {options} /dev/{device} {place}")


def formatted(machine: VirtualMachine, device: str, kind: str, place: str, options: str = SYNC) -> None:
    """A new file system, mounted."""
    machine.do(f"{MAKE[kind]} /dev/{device}")
    mount(machine, device, kind, place, options)


def prepared(machine: VirtualMachine, dimms: Mapping[str, Dimm]) -> dict[str, str]:
    """Makes each NVDIMM what its name says; device by name. File systems are mounted at /mnt/NAME."""
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
