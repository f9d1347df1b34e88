"""`tierscope suites`: what can be run, with all options."""

import rich_click as click

from tierscope.cli import door, names
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried
from tierscope.cli.markup import plain


@click.command("suites", cls=Command, area=Area.MEASURE, tried=Tried())
@click.argument("name", required=False, shell_complete=names.complete(names.suites))
def list_suites(name: str | None) -> int:
    """List the suites with their options and defaults, or those of suite NAME."""
    from tierscope.plans import suites
    from tierscope.plans.options import all_options

    for suite in [suites[name]] if name else [suites[known] for known in suites]:
        door.line(f"{suite.name}: {plain(suite.summary)}")
        for option in all_options(suite.options):
            door.line(f"  {option.name + '=' + option.show():28} {plain(option.help)}")
        door.line("")
    return 0


commands.add(list_suites)
