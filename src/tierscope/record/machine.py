"""The Machine as plain data, kept in every Result.

`identity` holds what stays over a reboot (its digest is the key under which results may be compared);
`state` holds what changes by the minute: load, frequency, steal, temperature.
"""

import hashlib

import msgspec

from tierscope.host.cxl import Cxl
from tierscope.host.persistent.facts import Persistent
from tierscope.record.catalogue import Walk


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


class Node(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One NUMA node; a node without CPUs is memory alone (CXL, persistent memory as RAM)."""

    number: int
    cpus: tuple[int, ...]
    memory_bytes: int
    free_bytes: int
    distances: tuple[int, ...]  # to every online node, in order of node number
    huge_pages: dict[str, int]  # free huge pages by size: {"2097152": 0}
    reported: dict[str, float] = {}  # by the firmware (HMAT): read_latency_s, read_bandwidth_bytes_per_s, write_...
    initiators: tuple[int, ...] = ()  # the nodes for which `reported` holds: those that reach this one best
    tier: int | None = None  # the kernel's memory tier; lower is faster, 4 is DRAM


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
        """Twelve hex digits over the stable facts; the nodes' memory is not, a hypervisor gives and takes it.

        What the firmware reports of nodes and the kernel makes of it is left out too: older versions did not ask.
        """
        unknown = {"memory_bytes": 0, "free_bytes": 0, "huge_pages": {}, "reported": {}, "initiators": (), "tier": None}
        bare = (msgspec.structs.replace(n, **unknown) for n in self.nodes)
        stable = msgspec.structs.replace(self, nodes=tuple(bare))
        return hashlib.sha256(msgspec.json.encode(stable, order="sorted")).hexdigest()[:12]


class Machine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Identity and state at the start of a run. `state` is flat: name -> text or number.

    Persistent memory is no part of the identity: its modes and mounts are the user's, and a target verifies its own.
    """

    hostname: str
    identity: Identity
    state: dict[str, str | float | int | None]
    peak_bytes_per_s: float | None  # theoretical, of all channels; None is unknown, never a guess
    peak_source: str  # "SMBIOS: 8 x DDR5-4800", "given: peak=307.2GB/s", "unknown: ..."
    persistent: Persistent | None = None  # None: the kernel shows none
    cxl: Cxl | None = None
    rooms: dict[str, int] = {}  # bytes that each path among the run's targets could hold, by the target's word
    kernels: dict[str, Walk] = {}  # on lines, of the build, where a suite asks
    structures: dict[str, str] = {}  # of the build, where a suite asks: name -> "pool" or "node", where it lives
    structures_lacking: dict[str, str] = {}  # likewise, those that the build has not: name -> why
    structures_unrecorded: dict[str, str] = {}  # likewise, whose changes run on no simulated memory: name -> why

    @property
    def simulated(self) -> bool:
        """Whether it exists in the core alone; its family is its word then."""
        return self.identity.family.startswith("sim:")

    def cpus(self) -> tuple[int, ...]:
        """The CPUs that this process may use, one hardware thread of each core first."""
        seen: dict[tuple[int, int], int] = {}
        order = []
        for cpu in sorted((c for c in self.identity.cpus if c.allowed), key=lambda c: c.number):
            rank = seen.get((cpu.package, cpu.core), 0)
            seen[cpu.package, cpu.core] = rank + 1
            order.append((rank, cpu.package, cpu.number))
        return tuple(number for _, _, number in sorted(order))

    def by_topology(self, cpus: tuple[int, ...]) -> tuple[int, ...]:
        """The same CPUs by package, node, last-level cache, core and number: neighbours stand side by side."""
        places = {cpu.number: cpu for cpu in self.identity.cpus}

        def place(number: int) -> tuple[int, ...]:
            cpu, cache = places[number], self.last_level_cache_of(number)
            return (cpu.package, cpu.node, -1 if cache is None else cache, cpu.core, number)

        return tuple(sorted(cpus, key=place))

    def memory_nodes(self) -> tuple[int, ...]:
        """The nodes that hold memory, with CPUs or without, in order of their numbers."""
        return tuple(sorted(node.number for node in self.identity.nodes if node.memory_bytes > 0))

    def distance(self, initiator: int, target: int) -> int | None:
        """What the firmware says (SLIT): 10 is a node to itself; None where it says nothing of these two."""
        numbers = sorted(node.number for node in self.identity.nodes)
        lists = {node.number: node.distances for node in self.identity.nodes}
        place = numbers.index(target) if target in numbers else len(numbers)
        distances = lists.get(initiator, ())
        return distances[place] if place < len(distances) else None

    def nearest_memory(self, initiator: int, among: tuple[int, ...] = ()) -> int:
        """The node itself if it has memory, else the nearest that has, by distance; `among`: of these alone."""
        known = among or self.memory_nodes()
        if initiator in known or not known:
            return initiator
        return min(known, key=lambda node: (self.distance(initiator, node) or 255, node))

    def last_level_cache_of(self, cpu: int) -> int | None:
        """The lowest CPU that shares this one's cache of the last level, as the cache's name; None if none is known."""
        data = [cache for cache in self.identity.caches if cache.kind != "Instruction"]
        last = max((cache.level for cache in data), default=0)
        return next((min(cache.cpus) for cache in data if cache.level == last and cpu in cache.cpus), None)

    def last_level_caches(self, cpus: tuple[int, ...]) -> int:
        """How many caches of the last level these CPUs reach, at least 1: a team fills all of them."""
        data = [cache for cache in self.identity.caches if cache.kind != "Instruction"]
        last = max((cache.level for cache in data), default=0)
        return max(sum(cache.level == last and not set(cpus).isdisjoint(cache.cpus) for cache in data), 1)

    def last_level_cache_bytes(self) -> int:
        """Reported size of the largest single cache; 0 when the system names none."""
        return max((c.size_bytes for c in self.identity.caches if c.kind != "Instruction"), default=0)
