"""Machines made up: a guest with one node, and servers with several packages, nodes and caches."""

import msgspec

from tierscope.record.catalogue import Walk
from tierscope.record.machine import Cache, Cpu, Identity, Machine, Node
from tierscope.units import GiB, KiB, MiB

PEAK = 307.2e9
LINES = {  # read and written in one operation
    "read": (1, 0), "write": (0, 1), "write_nt": (0, 1), "update": (1, 1), "memset": (0, 1), "memcpy": (1, 1),
    "copy": (1, 1), "copy_nt": (1, 1), "scale": (1, 1), "scale_nt": (1, 1),
    "add": (2, 1), "add_nt": (2, 1), "triad": (2, 1), "triad_nt": (2, 1),
    "mix_3r1w": (3, 1), "mix_3r1w_nt": (3, 1), "mix_2r1w": (2, 1), "mix_2r1w_nt": (2, 1),
    "mix_1r1w": (1, 1), "mix_1r1w_nt": (1, 1), "mix_1r2w": (1, 2), "mix_1r2w_nt": (1, 2),
}  # fmt: skip
ONE_ARRAY = ("read", "write", "write_nt", "update", "memset")
THREE_ARRAYS = ("add", "add_nt", "triad", "triad_nt")
WALKS = {
    name: Walk(
        arrays=1 if name in ONE_ARRAY else 3 if name in THREE_ARRAYS else 2,
        read_share=reads / (reads + writes),
        simulated=name not in ("memcpy", "memset"),
    )
    for name, (reads, writes) in LINES.items()
}
"""Kernels of a build."""
FLUSHES = {
    "clflush": "clflush", "clflushopt": "clflushopt", "clwb": "clwb", "movdir64b": "movdir64b",
    "msync": "", "none": "", "nt": "",
}  # fmt: skip
"""Ways of stored lines to memory, of the build for x86_64."""


def with_lines(machine: Machine, line_bytes: int) -> Machine:
    """The same machine with caches of lines of this length."""
    caches = tuple(msgspec.structs.replace(cache, line_bytes=line_bytes) for cache in machine.identity.caches)
    return msgspec.structs.replace(machine, identity=msgspec.structs.replace(machine.identity, caches=caches))


def made_machine(cpus: int = 2, peak: float | None = PEAK) -> Machine:
    """One node, one package, caches as a guest of a large server sees them."""
    everyone = tuple(range(cpus))
    caches = [
        Cache(level=level, kind=kind, size_bytes=size, ways=12, line_bytes=64, cpus=shared)
        for cpu in everyone
        for level, kind, size, shared in (
            (1, "Data", 48 * KiB, (cpu,)),
            (1, "Instruction", 32 * KiB, (cpu,)),
            (2, "Unified", 2 * MiB, (cpu,)),
        )
    ]
    caches.append(Cache(level=3, kind="Unified", size_bytes=480 * MiB, ways=15, line_bytes=64, cpus=everyone))
    identity = Identity(
        model="Made Processor 1995",
        architecture="x86_64",
        family="Made:6:173:1",
        microcode="0x1",
        features=("avx2", "avx512f"),
        hypervisor="",
        kernel="6.1.0",
        memory="8 x DDR5-4800",
        cpus=tuple(Cpu(number=n, core=n, package=0, node=0, allowed=True) for n in everyone),
        nodes=(
            Node(
                number=0, cpus=everyone, memory_bytes=24 * GiB, free_bytes=20 * GiB, distances=(10,),
                huge_pages={"2097152": 0},
            ),
        ),
        caches=tuple(caches),
    )  # fmt: skip
    source = "SMBIOS: 8 x DDR5-4800" if peak else "unknown: no SMBIOS; give it as peak=307.2GB/s"
    return Machine(
        hostname="made", identity=identity, state={"load": 0.1}, peak_bytes_per_s=peak, peak_source=source,
        kernels=WALKS,
        flushes=FLUSHES,
        victims={"flow": "", "command": ""},
    )  # fmt: skip


def made_server(
    packages: int = 2, nodes: int = 2, cores: int = 2, threads: int = 1, caches: int = 1, memory_alone: int = 0,
    *, forbidden: tuple[int, ...] = (), offline: tuple[int, ...] = (), numbers: tuple[int, ...] = (),
) -> Machine:  # fmt: skip
    """`nodes` of each package, `cores` of each node, `caches` of the last level on each node, then nodes without CPUs.

    Hardware threads of one core are numbered apart, as Linux does: core n has the CPUs n and n + all cores. Distances:
    10 to itself, 12 within a package, 21 to another. Memory alone belongs to the packages one after the other: it is at
    17 from its own package and at 28 from others.
    offline: CPUs that do not exist for Linux. numbers: of the nodes, with gaps.
    """
    count = packages * nodes
    total = count * cores
    number = numbers or tuple(range(count + memory_alone))
    cpus = tuple(
        Cpu(number=n, core=n % total, package=n % total // (nodes * cores), node=number[n % total // cores],
            allowed=n not in forbidden)
        for n in range(total * threads) if n not in offline
    )  # fmt: skip
    package = [place // nodes if place < count else (place - count) % packages for place in range(count + memory_alone)]

    def distance(one: int, other: int) -> int:
        beside, alone = package[one] == package[other], max(one, other) >= count
        return 10 if one == other else (17 if beside else 28) if alone else 12 if beside else 21

    places = range(count + memory_alone)
    own = tuple(
        Node(
            number=number[place], cpus=tuple(cpu.number for cpu in cpus if cpu.node == number[place]),
            memory_bytes=64 * GiB if place < count else 8 * GiB, free_bytes=60 * GiB if place < count else 6 * GiB,
            distances=tuple(distance(place, other) for other in places), huge_pages={"2097152": 0},
        )
        for place in places
    )  # fmt: skip
    shared: dict[int, list[int]] = {}
    for cpu in cpus:
        shared.setdefault(cpu.core * caches // cores, []).append(cpu.number)
    last = tuple(
        Cache(level=3, kind="Unified", size_bytes=32 * MiB, ways=16, line_bytes=64, cpus=tuple(those))
        for those in (shared.values() if caches else ())
    )
    small = made_machine()
    identity = msgspec.structs.replace(small.identity, cpus=cpus, nodes=own, caches=last)
    return msgspec.structs.replace(small, identity=identity, state={"available_bytes": 200 * GiB})


def two_packages(reported: dict[str, float] | None = None) -> Machine:
    """Two packages of two nodes, and node 4 without CPUs. The firmware may report its speed for nodes 0 and 1."""
    made = made_server(memory_alone=1)
    if reported is None:
        return made
    nodes = (
        *made.identity.nodes[:-1],
        msgspec.structs.replace(made.identity.nodes[-1], reported=reported, initiators=(0, 1)),
    )
    return msgspec.structs.replace(made, identity=msgspec.structs.replace(made.identity, nodes=nodes))


def large() -> Machine:
    """128 CPUs: two packages of two nodes of 16 cores with two hardware threads, a last-level cache for 8 cores."""
    return made_server(cores=16, threads=2, caches=2)
