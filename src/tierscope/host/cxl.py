"""CXL memory as the kernel shows it: the devices, and the regions of addresses made of them.

A region of volatile memory becomes a DAX device, and through it mostly a node; one of persistent memory becomes a
region of the NVDIMM bus. Blind to memory that the firmware made a plain node before Linux began: that is in no region.
Source: Linux, Documentation/ABI/testing/sysfs-bus-cxl; Compute Express Link Specification 3.1, 8.2.9.
"""

import msgspec

from tierscope.host.system import System

BUS = "/sys/bus/cxl/devices"


class CxlMemory(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One memory device. None and "": it does not say."""

    name: str  # "mem0"
    ram_bytes: int | None = None  # volatile
    pmem_bytes: int | None = None  # persistent
    numa_node: int | None = None  # nearest CPUs
    firmware: str = ""


class CxlRegion(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A range of addresses over one device, or interleaved over several."""

    name: str  # "region0"
    mode: str = ""  # "ram", "pmem"; older kernels do not say
    size_bytes: int | None = None
    ways: int | None = None  # devices it is interleaved over
    granularity_bytes: int | None = None  # consecutive bytes of one device
    committed: bool | None = None  # whether it answers to its addresses
    dax: tuple[str, ...] = ()  # devices of the DAX bus that it became


class Cxl(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """CXL memory at the start of a run."""

    memories: tuple[CxlMemory, ...] = ()
    regions: tuple[CxlRegion, ...] = ()


def look(system: System) -> Cxl | None:
    """All that the system shows; None where it shows none."""
    found = Cxl(
        memories=tuple(_memory(system, path) for path in system.glob(f"{BUS}/mem[0-9]*")),
        regions=tuple(_region(system, path) for path in system.glob(f"{BUS}/region[0-9]*")),
    )
    return None if found == Cxl() else found


def _memory(system: System, path: str) -> CxlMemory:
    return CxlMemory(
        name=path.rpartition("/")[2],
        ram_bytes=system.count(f"{path}/ram/size"),
        pmem_bytes=system.count(f"{path}/pmem/size"),
        numa_node=system.count(f"{path}/numa_node"),
        firmware=system.read(f"{path}/firmware_version", 64) or "",
    )


def _region(system: System, path: str) -> CxlRegion:
    committed = system.count(f"{path}/commit")
    return CxlRegion(
        name=path.rpartition("/")[2],
        mode=system.read(f"{path}/mode", 64) or "",
        size_bytes=system.count(f"{path}/size"),
        ways=system.count(f"{path}/interleave_ways"),
        granularity_bytes=system.count(f"{path}/interleave_granularity"),
        committed=None if committed is None else committed == 1,
        dax=tuple(each.rpartition("/")[2] for each in system.glob(f"{path}/dax_region*/dax[0-9]*")),
    )
