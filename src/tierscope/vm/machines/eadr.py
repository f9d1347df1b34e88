"""NVDIMMs of a platform that also saves its caches (eADR), and DRAM that `memmap=` passes off as such."""

from pathlib import Path

from tierscope.vm import nvdimm
from tierscope.vm.machine import Emulated, machines
from tierscope.vm.nvdimm import Dimm
from tierscope.vm.qemu import VirtualMachine
from tierscope.vm.shape import Node, Shape

DIMMS = {"ext4": Dimm(96), "devdax": Dimm(64)}
LEGACY = "memmap=48M!128M"


def shape(folder: Path) -> Shape:
    """Return the machine; 48 MiB of its DRAM are set aside when it boots."""
    return Shape(
        nodes=(Node(memory_mib=512, cpus="0-1"),),
        modules=(*nvdimm.MODULES, "nd_e820"),
        tools=nvdimm.TOOLS,
        words=nvdimm.words_of(folder, DIMMS, "cpu"),
        boot=(LEGACY,),
        media_mib=sum(dimm.mib for dimm in DIMMS.values()),
    )


def legacy_device(machine: VirtualMachine) -> str:
    """Return the block device of the DRAM that the kernel took for persistent memory."""
    path = machine.do("grep -l e820 /sys/bus/nd/devices/ndbus*/provider").strip().removesuffix("/provider")
    return machine.do(f"cd {path} && ls -d region*").strip().replace("region", "pmem")


def _prepare(machine: VirtualMachine) -> tuple[str, ...]:
    made = nvdimm.prepared(machine, DIMMS)
    nvdimm.formatted(machine, legacy_device(machine), "ext4", "/mnt/dram")
    return (*nvdimm.targets_of(made), "fsdax:/mnt/dram/FILE")


machines.add(
    Emulated(
        name="eadr",
        summary="persistent memory whose platform saves its caches (eADR), and DRAM that memmap= sets aside",
        shape=shape,
        offers={
            "fsdax:/mnt/ext4/FILE": "a DAX file system on an NVDIMM, domain eadr",
            "devdax:/dev/daxN.0:overwrite": "a DAX device of 62 MiB; the line at the start names it",
            "fsdax:/mnt/dram/FILE": "a DAX file system on DRAM that memmap= sets aside",
        },
        try_=(
            "run flush target=fsdax:/mnt/ext4/made footprint=2MiB total=2MiB chunks=64B,4KiB budget=0.05",
            "run stream target=fsdax:/mnt/dram/made kernels=memset threads=1 array=1MiB budget=0.05",
            "doctor",
        ),
        blind="QEMU has no caches: nothing shows whether they would be saved",
        prepare=_prepare,
    )
)
