"""`tierscope topology`: the machine as every Result keeps it, and the reports of tools on its DIMMs."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried
from tierscope.units import show_bytes, show_rate, show_seconds

if TYPE_CHECKING:
    from tierscope.record.machine import Machine, Node


@click.command(cls=Command, area=Area.MACHINE, tried=Tried())
@click.option("--json", "as_json", is_flag=True, help="Print the [`Machine`](run-directory.md#machine).")
@click.option(
    "--host",
    "where",
    metavar="HOST",
    help="Machine to show: `ssh:NAME`, a [remote one](../how-to/remote.md), or `vm:NAME`, an [emulated "
    "one](../how-to/emulated-machines.md). Default: this machine.",
)
def topology(as_json: bool, where: str | None) -> int:
    """Show CPUs, caches, nodes, persistent memory, CXL and the theoretical peak.

    Shows the machine as every result stores it: CPUs, caches, nodes with what the firmware reports of them (HMAT) and
    their memory tier, persistent memory (regions, namespaces, DIMMs, DAX devices, mounts) and CXL. All facts come from
    text files of the kernel, without root. If `ndctl` or `ipmctl` is installed and a DIMM is persistent, lines from
    these tools on its health follow, on this machine alone. A tool that fails, or does not answer within 5 s, is
    reported as not readable.
    """
    from tierscope.host.persistent import tools
    from tierscope.report.persistent import lines
    from tierscope.run.hosts import connected
    from tierscope.run.planned import this_machine

    with connected(where, door.message) as host:
        machine = this_machine(None, host=host)
    if as_json:
        door.document(machine)
        return 0
    health = tools.health() if machine.persistent and machine.persistent.nvdimms and not machine.reached else ()
    for line in (*_plain(machine), *lines(machine), *health):
        door.line(line)
    if machine.persistent is None and machine.cxl is None:
        door.line("persistent memory and CXL: none is shown")
    return 0


def _plain(machine: "Machine") -> Iterator[str]:
    identity = machine.identity
    yield f"{machine.hostname}: {identity.model}, {len(identity.cpus)} CPUs, {identity.memory}"
    if identity.hypervisor:
        yield f"a virtual machine ({identity.hypervisor}): sizes and topology are what the hypervisor states"
    yield from map(_node, identity.nodes)
    of_nodes = show_bytes(sum(node.memory_bytes for node in identity.nodes))
    if (whole := identity.memory.partition(" in ")[0]) != of_nodes and not machine.simulated and " x " not in whole:
        yield f"memory: {whole} by /proc/meminfo, {of_nodes} by the files of the nodes: memory may have been added"
    sizes = sorted({(c.level, c.kind, c.size_bytes, len(c.cpus)) for c in identity.caches})
    for level, kind, size, sharers in sizes:
        yield f"L{level} {kind.lower()}: {show_bytes(size)}, reported as shared by {sharers} CPUs"
    line, base, large = machine.line_bytes(), machine.base_page_bytes(), machine.large_page_bytes()
    yield f"lines of {line} B; pages of {show_bytes(base)}, transparent large ones of {show_bytes(large)}"
    kinds: dict[int, list[int]] = {}
    for cpu in identity.cpus:
        kinds.setdefault(cpu.capacity or 0, []).append(cpu.number)
    if len(kinds) > 1:
        told = "; ".join(f"{','.join(map(str, kinds[size]))} of {size}" for size in sorted(kinds, reverse=True))
        yield f"cores that differ, by capacity: CPUs {told}; plans use the first kind alone"
    yield f"theoretical peak: {machine.peak_source}"


def _node(node: "Node") -> str:
    kind = f"CPUs {','.join(map(str, node.cpus))}" if node.cpus else "memory without CPUs"
    told = f"node {node.number}: {kind}, {show_bytes(node.memory_bytes)}, {show_bytes(node.free_bytes)} free"
    if node.tier is not None:
        told += f", memory tier {node.tier}"
    figures = [
        f"{name.partition('_')[0]} {show_seconds(value) if name.endswith('latency_s') else show_rate(value)}"
        for name, value in node.reported.items()
    ]
    nodes = ",".join(map(str, node.initiators))
    return told + (f"; reported from node {nodes}: {', '.join(figures)}" if figures else "")


commands.add(topology)
