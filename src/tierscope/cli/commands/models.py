"""`tierscope models [NAME]`: list the models, or show one with its limits and its source."""

import rich_click as click

from tierscope.cli import door, names
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried


@click.command("models", cls=Command, area=Area.PREDICT, tried=Tried())
@click.argument("name", required=False, shell_complete=names.complete(names.models))
def list_models(name: str | None) -> int:
    """List the models of run time and bandwidth, or show model NAME.

    Shows the first line of each [model](../how-to/reproduce.md#models), or one model with its formula, its limits and
    its source.
    """
    import inspect

    from tierscope.models import models

    for one in [name] if name else models:
        text = inspect.getdoc(inspect.getmodule(models[one])) or ""
        door.lines(f"{text}\n" if name else f"{one:18}{text.splitlines()[0]}\n")
    return 0


commands.add(list_models)
