"""The Machine as plain data, kept in every Result.

`identity` holds what stays over a reboot (its digest is the key under which results may be compared);
`state` holds what changes by the minute: load, frequency, steal, temperature.
"""

import hashlib

import msgspec


class Cache(msgspec.Struct, frozen=True, kw_only=True):
    """One cache as the system reports it, which a hypervisor may have made up."""

    level: int
    kind: str  # "Data", "Instruction", "Unified"
    size_bytes: int
    ways: int
    line_bytes: int
    cpus: tuple[int, ...]  # the CPUs that share it


class Cpu(msgspec.Struct, frozen=True, kw_only=True):
    """One logical processor."""

    number: int
    core: int
    package: int
    node: int
    allowed: bool  # by this process's affinity and cpuset


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """One NUMA node; a node without CPUs is memory alone (CXL, persistent memory as RAM)."""

    number: int
    cpus: tuple[int, ...]
    memory_bytes: int
    free_bytes: int
    distances: tuple[int, ...]  # to every online node, in order of node number
    huge_pages: dict[str, int]  # free huge pages by size: {"2097152": 0}


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """What makes two results comparable."""

    model: str
    architecture: str
    family: str  # vendor:family:model:stepping
    microcode: str
    features: tuple[str, ...]  # those that the kernels ask about
    hypervisor: str  # "" on bare metal
    kernel: str
    memory: str  # DIMMs from SMBIOS where readable, else the total
    cpus: tuple[Cpu, ...]
    nodes: tuple[Node, ...]
    caches: tuple[Cache, ...]

    def digest(self) -> str:
        """Twelve hex digits over the stable facts; the nodes' memory is not, a hypervisor gives and takes it."""
        bare = (msgspec.structs.replace(n, memory_bytes=0, free_bytes=0, huge_pages={}) for n in self.nodes)
        stable = msgspec.structs.replace(self, nodes=tuple(bare))
        return hashlib.sha256(msgspec.json.encode(stable, order="sorted")).hexdigest()[:12]


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """Identity and state at the start of a run. `state` is flat: name -> text or number."""

    hostname: str
    identity: Identity
    state: dict[str, str | float | int | None]
    peak_bytes_per_s: float | None  # theoretical, of all channels; None is unknown, never a guess
    peak_source: str  # "SMBIOS: 8 x DDR5-4800", "given: peak=307.2GB/s", "unknown: ..."

    def cpus(self) -> tuple[int, ...]:
        """The CPUs that this process may use, one hardware thread of each core first."""
        seen: dict[tuple[int, int], int] = {}
        order = []
        for cpu in sorted((c for c in self.identity.cpus if c.allowed), key=lambda c: c.number):
            rank = seen.get((cpu.package, cpu.core), 0)
            seen[cpu.package, cpu.core] = rank + 1
            order.append((rank, cpu.package, cpu.number))
        return tuple(number for _, _, number in sorted(order))

    def last_level_caches(self, cpus: tuple[int, ...]) -> int:
        """How many caches of the last level these CPUs reach, at least 1: a team fills all of them."""
        data = [cache for cache in self.identity.caches if cache.kind != "Instruction"]
        last = max((cache.level for cache in data), default=0)
        return max(sum(cache.level == last and not set(cpus).isdisjoint(cache.cpus) for cache in data), 1)

    def last_level_cache_bytes(self) -> int:
        """Reported size of the largest single cache; 0 when the system names none."""
        return max((c.size_bytes for c in self.identity.caches if c.kind != "Instruction"), default=0)
