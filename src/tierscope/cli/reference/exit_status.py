"""The meaning of each exit status, and when a command ends with 1 or 4, for docs/reference/exit-status.md."""

from tierscope.cli.commands import commands
from tierscope.cli.help import Command
from tierscope.cli.reference import Part, grid, parts
from tierscope.errors import Exit

PAGE = "docs/reference/exit-status.md"


def _meanings() -> str:
    return grid("status: | name | meaning", [(str(one.value), one.name, one.meaning) for one in Exit])


def _when(status: Exit) -> str:
    every = {name: command for name in commands if isinstance(command := commands[name], Command)}
    rows = [(f"`tierscope {name}`", one.status[status]) for name, one in every.items() if status in one.status]
    return grid("command | condition", rows)


parts.add(Part("exit-status", PAGE, _meanings))
parts.add(Part("status-failed", PAGE, lambda: _when(Exit.FAILED)))
parts.add(Part("status-inconclusive", PAGE, lambda: _when(Exit.INCONCLUSIVE)))
