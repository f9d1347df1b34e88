"""The Machine as plain data, kept in every Result.

`identity` contains what stays over a reboot (its digest is the key under which results may be compared); `state`
contains what changes by the minute: load, frequency, steal, temperature.
"""

import hashlib
from typing import Annotated

import msgspec
from msgspec import Meta

from tierscope.host.cxl import Cxl
from tierscope.host.persistent.facts import Persistent
from tierscope.record.catalogue import Walk
from tierscope.units import LINE_BYTES, KiB, MiB

EQUAL_CAPACITY = 0.95
"""Cores are of one kind from this share of the largest `cpu_capacity` on. Firmware may rate the cores of one kind by
their highest clocks (Linux, drivers/base/arch_topology.c, topology_init_cpu_capacity_cppc).
"""


class Cache(msgspec.Struct, frozen=True, kw_only=True):
    """One cache as the system reports it, which a hypervisor may have made up."""

    level: Annotated[int, Meta(description="1, 2, 3")]
    kind: Annotated[str, Meta(description="`Data`, `Instruction`, `Unified`")]
    size_bytes: Annotated[int, Meta(description="as reported; a hypervisor may have made it up")]
    ways: Annotated[int, Meta(description="associativity")]
    line_bytes: Annotated[int, Meta(description="of one line")]
    cpus: Annotated[tuple[int, ...], Meta(description="that share it")]


