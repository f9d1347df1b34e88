"""The kernel's reports about persistent memory, as plain data in the Machine. None and "": not reported."""

from typing import Annotated

import msgspec
from msgspec import Meta


class Region(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Persistent memory at consecutive addresses, of one DIMM or interleaved over several."""

    name: Annotated[str, Meta(description="such as `region0`")]
    provider: Annotated[str, Meta(description="of its bus: `ACPI.NFIT`, `e820` (`memmap=`), `virtio-pmem`, `CXL`")] = ""
    size_bytes: Annotated[int | None, Meta(description="its size")] = None
    free_bytes: Annotated[int | None, Meta(description="in no namespace")] = None
    align_bytes: Annotated[int | None, Meta(description="of namespaces in it")] = None
    domain: Annotated[str, Meta(description="`memory_controller` is ADR, `cpu_cache` is eADR; `unknown`")] = ""
    numa_node: Annotated[int | None, Meta(description="nearest CPUs")] = None
    target_node: Annotated[int | None, Meta(description="the node it becomes as plain memory")] = None
    mappings: Annotated[int | None, Meta(description="DIMMs below it")] = None
    bad_blocks: Annotated[int | None, Meta(description="512 B each")] = None
    deep_flush: Annotated[bool | None, Meta(description="whether the kernel can flush the DIMMs' own queues")] = None
    read_only: Annotated[bool | None, Meta(description="whether it is")] = None


class Namespace(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of a region, made for one use."""

    name: Annotated[str, Meta(description="such as `namespace0.0`")]
    region: Annotated[str, Meta(description="name of the region that contains it")]
    mode: Annotated[str, Meta(description="`fsdax`, `devdax`, `sector`, `raw`, as ndctl names them")] = ""
    size_bytes: Annotated[int | None, Meta(description="its size")] = None
    sector_bytes: Annotated[int | None, Meta(description="of its block device")] = None
    alt_name: Annotated[str, Meta(description="the user's name for it")] = ""
    map: Annotated[
        str, Meta(description="location of its page structures: `mem` is DRAM, `dev` is the namespace itself")
    ] = ""
    align_bytes: Annotated[int | None, Meta(description="of mappings")] = None
    block: Annotated[str, Meta(description="block device, as `pmem0`")] = ""
    character: Annotated[str, Meta(description="character device, as `dax0.0`")] = ""


class DaxDevice(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A range of memory on the DAX bus: persistent memory, CXL, or memory that the firmware set aside."""

    name: Annotated[str, Meta(description="such as `dax0.0`")]
    mode: Annotated[
        str, Meta(description='`devdax` is a character device, `system-ram` a node\'s memory; "": no driver uses it')
    ] = ""
    size_bytes: Annotated[int | None, Meta(description="its size")] = None
    align_bytes: Annotated[int | None, Meta(description="of mappings")] = None
    numa_node: Annotated[int | None, Meta(description="nearest CPUs")] = None
    target_node: Annotated[int | None, Meta(description="the node it becomes, or is, as plain memory")] = None


class Mount(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A mounted file system on persistent memory."""

    device: Annotated[str, Meta(description="block device, as `pmem0`")]
    path: Annotated[str, Meta(description="where it is mounted")]
    file_system: Annotated[str, Meta(description="its kind")]
    dax: Annotated[
        str,
        Meta(
            description="the option: `always`, `inode`, `never`; empty: no option, which means `inode` since Linux 5.8 "
            "and `never` before"
        ),
    ] = ""
    block_bytes: Annotated[int | None, Meta(description="of the file system; DAX needs those of a page")] = None
    stripe_bytes: Annotated[int | None, Meta(description="what it aligns large files to")] = None


class Nvdimm(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One DIMM of persistent memory."""

    name: Annotated[str, Meta(description="such as `nmem0`")]
    state: Annotated[str, Meta(description="`active`, `idle`, `disabled`")] = ""
    security: Annotated[str, Meta(description="`disabled`, `unlocked`, `locked`, `frozen`, `overwrite`")] = ""
    flags: Annotated[
        tuple[str, ...],
        Meta(
            description="what the firmware complains of: `not_armed`, `flush_fail`, `save_fail`, "
            "`restore_fail`, `map_fail`, `smart_notify` ..."
        ),
    ] = ()
    dirty_shutdowns: Annotated[int | None, Meta(description="how often power failed before all was saved")] = None


class Persistent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Persistent memory and DAX devices at the start of a run, as the kernel shows them without root.

    Values that the kernel does not show are left out, here and below.
    """

    regions: Annotated[tuple[Region, ...], Meta(description="list of [`Region`](#region)")] = ()
    namespaces: Annotated[tuple[Namespace, ...], Meta(description="list of [`Namespace`](#namespace)")] = ()
    nvdimms: Annotated[tuple[Nvdimm, ...], Meta(description="list of [`Nvdimm`](#nvdimm)")] = ()
    dax: Annotated[tuple[DaxDevice, ...], Meta(description="list of [`DaxDevice`](#daxdevice)")] = ()
    mounts: Annotated[tuple[Mount, ...], Meta(description="list of [`Mount`](#mount)")] = ()
