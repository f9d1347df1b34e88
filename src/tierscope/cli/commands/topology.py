"""`tierscope topology`: the machine as it is kept in every Result."""

import rich_click as click

from tierscope.cli.commands import commands
from tierscope.units import show_bytes


@click.command()
@click.option("--json", "as_json", is_flag=True, help="The Machine as JSON on standard output.")
def topology(as_json: bool) -> int:
    """Show CPUs, caches, NUMA nodes and the theoretical peak of this machine."""
    import msgspec

    from tierscope.run.start import this_machine

    machine = this_machine(None)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(machine), indent=1))
        return 0
    identity = machine.identity
    click.echo(f"{machine.hostname}: {identity.model}, {len(identity.cpus)} CPUs, {identity.memory}")
    if identity.hypervisor:
        click.echo(f"a virtual machine ({identity.hypervisor}): sizes and topology are what it was told")
    for node in identity.nodes:
        kind = f"CPUs {','.join(map(str, node.cpus))}" if node.cpus else "memory without CPUs"
        click.echo(f"node {node.number}: {kind}, {show_bytes(node.memory_bytes)}, {show_bytes(node.free_bytes)} free")
    sizes = sorted({(c.level, c.kind, c.size_bytes, len(c.cpus)) for c in identity.caches})
    for level, kind, size, sharers in sizes:
        click.echo(f"L{level} {kind.lower()}: {show_bytes(size)}, reported as shared by {sharers} CPUs")
    click.echo(f"theoretical peak: {machine.peak_source}")
    return 0


commands.add(topology)
