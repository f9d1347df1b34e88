"""`tierscope doctor`: what in this machine's set-up touches which number, how much, and the remedy."""

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried


@click.command(cls=Command, area=Area.MACHINE, tried=Tried())
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.option("--measure", is_flag=True, help="Also measure, for a second or two, what CPUs share.")
@click.option("--restore", is_flag=True, help="Put back prefetchers that an interrupted run left changed.")
@click.option(
    "--host",
    "where",
    metavar="HOST",
    help="Machine to check: `ssh:NAME`, as [described](../how-to/remote.md). Default: this machine.",
)
def doctor(as_json: bool, measure: bool, restore: bool, where: str | None) -> int:
    """Check which settings of this machine affect which numbers.

    Runs all [checks](doctor.md). It changes nothing and does not need root, except with `--restore`.

    With `--measure` it also loads two CPUs and the memory for a second or two. The finding `sharing` then reports
    whether CPUs share a core that the system lists as two. It also reports whether two threads get more from memory
    than one. `run sharing` and `run quick` measure the same.

    `--restore` puts back [prefetchers](../how-to/prefetchers.md) that a run with `prefetch=` left changed because the
    machine lost its power. It needs root. Do not use it during such a run.
    """
    from tierscope.cli.console import Console
    from tierscope.doctor import examine
    from tierscope.doctor.text import show
    from tierscope.run.examined import examined
    from tierscope.run.hosts import connected

    if restore:
        from pathlib import Path

        from tierscope.host.prefetchers import Registers

        Registers(Path("/")).restore()
    with connected(where) as host:
        findings = examined(host) if measure else examine(host.system())
    if as_json:
        door.document(findings)
    else:
        show(findings, Console())
    return 0


commands.add(doctor)
