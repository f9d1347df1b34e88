"""Regions, namespaces and DIMMs of the kernel's NVDIMM bus.

A namespace is claimed by a device of its mode (pfn0.0, dax0.0, btt0.0), which has the block or character device; one
that is not claimed is raw, unless its bus gives it page structures itself (memmap=). Sizes of 0 are seeds: empty
places for the next namespace.
Source: Linux, drivers/nvdimm/namespace_devs.c (mode_show, holder_show), region_devs.c, drivers/acpi/nfit/core.c.
"""

import re

from tierscope.host.persistent.facts import Namespace, Nvdimm, Region
from tierscope.host.system import System, whole

BUS = "/sys/bus/nd/devices"
MODES = {"raw": "raw", "safe": "sector", "memory": "fsdax", "dax": "devdax"}  # the kernel's words, ndctl's words
MAPS = {"ram": "mem", "pmem": "dev"}


def regions(system: System) -> tuple[Region, ...]:
    """Return those with persistent memory, in order of their numbers."""
    return tuple(_region(system, path) for path in system.glob(f"{BUS}/region[0-9]*"))


def _region(system: System, path: str) -> Region:
    name = path.rpartition("/")[2]
    flush, read_only = (system.count(f"{path}/{name}") for name in ("deep_flush", "read_only"))
    return Region(
        name=name,
        provider=_provider(system, name),
        size_bytes=system.count(f"{path}/size"),
        free_bytes=system.count(f"{path}/available_size"),
        align_bytes=system.count(f"{path}/align"),
        domain=system.read(f"{path}/persistence_domain", 64) or "",
        numa_node=system.count(f"{path}/numa_node"),
        target_node=system.count(f"{path}/target_node"),
        mappings=system.count(f"{path}/mappings"),
        bad_blocks=bad_blocks(system.read(f"{path}/badblocks")),
        deep_flush=None if flush is None else flush == 1,
        read_only=None if read_only is None else read_only == 1,
    )


def _provider(system: System, region: str) -> str:
    """Return the provider of the region's bus; of the only bus if the region is not shown below one."""
    buses = [path.rpartition("/")[0] for path in system.glob(f"{BUS}/ndbus*/{region}")]
    providers = [f"{bus}/provider" for bus in buses] or system.glob(f"{BUS}/ndbus*/provider")
    return (system.read(providers[0], 64) or "") if len(providers) == 1 else ""


def bad_blocks(text: str | None) -> int | None:
    """Return the number of bad blocks: '8 2', '64 1' -> 3; '' -> 0; None for anything else.

    A line is a first block and a length.
    """
    lengths = [whole(line.split()[-1]) for line in (text or "").splitlines() if line.split()]
    known = [length for length in lengths if length is not None and length >= 0]
    return sum(known) if text is not None and len(known) == len(lengths) else None


def namespaces(system: System) -> tuple[Namespace, ...]:
    """Return those that contain memory, in order of their numbers."""
    found = (_namespace(system, path) for path in system.glob(f"{BUS}/namespace[0-9]*"))
    return tuple(each for each in found if each.size_bytes != 0)


def _namespace(system: System, path: str) -> Namespace:
    name = path.rpartition("/")[2]
    holder = system.read(f"{path}/holder", 64) or ""
    claim = f"{BUS}/{holder}" if re.fullmatch(r"(pfn|dax|btt)[0-9.]+", holder) else path
    block = _only(system, f"{claim}/block/pmem[0-9]*")
    sector = system.choice(f"{path}/sector_size") or system.read(f"{claim}/block/{block}/queue/logical_block_size", 16)
    return Namespace(
        name=name,
        region=f"region{name.removeprefix('namespace').partition('.')[0]}",
        mode=MODES.get(system.read(f"{path}/mode", 64) or "", ""),
        size_bytes=system.count(f"{path}/size"),
        sector_bytes=whole(sector) if re.fullmatch("[0-9]{1,9}", sector or "") else None,
        alt_name=system.read(f"{path}/alt_name", 128) or "",
        map=MAPS.get(system.read(f"{claim}/mode", 64) or "", "") if claim != path else "",
        align_bytes=system.count(f"{claim}/align") if claim != path else None,
        block=block,
        character=_only(system, f"{claim}/dax[0-9]*"),
    )


def _only(system: System, pattern: str) -> str:
    found = system.glob(pattern)
    return found[0].rpartition("/")[2] if len(found) == 1 else ""


def nvdimms(system: System) -> tuple[Nvdimm, ...]:
    """Return every DIMM. Flags are in the folder of the firmware's interface: ACPI (nfit) or POWER (papr)."""
    return tuple(_nvdimm(system, path) for path in system.glob(f"{BUS}/nmem[0-9]*"))


def _nvdimm(system: System, path: str) -> Nvdimm:
    flags = [system.read(f"{path}/{firmware}/flags", 256) or "" for firmware in ("nfit", "papr")]
    counts = [system.count(f"{path}/{interface}/dirty_shutdown") for interface in ("nfit", "papr", "cxl")]
    return Nvdimm(
        name=path.rpartition("/")[2],
        state=system.read(f"{path}/state", 64) or "",
        security=system.read(f"{path}/security", 64) or "",
        flags=tuple(word for text in flags for word in text.split()),
        dirty_shutdowns=next((count for count in counts if count is not None), None),
    )