class Cpu(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One logical processor."""

    number: Annotated[int, Meta(description="what Linux calls it")]
    core: Annotated[int, Meta(description="physical core")]
    package: Annotated[int, Meta(description="physical socket")]
    node: Annotated[int, Meta(description="NUMA node")]
    allowed: Annotated[bool, Meta(description="whether this process may use it")]
    capacity: Annotated[
        int | None,
        Meta(
            description="`cpu_capacity` of Linux: what the core computes, in 1/1024 of the largest core; left out if "
            "the kernel states none"
        ),
    ] = None


class Node(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One NUMA node; a node without CPUs is memory alone (CXL, persistent memory as RAM)."""

    number: Annotated[int, Meta(description="NUMA node")]
    cpus: Annotated[tuple[int, ...], Meta(description="its CPUs; empty: memory alone")]
    memory_bytes: Annotated[int, Meta(description="its size")]
    free_bytes: Annotated[int, Meta(description="free at the start")]
    distances: Annotated[tuple[int, ...], Meta(description="to every online node, in order of their numbers")]
    huge_pages: Annotated[dict[str, int], Meta(description="free huge pages by size in bytes")]
    reported: Annotated[
        dict[str, float],
        Meta(
            description="what the firmware reports (HMAT): `read_latency_s`, `write_latency_s`, "
            "`read_bandwidth_bytes_per_s`, `write_bandwidth_bytes_per_s`; left out without a report"
        ),
    ] = {}
    initiators: Annotated[
        tuple[int, ...],
        Meta(
            description="the nodes for which `reported` is true, that is, those that reach this one best; "
            "left out without a report"
        ),
    ] = ()
    tier: Annotated[
        int | None, Meta(description="the kernel's memory tier; lower is faster, 4 is DRAM; left out where it has none")
    ] = None


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """The properties that two comparable results share.

    `tierscope resume` compares a digest of these facts, and refuses another machine. The digest does not include free
    memory, what the firmware reports of nodes, and their memory tiers.
    """

    model: Annotated[str, Meta(description="of the CPU")]
    architecture: Annotated[str, Meta(description="such as `x86_64`")]
    family: Annotated[str, Meta(description="vendor:family:model:stepping")]
    microcode: Annotated[str, Meta(description="its revision")]
    features: Annotated[tuple[str, ...], Meta(description="CPU features that the kernels ask about")]
    hypervisor: Annotated[str, Meta(description='"" on bare metal')]
    kernel: Annotated[str, Meta(description="release of Linux")]
    memory: Annotated[str, Meta(description="DIMMs if the firmware reports them, otherwise the total")]
    cpus: Annotated[tuple[Cpu, ...], Meta(description="list of [`Cpu`](#cpu)")]
    nodes: Annotated[tuple[Node, ...], Meta(description="list of [`Node`](#node)")]
    caches: Annotated[tuple[Cache, ...], Meta(description="list of [`Cache`](#cache)")]

    def digest(self) -> str:
        """Return twelve hex digits over the stable facts.

        The memory of nodes is left out, because a hypervisor gives and takes it. The firmware's reports of nodes,
        and the tiers that the kernel makes of it, are left out because older versions did not read them.
        """
        unknown = {"memory_bytes": 0, "free_bytes": 0, "huge_pages": {}, "reported": {}, "initiators": (), "tier": None}
        bare = (msgspec.structs.replace(n, **unknown) for n in self.nodes)
        stable = msgspec.structs.replace(self, nodes=tuple(bare))
        return hashlib.sha256(msgspec.json.encode(stable, order="sorted")).hexdigest()[:12]


class Machine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Identity and state at the start of a run. `state` is flat: name -> text or number.

    Persistent memory is not part of the identity: the user chooses its modes and mounts, and each target verifies its
    own.
    """

    hostname: Annotated[str, Meta(description="as the kernel reports it")]
    identity: Annotated[Identity, Meta(description="[`Identity`](#identity): what stays over a reboot")]
    state: Annotated[
        dict[str, str | float | int | None],
        Meta(
            description="of the moment: load, clocks, steal, pressure, temperature, free memory ... as name "
            "-> text or number"
        ),
    ]
    peak_bytes_per_s: Annotated[
        float | None, Meta(description="theoretical bandwidth of all channels; null is unknown")
    ]
    peak_source: Annotated[str, Meta(description="where it comes from, or why it is unknown")]
    persistent: Annotated[
        Persistent | None,
        Meta(
            description="[`Persistent`](#persistent): persistent memory and DAX devices; left out where there are none"
        ),
    ] = None
    cxl: Annotated[Cxl | None, Meta(description="[`Cxl`](#cxl): CXL memory; left out if there is none")] = None
    reached: Annotated[
        str,
        Meta(
            description="`ssh:NAME`: how Tierscope reached the machine that was measured; left out if Tierscope itself "
            "ran there"
        ),
    ] = ""
    rooms: Annotated[
        dict[str, int],
        Meta(
            description="free bytes of each path among the targets before the run, by the target as it was "
            "typed; footprints that Tierscope chooses use at most half of it; left out if no target is a path"
        ),
    ] = {}
    kernels: Annotated[
        dict[str, Walk],
        Meta(
            description="kernels of the build that use lines of arrays, if the suite needs them: name -> "
            "[`Walk`](#walk); left out by other suites"
        ),
    ] = {}
    flushes: Annotated[
        dict[str, str],
        Meta(
            description="ways of stored lines to memory that the build has, if the suite needs them: name of the "
            "kernel without `flush_` -> the CPU feature that it needs, or an empty string; left out by other suites"
        ),
    ] = {}
    victims: Annotated[
        dict[str, str],
        Meta(
            description="victims of the build, if the suite needs them: name -> why the build does not have it, or an "
            "empty string; left out by other suites"
        ),
    ] = {}
    structures: Annotated[
        dict[str, str],
        Meta(
            description="of the build, where the suite asks for them: name -> `pool` or `node`, the target "
            "that it takes; left out by other suites"
        ),
    ] = {}
    structures_lacking: Annotated[
        dict[str, str],
        Meta(description="if the suite needs structures: those that the build does not have: name -> reason"),
    ] = {}
    structures_unrecorded: Annotated[
        dict[str, str],
        Meta(
            description="if the suite needs structures: those whose inserts and removes do not run on "
            "simulated memory: name -> reason"
        ),
    ] = {}

    @property
    def simulated(self) -> bool:
        """Return whether it exists in the core alone; its family is its word then."""
        return self.identity.family.startswith("sim:")

    def cpus(self) -> tuple[int, ...]:
        """Return the CPUs that this process may use, one hardware thread of each core first."""
        seen: dict[tuple[int, int], int] = {}
        order = []
        for cpu in sorted((c for c in self.identity.cpus if c.allowed), key=lambda c: c.number):
            rank = seen.get((cpu.package, cpu.core), 0)
            seen[cpu.package, cpu.core] = rank + 1
            order.append((rank, cpu.package, cpu.number))
        return tuple(number for _, _, number in sorted(order))

    def equal_cpus(self) -> tuple[int, ...]:
        """Return those of `cpus` that are about as large as the largest: plans that choose mix no kinds of cores."""
        size = {cpu.number: cpu.capacity or 0 for cpu in self.identity.cpus}
        largest = max((size[cpu] for cpu in self.cpus()), default=0)
        return tuple(cpu for cpu in self.cpus() if size[cpu] >= EQUAL_CAPACITY * largest)

    def by_topology(self, cpus: tuple[int, ...]) -> tuple[int, ...]:
        """Return the same CPUs by package, node, last-level cache, core and number: neighbours are adjacent."""
        places = {cpu.number: cpu for cpu in self.identity.cpus}

        def place(number: int) -> tuple[int, ...]:
            cpu, cache = places[number], self.last_level_cache_of(number)
            return (cpu.package, cpu.node, -1 if cache is None else cache, cpu.core, number)

        return tuple(sorted(cpus, key=place))

    def memory_nodes(self) -> tuple[int, ...]:
        """Return the nodes that have memory, with CPUs or without, in order of their numbers."""
        return tuple(sorted(node.number for node in self.identity.nodes if node.memory_bytes > 0))

    def distance(self, initiator: int, target: int) -> int | None:
        """Return the firmware's distance (SLIT): 10 is a node to itself; None where it reports none for these two."""
        numbers = sorted(node.number for node in self.identity.nodes)
        lists = {node.number: node.distances for node in self.identity.nodes}
        place = numbers.index(target) if target in numbers else len(numbers)
        distances = lists.get(initiator, ())
        return distances[place] if place < len(distances) else None

    def nearest_memory(self, initiator: int, among: tuple[int, ...] = ()) -> int:
        """Return the node itself if it has memory, else the nearest that has, by distance; `among`: of these alone."""
        known = among or self.memory_nodes()
        if initiator in known or not known:
            return initiator
        return min(known, key=lambda node: (self.distance(initiator, node) or 255, node))

    def last_level_cache_of(self, cpu: int) -> int | None:
        """Return the lowest CPU that shares this one's last-level cache, as the cache's name; None if none is known."""
        data = [cache for cache in self.identity.caches if cache.kind != "Instruction"]
        last = max((cache.level for cache in data), default=0)
        return next((min(cache.cpus) for cache in data if cache.level == last and cpu in cache.cpus), None)

    def last_level_caches(self, cpus: tuple[int, ...]) -> int:
        """Return how many caches of the last level these CPUs reach, at least 1: a team fills all of them."""
        data = [cache for cache in self.identity.caches if cache.kind != "Instruction"]
        last = max((cache.level for cache in data), default=0)
        return max(sum(cache.level == last and not set(cpus).isdisjoint(cache.cpus) for cache in data), 1)

    def line_bytes(self) -> int:
        """Return the bytes of a line: the longest that a data cache or the processor states; at least 64.

        A processor states its shortest line (`CTR_EL0.DminLine`), so files that state less are wrong. Kernels touch 64
        bytes at a time, so that a shorter line changes nothing here. 64 where nobody states one.
        """
        told = [cache.line_bytes for cache in self.identity.caches if cache.kind != "Instruction"]
        own = self.state.get("line_bytes")
        return max(LINE_BYTES, *told, int(own) if isinstance(own, int | float) else 0)

    def base_page_bytes(self) -> int:
        """Return the bytes of the smallest pages; 4 KiB in runs that do not state them."""
        return self._pages("page_bytes", 4 * KiB)

    def large_page_bytes(self) -> int:
        """Return the bytes of transparent large pages; 2 MiB in runs that do not state them."""
        return self._pages("large_page_bytes", 2 * MiB)

    def _pages(self, name: str, otherwise: int) -> int:
        told = self.state.get(name)
        return int(told) if isinstance(told, int | float) and told > 0 else otherwise

    def last_level_cache_bytes(self) -> int:
        """Return the reported size of the largest single cache; 0 when the system names none."""
        return max((c.size_bytes for c in self.identity.caches if c.kind != "Instruction"), default=0)
