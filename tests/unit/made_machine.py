"""A Machine made up: one node, one package, caches as a guest of a large server sees them."""

from tierscope.machine import Cache, Cpu, Identity, Machine, Node
from tierscope.units import GiB, KiB, MiB

PEAK = 307.2e9


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
        hypervisor="KVM",
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
        hostname="made", identity=identity, state={"load": 0.1}, peak_bytes_per_s=peak, peak_source=source
    )  # fmt: skip
