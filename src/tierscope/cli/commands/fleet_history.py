"""`tierscope fleet history DIR HOST`: what one host measured, day by day."""

from pathlib import Path

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried


@click.command(
    "fleet history",
    cls=Command,
    area=Area.COMPARE,
    tried=Tried(),
    examples=(
        "tierscope fleet history fleets/made host07",
        "tierscope fleet history fleets/made host07 --metric latency.1",
        "tierscope fleet history fleets/made host07 --json",
    ),
)
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("host")
@click.option("--metric", help="Print each session of this metric.")
@click.option("--json", "as_json", is_flag=True, help="Print every number with its interval as JSON.")
def fleet_history(directory: Path, host: str, metric: str | None, *, as_json: bool) -> int:
    """Print the history of one host against its peers.

    HOST is a name, also a former one, or the identity of a machine. Prints a line for each metric: its days, the median
    of all sessions, and the last value against the peers of its day. `--metric` prints each session of one metric. New
    reports are folded first.
    """
    from tierscope.fleet.fold import collect
    from tierscope.fleet.history import history
    from tierscope.fleet.history_text import lines

    collect(directory)
    found = history(directory, host)
    if as_json:
        door.document(found)
    else:
        for line in lines(found, metric):
            door.wrapped(line)
    return 0


commands.add(fleet_history)
