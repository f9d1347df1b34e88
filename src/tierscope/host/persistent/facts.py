"""What the kernel says of persistent memory, as plain data in the Machine. None and "" are: it does not say."""

import msgspec


class Region(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Persistent memory at consecutive addresses, of one DIMM or interleaved over several."""

    name: str  # "region0"
    provider: str = ""  # of its bus: "ACPI.NFIT", "e820" (memmap=), "virtio-pmem", "CXL"
    size_bytes: int | None = None
    free_bytes: int | None = None  # in no namespace
    align_bytes: int | None = None  # of namespaces made in it
    domain: str = ""  # "memory_controller" (ADR), "cpu_cache" (eADR), "unknown"
    numa_node: int | None = None  # nearest CPUs
    target_node: int | None = None  # the node it becomes when used as plain memory
    mappings: int | None = None  # DIMMs below it
    bad_blocks: int | None = None  # of 512 B
    deep_flush: bool | None = None  # whether the kernel can flush the DIMMs' own write queues
    read_only: bool | None = None


class Namespace(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of a region, made for one use."""

    name: str  # "namespace0.0"
    region: str  # "region0"
    mode: str = ""  # as ndctl says: "raw", "sector", "fsdax", "devdax"
    size_bytes: int | None = None
    sector_bytes: int | None = None
    alt_name: str = ""
    map: str = ""  # where its page structures lie: "mem" (DRAM), "dev" (on itself)
    align_bytes: int | None = None  # of its mappings
    block: str = ""  # "pmem0"
    character: str = ""  # "dax0.0"


class DaxDevice(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A range of memory on the DAX bus; behind it are persistent memory, CXL or memory the firmware set aside."""

    name: str  # "dax0.0"
    mode: str = ""  # "devdax": a character device; "system-ram": a node's memory; "": no driver holds it
    size_bytes: int | None = None
    align_bytes: int | None = None
    numa_node: int | None = None
    target_node: int | None = None


class Mount(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A mounted file system on persistent memory."""

    device: str  # "pmem0"
    path: str
    file_system: str  # "ext4", "xfs"
    dax: str = ""  # "always", "inode", "never"; "" is no option: as "inode" since Linux 5.8, as "never" before
    block_bytes: int | None = None
    stripe_bytes: int | None = None  # what large files are aligned to


class Nvdimm(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One DIMM of persistent memory."""

    name: str  # "nmem0"
    state: str = ""  # "active", "idle", "disabled"
    security: str = ""  # "disabled", "unlocked", "locked", "frozen", "overwrite"
    flags: tuple[str, ...] = ()  # the firmware's complaints: "not_armed", "flush_fail", ...
    dirty_shutdowns: int | None = None  # how often power went before all was saved


class Persistent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Persistent memory and DAX devices at the start of a run."""

    regions: tuple[Region, ...] = ()
    namespaces: tuple[Namespace, ...] = ()
    nvdimms: tuple[Nvdimm, ...] = ()
    dax: tuple[DaxDevice, ...] = ()
    mounts: tuple[Mount, ...] = ()
