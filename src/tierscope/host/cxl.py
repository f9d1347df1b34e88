"""CXL memory as the kernel shows it: the devices, and the regions of addresses made of them.

A region of volatile memory becomes a DAX device, and through it mostly a node; one of persistent memory becomes a
region of the NVDIMM bus. Blind to memory that the firmware made a plain node before Linux began: that is in no region.
Source: Linux, Documentation/ABI/testing/sysfs-bus-cxl; Compute Express Link Specification 3.1, 8.2.9.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

from tierscope.host.system import System

BUS = "/sys/bus/cxl/devices"


class CxlMemory(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One memory device. Null or "": the device does not report it."""

    name: Annotated[str, Meta(description="such as `mem0`")]
    ram_bytes: Annotated[int | None, Meta(description="volatile")] = None
    pmem_bytes: Annotated[int | None, Meta(description="persistent")] = None
    numa_node: Annotated[int | None, Meta(description="nearest CPUs")] = None
    firmware: Annotated[str, Meta(description="its version")] = ""


class CxlRegion(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A range of addresses over one device, or interleaved over several."""

    name: Annotated[str, Meta(description="such as `region0`")]
    mode: Annotated[str, Meta(description="`ram`, `pmem`")] = ""
    size_bytes: Annotated[int | None, Meta(description="its size")] = None
    ways: Annotated[int | None, Meta(description="devices it is interleaved over")] = None
    granularity_bytes: Annotated[int | None, Meta(description="consecutive bytes of one device")] = None
    committed: Annotated[bool | None, Meta(description="whether it answers to its addresses")] = None
    dax: Annotated[tuple[str, ...], Meta(description="DAX devices that it became")] = ()


class Cxl(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """CXL memory at the start of a run."""

    memories: Annotated[tuple[CxlMemory, ...], Meta(description="list of [`CxlMemory`](#cxlmemory)")] = ()
    regions: Annotated[tuple[CxlRegion, ...], Meta(description="list of [`CxlRegion`](#cxlregion)")] = ()


def look(system: System) -> Cxl | None:
    """Return all that the system shows; None where it shows none."""
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
