"""`tierscope fleet imagine DIR`: a fleet that does not exist, with known faults."""

from pathlib import Path

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried


@click.command(
    "fleet imagine",
    cls=Command,
    area=Area.COMPARE,
    tried=Tried(),
    examples=(
        "tierscope fleet imagine fleets/made machines=200 faults=slow:2,step:1",
        "tierscope fleet imagine fleets/made --confirm",
    ),
)
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("words", nargs=-1, metavar="[KEY=VALUE]...")
@click.option("--confirm", is_flag=True, help="Draw the sessions that `fleet outliers` asked for in DIR/confirm.json.")
def fleet_imagine(directory: Path, words: tuple[str, ...], *, confirm: bool) -> int:
    """Write the reports of an imagined fleet into DIR.

    Every host has noise, and some have a planted fault. The JSON files are those of a measured fleet, marked
    `synthetic`, so all other commands can be tried on them. The file `truth.json` states what was planted. No analysis
    reads it. See [how to find the slow machines of a fleet](../how-to/fleet.md), which lists the keys.
    """
    from tierscope.cli.words import read_words
    from tierscope.fleet.imagine import imagine
    from tierscope.fleet.imagine_files import write_fleet
    from tierscope.fleet.imagine_options import ImagineOptions
    from tierscope.plans.options import read_options

    if confirm:
        return _confirm(directory, words)
    options = read_options("fleet imagine", ImagineOptions, read_words(words))
    count = write_fleet(directory, imagine(options))
    door.line(f"{directory}: {count} reports of {options.machines} hosts on {options.days} days")
    return 0


def _confirm(directory: Path, words: tuple[str, ...]) -> int:
    from tierscope.errors import UsageError
    from tierscope.fleet.confirm_plan import read_plan
    from tierscope.fleet.imagine import imagine
    from tierscope.fleet.imagine_files import write_sessions
    from tierscope.fleet.imagine_truth import read_truth

    if words:
        raise UsageError("--confirm takes no keys: the fleet in DIR has its own")
    fleet, plan = imagine(read_truth(directory).options), read_plan(directory)
    day = fleet.options.days - 1
    asked = dict.fromkeys((*plan.suspects, *plan.controls), plan.sessions)
    count = write_sessions(directory, fleet, asked, day)
    door.line(f"{directory}: {count} confirming reports; next: tierscope fleet outliers {directory}")
    return 0


commands.add(fleet_imagine)
