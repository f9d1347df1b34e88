"""`tierscope doctor`: what in this machine's set-up touches which number, how much, and the remedy."""

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Command, Tried


@click.command(cls=Command, tried=Tried())
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def doctor(as_json: bool) -> int:
    """Check which settings of this machine affect which numbers.

    Runs all [checks](doctor.md). It changes nothing and does not need root.
    """
    from tierscope.cli.console import Console
    from tierscope.doctor import examine
    from tierscope.doctor.text import show
    from tierscope.host.system import System

    findings = examine(System())
    if as_json:
        door.document(findings)
    else:
        show(findings, Console())
    return 0


commands.add(doctor)
