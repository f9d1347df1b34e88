"""NVDIMMs with ADR: ext4 and XFS with DAX, a DAX device, a node made of one, a raw one; and a virtio-pmem."""

from pathlib import Path

from tierscope.vm import nvdimm
from tierscope.vm.machine import Emulated, machines
from tierscope.vm.nvdimm import Dimm
from tierscope.vm.shape import Node, Shape

DIMMS = {"node": Dimm(384, node=1), "ext4": Dimm(192), "xfs": Dimm(320), "devdax": Dimm(64), "raw": Dimm(32)}
"""XFS wants 300 MiB. A node's memory comes in blocks of 128 MiB, and the namespace's own 2 MiB spoil the first."""
SHARED_MIB = 48


def shape(folder: Path) -> Shape:
    """Return the machine; one NVDIMM is for a node that has no memory yet."""
    return Shape(
        nodes=(
            Node(memory_mib=512, cpus="0-1", latency_ns=(90,), bandwidth_mb=(102400,)),
            Node(memory_mib=0, nearest=0, latency_ns=(350,), bandwidth_mb=(10240,)),
        ),
        modules=(*nvdimm.MODULES, "xfs", "virtio_pmem"),
        tools=nvdimm.TOOLS,
        words=(
            *nvdimm.words_of(folder, DIMMS, "mem-ctrl"),
            *("-object", f"memory-backend-file,id=shared,share=on,mem-path={folder / 'shared'},size={SHARED_MIB}M"),
            *("-device", "virtio-pmem-pci,memdev=shared"),
        ),
        media_mib=sum(dimm.mib for dimm in DIMMS.values()) + SHARED_MIB,
    )


machines.add(
    Emulated(
        name="nvdimm",
        summary="persistent memory that needs flushes (ADR): DAX file systems, a DAX device, a node made of it",
        shape=shape,
        offers={
            "fsdax:/mnt/ext4/FILE, fsdax:/mnt/xfs/FILE": "DAX file systems, mapped with MAP_SYNC",
            "devdax:/dev/daxN.0:overwrite": "a DAX device of 62 MiB; the line at the start names it",
            "node:1": "an NVDIMM as memory of a node without CPUs",
        },
        try_=(
            "run flush target=fsdax:/mnt/ext4/made footprint=2MiB total=2MiB chunks=64B,4KiB budget=0.05",
            "run stream target=fsdax:/mnt/ext4/made kernels=memset,memcpy threads=1 array=1MiB budget=0.05",
            "topology",
        ),
        blind="QEMU has no caches: a flush costs nothing like a real one, and a missing flush loses nothing",
        prepare=lambda machine: nvdimm.targets_of(nvdimm.prepared(machine, DIMMS)),
    )
)
