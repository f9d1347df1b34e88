"""`tierscope fleet check`: a health check of this host for schedulers."""

from pathlib import Path

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried


@click.command(
    name="fleet check",
    cls=Command,
    area=Area.COMPARE,
    tried=Tried(),
    examples=("tierscope fleet check --budget 5s",),
    status={
        1: "memory is slower than before on this host, or a kernel computes wrong answers",
        4: "not known: the host is busy, or there was no time",
    },
)
@click.option("--budget", default="5s", show_default=True, help="Longest time of the check.")
@click.option("--state", type=click.Path(path_type=Path), help="Folder of the baseline and of the copy of the core.")
def fleet_check(budget: str, state: Path | None) -> int:
    """Check whether the memory of this host is as fast as it was.

    Prints one line. It does not ask a scheduler. The first 5 checks of an undisturbed host are its baseline. A host
    fails if it is more than 10 % slower in two measurements.
    """
    from tierscope.fleet.check import check, default_place
    from tierscope.units import parse_seconds

    status, line = check(parse_seconds(budget), state or default_place())
    door.line(line)
    return int(status)


commands.add(fleet_check)
