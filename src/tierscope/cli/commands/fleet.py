"""`tierscope fleet COMMAND`: many machines, one verdict. Each command is a file `fleet_NAME.py` of this folder."""

import rich_click as click

from tierscope.cli.commands import commands
from tierscope.cli.family import Family
from tierscope.cli.help import Area, Tried


@click.group(cls=Family, area=Area.COMPARE, tried=Tried())
def fleet() -> None:
    """Measure many machines, and find the slow ones.

    Each host leaves one JSON file per session in a directory of the fleet. The other commands read that directory. See
    [how to find the slow machines of a fleet](../how-to/fleet.md).
    """


commands.add(fleet)
