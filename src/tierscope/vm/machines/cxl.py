"""A CXL memory device that persists, and a node without CPUs, as firmware shows a CXL expander of volatile memory.

The node is plain memory with the figures of an expander in the HMAT. QEMU 7.2 has no volatile CXL device, and each
access to its persistent one is a call of QEMU of about 0.5 us, which is too slow for a node.
"""

from pathlib import Path

from tierscope.vm import nvdimm
from tierscope.vm.machine import Emulated, machines
from tierscope.vm.qemu import VirtualMachine
from tierscope.vm.shape import Node, Shape

DEVICES = (
    "pxb-cxl,bus_nr=12,bus=pcie.0,id=bridge", "cxl-rp,port=0,bus=bridge,id=port0,chassis=0,slot=2",
    "cxl-rp,port=1,bus=bridge,id=port1,chassis=0,slot=3", "cxl-type3,bus=port0,memdev=media,lsa=labels,id=cxl0",
)  # fmt: skip
"""Two root ports: QEMU 7.2 loses every store where the bridge has one alone."""


def shape(folder: Path) -> Shape:
    """Return the machine, with the device's media as a file in `folder`."""
    window = "cxl=on,cxl-fmw.0.targets.0=bridge,cxl-fmw.0.size=4G"
    return Shape(
        nodes=(
            Node(memory_mib=512, cpus="0-1", latency_ns=(100,), bandwidth_mb=(102400,)),
            Node(memory_mib=256, nearest=0, latency_ns=(250,), bandwidth_mb=(25600,)),
        ),
        distances=((10, 24), (24, 10)),
        modules=(*nvdimm.MODULES, "cxl_acpi", "cxl_pci", "cxl_mem", "cxl_pmem"),
        tools=(*nvdimm.TOOLS, "cxl"),
        words=(
            *("-machine", f"q35,{window}", "-m", "slots=4,maxmem=8G"),
            *("-object", f"memory-backend-file,id=media,share=on,mem-path={folder / 'media'},size=256M"),
            *("-object", f"memory-backend-file,id=labels,share=on,mem-path={folder / 'labels'},size=256K"),
            *(word for device in DEVICES for word in ("-device", device)),
        ),
        media_mib=257,
    )


def region(machine: VirtualMachine) -> str:
    """Make a region, a namespace on it and a file system at /mnt/cxl; return its block device."""
    machine.do("cxl create-region -m -d decoder0.0 -w 1 mem0")
    device = nvdimm.namespace(machine, "-r region0", "fsdax")
    nvdimm.formatted(machine, device, "ext4", "/mnt/cxl")
    return device


def _prepare(machine: VirtualMachine) -> tuple[str, ...]:
    region(machine)
    return ("fsdax:/mnt/cxl/FILE", "node:1")


machines.add(
    Emulated(
        name="cxl",
        summary="a CXL memory device with a DAX file system, and a node without CPUs as CXL expanders are shown",
        shape=shape,
        offers={
            "node:1": "a node without CPUs, with the HMAT figures of an expander; plain memory in QEMU",
            "fsdax:/mnt/cxl/FILE": "a DAX file system on a persistent CXL region; each access is a call of QEMU",
        },
        try_=(
            "run cxl array=1MiB budget=0.05",
            "run latency target=node:1 from=16KiB to=64KiB per_octave=1 budget=0.05",
            "topology",
        ),
        blind="QEMU has neither a link nor its latency: no figure is one of a CXL device",
        prepare=_prepare,
    )
)
