"""`tierscope fleet trend DIR`: the hosts that became slower, and since when."""

from pathlib import Path

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried


@click.command(
    "fleet trend",
    cls=Command,
    area=Area.COMPARE,
    tried=Tried(),
    examples=("tierscope fleet trend fleets/made", "tierscope fleet trend fleets/made --json"),
    status={
        1: "a host or a group became slower",
        4: "no host has the days that a baseline needs, or a change waits for more days",
    },
)
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--plan", help="Name of a plan that was run, or its digest; default: that of most hosts on the last day.")
@click.option("--json", "as_json", is_flag=True, help="Print all changes as JSON.")
def fleet_trend(directory: Path, plan: str | None, *, as_json: bool) -> int:
    """Find the hosts that became slower, and since when.

    Follows each host's distance from its peers, day by day. Each change has a date, a size, and the facts of the host
    that changed near that date, such as its kernel or BIOS. A group that became slower as a whole is found by its
    bandwidth per peak, or by the medians of its metrics. A host without enough peers is compared with its own past.
    The first 21 days of a host are its baseline.
    """
    from tierscope.fleet.trend import trend
    from tierscope.fleet.trend_text import lines, status

    found = trend(directory, plan)
    if as_json:
        door.document(found)
    else:
        for line in lines(found):
            door.wrapped(line)
    return status(found)


commands.add(fleet_trend)
