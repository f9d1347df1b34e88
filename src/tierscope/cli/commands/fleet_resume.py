"""`tierscope fleet resume DIR`: the hosts that a session misses."""

from pathlib import Path

import rich_click as click

from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried


@click.command(
    name="fleet resume",
    cls=Command,
    area=Area.COMPARE,
    tried=Tried(),
    examples=("tierscope fleet resume fleet", "tierscope fleet resume fleet/sessions/2026-11-23-canary-0"),
    status={
        3: "no host answered, or the engine cannot be used",
        4: "some hosts still did not answer; they are listed",
    },
)
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
def fleet_resume(directory: Path) -> int:
    """Measure the hosts that the last session misses.

    DIR is the directory of a fleet, or of one of its sessions. Plan, engine and limits are those of the session. Hosts
    that answered are not measured again.
    """
    from tierscope.cli.fleet_session import resume

    return resume(directory)


commands.add(fleet_resume)
