"""Commands of two words: `fleet imagine` is the command `imagine` of the family `fleet`."""

from typing import Any

import rich_click as click

from tierscope.cli.commands import commands
from tierscope.cli.help import Command


class Family(Command, click.RichGroup):  # type: ignore[misc]  # click's own group overrides it alike
    """A command whose commands are all of the open list whose names begin with its own name and a space.

    So a newcomer is one file, as any command, and the reference pages list it by its whole name.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the second words, sorted."""
        begin = f"{self.name} "
        return [name.removeprefix(begin) for name in commands if name.startswith(begin)]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command by its second word; UnknownNameError names the nearest."""
        whole = f"{self.name} {name}"
        if ctx.resilient_parsing and whole not in commands:
            return None  # a shell completes a half-written line
        return commands[whole]

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Return second word, command and the other words; the usage shows the second word once."""
        _, command, rest = super().resolve_command(ctx, args)
        return args[0], command, rest
