"""Commands that a file would start: each is shown, and none starts before the user agrees."""

import sys
from collections.abc import Sequence

import rich_click as click

from tierscope.cli import door
from tierscope.errors import UsageError
from tierscope.printable import printable

allowing = click.option(
    "--allow-commands",
    "allowed",
    is_flag=True,
    help="Start the commands that the plan of the run or the file names; each is printed first. Without this option, "
    "a terminal asks, and a script ends with 2.",
)
"""For every command of ours that takes a plan from a file."""


class Agreement:
    """Whether the user agrees to the commands of one file; asked once for each command."""

    def __init__(self, source: object, *, allowed: bool, on: str = "") -> None:
        """Take the source of the commands, and whether the user has allowed them.

        on: the machine on which they would start, `ssh:NAME`; "" is this one.
        """
        self._source, self._allowed, self._on = source, allowed, on or "this machine"
        self._known: set[str] = set()

    def __call__(self, commands: Sequence[str]) -> None:
        """Raise UsageError where the user does not agree, or cannot be asked."""
        new = [command for command in commands if command not in self._known]
        if not new:
            return
        many = "this command" if len(new) == 1 else f"these {len(new)} commands"
        door.message(f"{self._source} starts {many} on {self._on}:")
        for command in new:
            door.details(f"  {printable(command)}\n")
        if not (self._allowed or self._asked(many)):
            raise UsageError(f"{self._source} may not start {many}; read them, then give --allow-commands")
        self._known.update(new)

    def _asked(self, many: str) -> bool:
        """Return the answer, asked on a terminal alone: a script cannot answer."""
        return sys.stdin.isatty() and sys.stderr.isatty() and door.ask(f"Start {many}?")
