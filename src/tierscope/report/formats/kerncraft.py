"""Machine file of kerncraft, its part about memory: caches as the system reports them, and measured bandwidths.

Kernels are those that kerncraft and Tierscope define alike: `load` is `read`, and `copy`, `update` and `daxpy` have one
name. kerncraft's triad reads three arrays, that of Tierscope two, so it is left out. Values that Tierscope cannot know
are left out, too, with the reason as a comment: it is not a complete machine file.
Source: J. Hammer et al., "Kerncraft: A Tool for Analytic Performance Modeling of Loop Kernels", 2017; kerncraft,
examples/machine-files, 2023.
"""

from collections.abc import Iterator, Sequence

from tierscope.printable import printable
from tierscope.record.machine import Cache, Machine
from tierscope.record.result import Run
from tierscope.report.formats import Export, Format, formats
from tierscope.report.roofs import Roof, Roofs, roofs
from tierscope.sound import reads

GBPS = 1e9
KERNELS = {"read": "load", "copy": "copy", "update": "update", "daxpy": "daxpy"}
"""Tierscope's name -> kerncraft's, of kernels with the same streams."""
STREAMS = {"load": (1, 0, 0, 0), "copy": (1, 0, 1, 0), "update": (1, 1, 1, 0), "daxpy": (2, 1, 1, 2)}
"""Kernel -> streams that are read, read and written, written; FLOPs of one iteration."""
UNKNOWN = {
    "clock": "Tierscope does not fix the clock; state the one that you set",
    "in-core model, FLOPs per cycle, compiler": "not about memory",
    "upstream throughput, transfers overlap, replacement_policy": "the system does not report them",
    "performance counter metrics": "events differ by processor; see kerncraft's own machine files",
}


@reads("the machine file")
def machine_file(runs: Sequence[Run]) -> bytes:
    """Return the file, as YAML."""
    found = roofs(runs)
    usable = [one for one in found.roofs if not _why_not(one, found.machine)]
    lines = [*_head(found), *_identity(found.machine), *_caches(found.machine), *_benchmarks(usable)]
    return ("\n".join([*lines, *_left_out(found)]) + "\n").encode()


def _why_not(roof: Roof, machine: Machine) -> str:
    """Return why a roof has no place in the file; "" if it has one."""
    if roof.kernel not in KERNELS:
        return "kerncraft does not define this kernel, or defines it with other streams"
    if not roof.target.startswith("node:"):
        return "not the memory of a node"
    cores = len({(cpu.package, cpu.core) for cpu in machine.identity.cpus}) or roof.threads
    return "more threads than cores" if roof.threads > cores else ""


def _head(found: Roofs) -> Iterator[str]:
    place = f"{_comment(found.machine.hostname)}, {_comment(found.started)}"
    yield f"# Memory part of a machine file of kerncraft: {place}."
    yield "# Bandwidths are measured by Tierscope in program bytes; intervals of 95 % are in comments."


def _identity(machine: Machine) -> Iterator[str]:
    cpus = machine.identity.cpus
    packages = len({cpu.package for cpu in cpus}) or 1
    cores = len({(cpu.package, cpu.core) for cpu in cpus}) or 1
    nodes = len({cpu.node for cpu in cpus}) or 1
    yield f"model name: {_text(machine.identity.model)}"
    yield f"sockets: {packages}"
    yield f"cores per socket: {cores // packages}"
    yield f"threads per core: {max(1, len(cpus) // cores)}"
    yield f"NUMA domains per socket: {max(1, nodes // packages)}"
    yield f"cores per NUMA domain: {max(1, cores // nodes)}"


def _caches(machine: Machine) -> Iterator[str]:
    data = [cache for cache in machine.identity.caches if cache.kind != "Instruction" and cache.level > 0]
    if not data:
        return
    yield f"cacheline size: {data[0].line_bytes} B"
    by = (
        f"as the hypervisor reports ({_comment(machine.identity.hypervisor)})"
        if machine.identity.hypervisor
        else "as the system reports"
    )
    yield f"memory hierarchy:  # {by}"
    cores = {cpu.number: (cpu.package, cpu.core) for cpu in machine.identity.cpus}
    for level in sorted({cache.level for cache in data}):
        yield from _level([cache for cache in data if cache.level == level], cores)


