"""`tierscope fleet outliers DIR`: the hosts that are slower than their peers."""

from pathlib import Path

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried


@click.command(
    "fleet outliers",
    cls=Command,
    area=Area.COMPARE,
    tried=Tried(),
    examples=(
        "tierscope fleet outliers fleets/made",
        "tierscope fleet outliers fleets/made --day 2026-01-09 --json",
        "tierscope fleet outliers fleet --plan stream",
    ),
    status={
        1: "a host is slower than its peers, or odd, or has wrong answers, or the group is slower than before",
        4: "there are suspects, but not enough confirming sessions, or no host has enough peers",
    },
)
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--day", help="The last day to look at, such as `2026-01-09`; default: the last day with reports.")
@click.option("--plan", help="Name of a plan that was run, or its digest; default: the one that most hosts ran.")
@click.option("--json", "as_json", is_flag=True, help="Print all suspects, groups and metrics as JSON.")
def fleet_outliers(directory: Path, day: str | None, plan: str | None, *, as_json: bool) -> int:
    """Find the hosts that are slower than their peers.

    Compares hosts of one identity over the last seven days. Suspects need three further sessions with healthy hosts in
    the same hours: `DIR/confirm.json` lists both. With these sessions, a host is *slower than its peers by x % (a to
    b)*, *odd*, or *inconclusive*. No sessions are planned for a day before the last one. See [how to find the slow
    machines of a fleet](../how-to/fleet.md).
    """
    from tierscope.fleet.confirm_plan import settle
    from tierscope.fleet.outliers import outliers
    from tierscope.fleet.outliers_text import lines, status

    found = outliers(directory, day, plan)
    if found.last:
        settle(directory, found.plan, found.result.plan)
    if as_json:
        door.document(found.result)
    else:
        for line in lines(found.result, found.plan, directory):
            door.wrapped(line)
    return status(found.result)


commands.add(fleet_outliers)
