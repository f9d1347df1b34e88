"""Persistent memory and CXL in words, a line for each part, for the terminal and the page."""

from collections.abc import Iterator

from tierscope.host.cxl import CxlMemory, CxlRegion
from tierscope.host.persistent.facts import DaxDevice, Mount, Namespace, Nvdimm, Region
from tierscope.record.machine import Machine
from tierscope.units import show_bytes

DOMAINS = {"memory_controller": "ADR: what left the caches persists", "cpu_cache": "eADR: caches persist"}


def lines(machine: Machine) -> Iterator[str]:
    """Yield regions, namespaces, their mounts, DIMMs, DAX devices; then CXL. Nothing where there is none."""
    if found := machine.persistent:
        yield from map(_region, found.regions)
        yield from map(_namespace, found.namespaces)
        yield from map(_mount, found.mounts)
        yield from map(_nvdimm, found.nvdimms)
        yield from map(_dax, found.dax)
    if machine.cxl:
        yield from map(_memory, machine.cxl.memories)
        yield from map(_cxl_region, machine.cxl.regions)


def _join(name: str, *parts: str) -> str:
    return f"{name}: {', '.join(part for part in parts if part) or 'it reports nothing'}"


def _size(size: int | None, what: str = "") -> str:
    return "" if size is None else f"{show_bytes(size)}{what}"


def _nodes(near: int | None, own: int | None) -> str:
    """Return the nodes: the one near its CPUs, and its own number once it is plain memory."""
    return ", ".join(
        f"{what} {node}" for what, node in (("near node", near), ("as memory node", own)) if node is not None
    )


def _region(region: Region) -> str:
    return _join(
        f"persistent {region.name}",
        _size(region.size_bytes),
        _size(region.free_bytes or None, " in no namespace"),
        region.provider and f"by {region.provider}",
        "" if region.mappings is None else f"{region.mappings} DIMM{'' if region.mappings == 1 else 's'}",
        _nodes(region.numa_node, region.target_node),
        DOMAINS.get(region.domain, "persistence domain unknown"),
        "read-only" if region.read_only else "",
        f"{region.bad_blocks} bad blocks" if region.bad_blocks else "",
    )


def _namespace(namespace: Namespace) -> str:
    device = namespace.block or namespace.character
    return _join(
        namespace.name,
        _size(namespace.size_bytes),
        namespace.mode or "mode unknown",
        device and f"/dev/{device}",
        namespace.alt_name and f"called {namespace.alt_name}",
        namespace.map and f"page structures in {'DRAM' if namespace.map == 'mem' else 'itself'}",
        _size(namespace.sector_bytes, " sectors"),
        _size(namespace.align_bytes, " alignment"),
    )


def _mount(mount: Mount) -> str:
    return _join(
        mount.path,
        f"{mount.file_system} on /dev/{mount.device}",
        f"dax={mount.dax}" if mount.dax else "no dax option",
        _size(mount.block_bytes, " blocks"),
        _size(mount.stripe_bytes, " stripe"),
    )


def _nvdimm(dimm: Nvdimm) -> str:
    return _join(
        dimm.name,
        dimm.state,
        dimm.security and f"security {dimm.security}",
        " ".join(dimm.flags),
        "" if dimm.dirty_shutdowns is None else f"{dimm.dirty_shutdowns} dirty shutdowns",
    )


def _dax(device: DaxDevice) -> str:
    return _join(
        device.name,
        _size(device.size_bytes),
        device.mode or "no driver",
        _size(device.align_bytes, " alignment"),
        _nodes(device.numa_node, device.target_node),
    )


def _memory(memory: CxlMemory) -> str:
    return _join(
        f"CXL {memory.name}",
        _size(memory.ram_bytes or None, " volatile"),
        _size(memory.pmem_bytes or None, " persistent"),
        _nodes(memory.numa_node, None),
        memory.firmware and f"firmware {memory.firmware}",
    )


def _cxl_region(region: CxlRegion) -> str:
    return _join(
        f"CXL {region.name}",
        region.mode,
        _size(region.size_bytes),
        "" if region.ways is None else f"over {region.ways} device{'' if region.ways == 1 else 's'}",
        _size(region.granularity_bytes, " each alternately") if (region.ways or 0) > 1 else "",
        "not committed" if region.committed is False else "",
        " ".join(region.dax),
    )