def _level(same: list[Cache], cores: dict[int, tuple[int, int]]) -> Iterator[str]:
    one = same[0]
    sets = one.size_bytes // (one.ways * one.line_bytes) if one.ways * one.line_bytes else 0
    yield f"- level: L{one.level}"
    yield f"  size per group: {one.size_bytes / 1000:.10g} kB"
    yield f"  groups: {len({cache.cpus for cache in same})}"
    yield f"  cores per group: {len({cores[cpu] for cpu in one.cpus if cpu in cores}) or 1}"
    yield f"  threads per group: {len(one.cpus) or 1}"
    if sets * one.ways * one.line_bytes == one.size_bytes and sets:
        yield f"  cache per group: {{sets: {sets}, ways: {one.ways}, cl_size: {one.line_bytes}}}"


def _benchmarks(usable: list[Roof]) -> Iterator[str]:
    """Yield one value of each kernel for each number of cores, as kerncraft wants: incomplete teams are left out."""
    if not usable:
        return
    target = usable[0].target
    own = [roof for roof in usable if roof.target == target]
    yield "benchmarks:"
    yield "  kernels:"
    for kernel in sorted({KERNELS[roof.kernel] for roof in own}):
        reads_, both, writes, flops = STREAMS[kernel]
        yield f"    {kernel}:"
        yield f"      FLOPs per iteration: {flops}"
        yield f"      read streams: {{bytes: {8 * reads_:.2f} B, streams: {reads_}}}"
        yield f"      read+write streams: {{bytes: {8 * both:.2f} B, streams: {both}}}"
        yield f"      write streams: {{bytes: {8 * writes:.2f} B, streams: {writes}}}"
    teams = _common(own)
    yield "  measurements:"
    yield f"    MEM:  # {_comment(target)}"
    yield "      1:  # one thread on each core"
    yield f"        cores: [{', '.join(map(str, teams))}]"
    yield "        results:"
    for name in sorted({roof.kernel for roof in own}, key=lambda one: KERNELS[one]):
        values = {roof.threads: roof for roof in own if roof.kernel == name}
        shown = ", ".join(f"{values[team].bandwidth.middle / GBPS:.2f} GB/s" for team in teams)
        yield f"          {KERNELS[name]}: [{shown}]"
        for team in teams:
            low, high = values[team].bandwidth.low / GBPS, values[team].bandwidth.high / GBPS
            yield f"          # {KERNELS[name]}, {team} cores: {low:.2f} to {high:.2f} GB/s"


def _common(own: list[Roof]) -> list[int]:
    """Return the numbers of threads that every kernel has."""
    teams = [{roof.threads for roof in own if roof.kernel == name} for name in {roof.kernel for roof in own}]
    return sorted(set.intersection(*teams))


def _left_out(found: Roofs) -> Iterator[str]:
    yield "# Left out:"
    for name, why in UNKNOWN.items():
        yield f"# - {name}: {why}"
    for roof in found.roofs:
        if why := _why_not(roof, found.machine):
            yield f"# - {_comment(roof.kernel)}, threads {roof.threads}, {_comment(roof.target)}: {why}"
    for name, why in found.left_out.items():
        yield f"# - {_comment(name)}: {_comment(why)}"


def _text(text: str) -> str:
    """Return a text as YAML takes it, in double quotes."""
    return '"' + printable(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _comment(text: str) -> str:
    return printable(text)


formats.add(
    Format(
        "kerncraft",
        export=Export(
            "Memory part of a machine file of kerncraft, as YAML: caches, and bandwidths that `run stream` measured.",
            machine_file,
            needs="stream",
        ),
    )
)
